package egress

import (
	"errors"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// The longest name and label that DNS has.
const (
	maxHost  = 253
	maxLabel = 63
)

// canonical returns the one spelling of a host that rules, records and ClientHellos
// are compared by: lower case, ASCII, without brackets and trailing dot, and an
// address as netip prints it. It refuses every spelling that programs read in
// different ways: the proxy could check the list for one host and reach another.
func canonical(host string) (string, error) {
	bracketed := strings.HasPrefix(host, "[") && strings.HasSuffix(host, "]")
	if bracketed {
		host = host[1 : len(host)-1]
	}
	for _, r := range host {
		switch {
		case r <= ' ' || r == 0x7f:
			return "", errors.New("the host name contains a space or control character")
		case r == '%':
			return "", errors.New("the host name contains a percent sign or zone")
		}
	}
	if strings.ContainsFunc(host, func(r rune) bool { return r >= utf8.RuneSelf }) {
		mapped, err := idna.Lookup.ToASCII(host)
		if err != nil {
			return "", errors.New("the host name is not a valid international domain name")
		}
		host = mapped
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if a, err := netip.ParseAddr(host); err == nil {
		if bracketed && a.Is4() {
			return "", errors.New("brackets are for IPv6 addresses only")
		}
		return a.Unmap().String(), nil
	}
	if bracketed {
		return "", errors.New("brackets are for IPv6 addresses only")
	}
	return host, checkName(host)
}

// checkName refuses what cannot be a name in DNS. It allows underscores, which real
// hosts have although the standard forbids them.
func checkName(host string) error {
	if host == "" {
		return errors.New("the host name is empty")
	}
	if len(host) > maxHost {
		return errors.New("the host name is too long")
	}
	labels := strings.Split(host, ".")
	for _, label := range labels {
		if label == "" || len(label) > maxLabel {
			return errors.New("the host name has an empty or overlong part")
		}
		for _, c := range []byte(label) {
			if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' {
				return errors.New("the host name contains a character that no host name has")
			}
		}
	}
	if numeric(labels[len(labels)-1]) {
		return errors.New("an IPv4 address must be written as four decimal numbers")
	}
	return nil
}

// numeric reports whether a name that ends in this label is taken for an IPv4
// address by some programs: 2130706433, 127.1, 0177.0.0.1, 0x7f.0x1.
func numeric(label string) bool {
	if hex, ok := strings.CutPrefix(label, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return strings.Trim(label, "0123456789") == ""
}

// shown is a host from outside, made fit for records and messages: a bounded line
// of printable ASCII.
func shown(host string) string {
	if len(host) > maxHost {
		host = host[:maxHost]
	}
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r >= 0x7f {
			return '?'
		}
		return r
	}, host)
}

// endpoint is host:port, with brackets around an IPv6 address.
func endpoint(host string, port int) string { return net.JoinHostPort(host, strconv.Itoa(port)) }

// splitEndpoint takes host:port apart. The host is not yet canonical.
func splitEndpoint(text string) (string, int, error) {
	host, digits, err := net.SplitHostPort(text)
	if err != nil {
		return text, 0, errors.New("the request names no port")
	}
	if strings.HasPrefix(text, "[") {
		host = "[" + host + "]"
	}
	port, err := parsePort(digits)
	return host, port, err
}

func parsePort(digits string) (int, error) {
	port, err := strconv.ParseUint(digits, 10, 16)
	if err != nil || port == 0 {
		return 0, errors.New("the port must be a number from 1 to 65535")
	}
	return int(port), nil
}
