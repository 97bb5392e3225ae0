package egress

import (
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// The ports of URLs that name none. A rule that names none means HTTPS.
const (
	portHTTP  = 80
	portHTTPS = 443
	anyPort   = 0
)

// Rule is a host, or all hosts below a domain, and a port. Host is canonical.
type Rule struct {
	Host  string
	Below bool // the hosts below Host, not Host itself
	Port  int  // 0: every port
}

// ParseRule reads example.com, example.com:8443, example.com:* (every port),
// *.example.com, 203.0.113.7:80, [2001:db8::1]:443, or an http or https URL, whose
// path is ignored. The port is 443 unless the text or its scheme says otherwise.
func ParseRule(text string) (Rule, error) { return parseRule(text, portHTTPS) }

// ParseDeny reads a rule that closes a host. Without a port it closes every port,
// because a person who denies a host means all of it.
func ParseDeny(text string) (Rule, error) { return parseRule(text, anyPort) }

func parseRule(text string, port int) (Rule, error) {
	text = strings.TrimSpace(text)
	rest := text
	if strings.Contains(text, "://") {
		u, err := url.Parse(text)
		if err != nil || u.Host == "" {
			return Rule{}, badRule(text, "the URL cannot be read")
		}
		switch strings.ToLower(u.Scheme) {
		case "http":
			port = portHTTP
		case "https":
			port = portHTTPS
		default:
			return Rule{}, badRule(text, "only http and https URLs name a host and a port")
		}
		rest = u.Host
	}
	host, said, err := cutPort(rest)
	if err != nil {
		return Rule{}, badRule(text, err.Error())
	}
	if said >= 0 {
		port = said
	}
	domain, below := strings.CutPrefix(host, "*.")
	name, err := canonical(domain)
	if err != nil {
		return Rule{}, badRule(text, err.Error())
	}
	if _, err := netip.ParseAddr(name); err == nil && below {
		return Rule{}, badRule(text, "an address has no hosts below it")
	}
	return Rule{Host: name, Below: below, Port: port}, nil
}

// cutPort takes an optional port off; -1 means that there is none.
func cutPort(text string) (host string, port int, err error) {
	colon := strings.LastIndexByte(text, ':')
	literal := !strings.HasSuffix(text, "]") && !strings.HasPrefix(text, "[") && strings.Count(text, ":") > 1
	if colon < strings.LastIndexByte(text, ']') || colon < 0 || literal {
		return text, -1, nil
	}
	if text[colon+1:] == "*" {
		return text[:colon], anyPort, nil
	}
	port, err = parsePort(text[colon+1:])
	return text[:colon], port, err
}

// badRule never repeats what comes before an @, which may be a password.
func badRule(text, cause string) error {
	if at := strings.LastIndexByte(text, '@'); at >= 0 {
		text = "…" + text[at:]
	}
	return fmt.Errorf("%.100q names no host to reach: %s; write example.com, example.com:8443, *.example.com or a URL", text, cause)
}

// String is the rule as ParseRule reads it.
func (r Rule) String() string {
	host := r.Host
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if r.Below {
		host = "*." + host
	}
	switch r.Port {
	case portHTTPS:
		return host
	case anyPort:
		return host + ":*"
	}
	return host + ":" + strconv.Itoa(r.Port)
}

// covers reports whether the rule is about a canonical host and a port.
func (r Rule) covers(host string, port int) bool {
	if r.Port != anyPort && r.Port != port {
		return false
	}
	if r.Below {
		return strings.HasSuffix(host, "."+r.Host)
	}
	return host == r.Host
}

// Grant is a person's permission for a host to be at a private address. It does not
// put the host on the list.
type Grant struct {
	Rule  Rule
	Range netip.Prefix
}

// ParseGrant reads registry.corp=10.2.0.0/16: a host, host:port or *.domain, then
// a range or one address.
func ParseGrant(text string) (Grant, error) {
	left, right, ok := strings.Cut(strings.TrimSpace(text), "=")
	if !ok {
		return Grant{}, fmt.Errorf("%.100q allows nothing: write the host, then its addresses, as in registry.corp=10.2.0.0/16", shown(text))
	}
	rule, err := parseRule(left, anyPort)
	if err != nil {
		return Grant{}, err
	}
	prefix, err := parseRange(strings.TrimSpace(right))
	if err != nil {
		return Grant{}, fmt.Errorf("%.100q is neither a range nor an address: write 10.2.0.0/16 or 10.2.0.5", right)
	}
	return Grant{Rule: rule, Range: prefix}, nil
}

func parseRange(text string) (netip.Prefix, error) {
	if strings.Contains(text, "/") {
		prefix, err := netip.ParsePrefix(text)
		return prefix.Masked(), err
	}
	a, err := netip.ParseAddr(strings.Trim(text, "[]"))
	if err != nil {
		return netip.Prefix{}, err
	}
	return a.Unmap().WithZone("").Prefix(a.Unmap().BitLen())
}

func (g Grant) covers(host string, port int, a netip.Addr) bool {
	return g.Rule.covers(host, port) && g.Range.Contains(a)
}
