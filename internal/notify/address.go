package notify

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
)

// special are ranges that belong to nobody on the public network, in addition to those
// that netip knows: shared, documentation, benchmark and reserved addresses, and those
// that stand for an IPv4 address.
func special() []netip.Prefix {
	return []netip.Prefix{
		netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"),
		netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("198.51.100.0/24"),
		netip.MustParsePrefix("203.0.113.0/24"), netip.MustParsePrefix("240.0.0.0/4"),
		netip.MustParsePrefix("::/96"), netip.MustParsePrefix("64:ff9b::/96"), netip.MustParsePrefix("64:ff9b:1::/48"),
		netip.MustParsePrefix("100::/64"), netip.MustParsePrefix("2001::/23"), netip.MustParsePrefix("2001:db8::/32"),
		netip.MustParsePrefix("2002::/16"), netip.MustParsePrefix("fec0::/10"),
	}
}

// public reports an address on the public network.
func public(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	return ip.IsGlobalUnicast() && !ip.IsPrivate() && !slices.ContainsFunc(special(), func(p netip.Prefix) bool { return p.Contains(ip) })
}

// linkLocal reports an address of the same link, where clouds keep the credentials of
// their machines, or the one that stands for it in IPv6.
func linkLocal(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	return ip.IsLinkLocalUnicast() || ip == netip.MustParseAddr("fd00:ec2::254")
}

// target is where a way sends to, and whether it may resolve to a private address.
type target struct {
	url     *url.URL
	private bool // the person has named its host as one that may be on a private network
}

// newTarget reads an address: https, or http on this machine alone. Errors do not
// contain the address, which may be a secret itself.
func newTarget(address string, privateHosts []string) (target, error) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.User != nil || u.Fragment != "" {
		return target{}, fmt.Errorf("it is not an https:// address with a host: %w", ErrPermanent)
	}
	ip, err := netip.ParseAddr(u.Hostname())
	here := u.Hostname() == "localhost" || err == nil && ip.Unmap().IsLoopback()
	if u.Scheme != "https" && (u.Scheme != "http" || !here) {
		return target{}, fmt.Errorf("it must be https://, or http:// on this machine: %w", ErrPermanent)
	}
	return target{u, slices.ContainsFunc(privateHosts, func(h string) bool { return strings.EqualFold(h, u.Hostname()) })}, nil
}

// control checks the address that is dialled, after names are resolved: what a name
// stood for a moment ago does not count. It implements net.Dialer.Control.
func (t target) control(_, address string, _ syscall.RawConn) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("an address without a port: %w: %w", err, ErrPermanent)
	}
	ip, err := netip.ParseAddr(host)
	switch literal, parseErr := netip.ParseAddr(t.url.Hostname()); {
	case err != nil:
		return fmt.Errorf("not an address: %w: %w", err, ErrPermanent)
	case t.url.Scheme != "https" && !ip.Unmap().IsLoopback():
		return fmt.Errorf("%s is at %s, and http:// works only for this machine: %w", t.url.Hostname(), ip, ErrPermanent)
	case public(ip):
		return nil
	case !t.private:
		return &privateError{ip, t.url.Hostname()}
	case linkLocal(ip) && (parseErr != nil || literal.Unmap() != ip.Unmap()):
		return &privateError{ip, t.url.Hostname()}
	}
	return nil
}

// privateError is an address that Stellwerk sends nothing to.
type privateError struct {
	ip   netip.Addr
	host string
}

func (e *privateError) Error() string {
	if linkLocal(e.ip) {
		return fmt.Sprintf("%s is at %s; Stellwerk sends nothing there unless notify_private_hosts names the address itself", e.host, e.ip)
	}
	return fmt.Sprintf("%s is at %s, which is not a public address; if you mean it, add %s to notify_private_hosts", e.host, e.ip, e.host)
}

// Is implements errors.Is: trying again does not help.
func (*privateError) Is(err error) bool { return err == ErrPermanent }
