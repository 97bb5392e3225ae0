package registry

import (
	"errors"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
)

// Why an address gives no host. Neither repeats the address.
var (
	errUnreadable = errors.New("is not an address that can be read")
	errScheme     = errors.New("has a scheme that is not known")
)

// hostName is what may be opened: a name without wildcards, variables or escapes.
var hostName = regexp.MustCompile(`^[a-z0-9_]([a-z0-9._-]*[a-z0-9])?$`)

// ports are the schemes that package managers fetch with.
func ports() map[string]string {
	return map[string]string{"https": "443", "http": "80", "ssh": "22", "git": "9418"}
}

// hostOf is the host of a URL, with the port if that is not 443; empty for a file. A scheme may be preceded by the kind of
// registry, as in sparse+https.
func hostOf(text string) (string, error) {
	parsed, err := url.Parse(strings.TrimSpace(text))
	if err != nil {
		return "", errUnreadable
	}
	scheme := parsed.Scheme[strings.LastIndex(parsed.Scheme, "+")+1:]
	if scheme == "file" {
		return "", nil
	}
	port, known := ports()[scheme]
	if !known {
		return "", errScheme
	}
	if parsed.Port() != "" {
		port = parsed.Port()
	}
	host := strings.TrimSuffix(strings.ToLower(parsed.Hostname()), ".")
	if _, err := netip.ParseAddr(host); err != nil && !hostName.MatchString(host) {
		return "", errUnreadable
	}
	switch {
	case port != "443":
		return net.JoinHostPort(host, port), nil
	case strings.Contains(host, ":"):
		return "[" + host + "]", nil
	}
	return host, nil
}
