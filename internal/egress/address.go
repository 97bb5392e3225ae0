package egress

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
)

// class is a range of addresses that the proxy connects to only if a person grants
// it.
type class struct {
	name   string
	ranges []netip.Prefix
}

// metadata is where clouds give credentials to anyone who asks. Azure's has a
// public address.
var metadata = class{"a cloud's metadata service", prefixes(
	"169.254.169.254/32", "169.254.170.2/32", "169.254.170.23/32", "100.100.100.200/32", "168.63.129.16/32", "192.0.0.192/32",
	"fd00:ec2::254/128", "fd00:ec2::23/128", "fd20:ce::254/128", "fe80::a9fe:a9fe/128")}

// unspecified addresses reach this host when they are dialled.
var unspecified = class{"an unspecified address", prefixes("0.0.0.0/8", "::/128")}

// classes are in order: the first that has an address names it.
var classes = []class{
	metadata,
	unspecified,
	{"a loopback address", prefixes("127.0.0.0/8", "::1/128")},
	{"a private address", prefixes("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7", "64:ff9b:1::/48")},
	{"a link-local address", prefixes("169.254.0.0/16", "fe80::/10")},
	{"a site-local address", prefixes("fec0::/10")},
	{"an address of a carrier's own network", prefixes("100.64.0.0/10")},
	{"the broadcast address", prefixes("255.255.255.255/32")},
	{"a multicast address", prefixes("224.0.0.0/4", "ff00::/8")},
	{"an address for documentation", prefixes("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32", "3fff::/20")},
	{"an address for benchmarks", prefixes("198.18.0.0/15", "2001:2::/48")},
	{"a Teredo address", prefixes("2001::/32")},
	{"a reserved address", prefixes("192.0.0.0/24", "192.88.99.0/24", "240.0.0.0/4", "2001::/23")},
}

// The ranges of IPv6 addresses that lead to an IPv4 address, and the range of
// public ones.
var (
	nat64     = netip.MustParsePrefix("64:ff9b::/96")
	sixToFour = netip.MustParsePrefix("2002::/16")
	global    = netip.MustParsePrefix("2000::/3")
)

// classify names the class of an address that is not public, or returns "".
func classify(a netip.Addr) string {
	a = a.Unmap()
	for _, c := range classes {
		if c.has(a) {
			return c.name
		}
	}
	if v4, ok := embedded(a); ok {
		if inner := classify(v4); inner != "" {
			return fmt.Sprintf("%s (%s) inside an IPv6 address", inner, v4)
		}
		return ""
	}
	if a.Is6() && !global.Contains(a) {
		return "a reserved address"
	}
	return ""
}

func (c class) has(a netip.Addr) bool {
	return slices.ContainsFunc(c.ranges, func(p netip.Prefix) bool { return p.Contains(a) })
}

// special reports whether an address must be granted by itself, not in a range.
func special(a netip.Addr) bool {
	if v4, ok := embedded(a); ok {
		a = v4
	}
	return metadata.has(a) || unspecified.has(a)
}

func embedded(a netip.Addr) (netip.Addr, bool) {
	bytes := a.As16()
	switch {
	case nat64.Contains(a):
		return netip.AddrFrom4([4]byte(bytes[12:16])), true
	case sixToFour.Contains(a):
		return netip.AddrFrom4([4]byte(bytes[2:6])), true
	}
	return netip.Addr{}, false
}

// leadsTo is an address, and the IPv4 address that it leads to.
func leadsTo(a netip.Addr) []netip.Addr {
	if v4, ok := embedded(a); ok {
		return []netip.Addr{a, v4}
	}
	return []netip.Addr{a}
}

// ours reports whether an address is one of this host's own. Interfaces come and
// go, so it asks each time.
func (p Policy) ours(a netip.Addr) (bool, error) {
	list := p.own
	if list == nil {
		list = net.InterfaceAddrs
	}
	addresses, err := list()
	if err != nil {
		return false, fmt.Errorf("list this host's own addresses: %w", err)
	}
	for _, own := range addresses {
		prefix, err := netip.ParsePrefix(own.String())
		if err == nil && prefix.Addr().Unmap().WithZone("") == a {
			return true, nil
		}
	}
	return false, nil
}

func prefixes(texts ...string) []netip.Prefix {
	ranges := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		ranges[i] = netip.MustParsePrefix(text)
	}
	return ranges
}
