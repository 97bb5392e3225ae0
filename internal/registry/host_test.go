package registry

import (
	"errors"
	"strings"
	"testing"
)

func TestHostOf(t *testing.T) {
	for address, want := range map[string]string{
		"https://registry.example.com":                     "registry.example.com",
		"https://registry.example.com:443/path?q#f":        "registry.example.com",
		"https://Registry.Example.COM.:8443/":              "registry.example.com:8443",
		"http://registry.example.com/":                     "registry.example.com:80",
		"http://registry.example.com:443/":                 "registry.example.com",
		"https://registry.example.com:80/":                 "registry.example.com:80",
		"https://alice:sesame@registry.example.com/":       "registry.example.com",
		"https://other.example.com@registry.example.com/":  "registry.example.com",
		"sparse+https://index.example.com/":                "index.example.com",
		"registry+http://index.example.com/":               "index.example.com:80",
		"ssh://git@index.example.com/crates":               "index.example.com:22",
		"git://index.example.com/crates":                   "index.example.com:9418",
		"https://192.0.2.7:8081/":                          "192.0.2.7:8081",
		"https://[2001:DB8::7]/":                           "[2001:db8::7]",
		"https://[2001:db8::7]:8443/":                      "[2001:db8::7]:8443",
		"https://crates.example.com/{crate}/{version}/get": "crates.example.com",
		"file:///srv/packages":                             "",
		"file://host.example.com/share":                    "",
	} {
		if got, err := hostOf(address); err != nil || got != want {
			t.Errorf("%q: %q, %v, want %q", address, got, err, want)
		}
	}
}

func TestNoHost(t *testing.T) {
	for address, want := range map[string]error{
		"": errScheme, "registry.example.com": errScheme, "ftp://registry.example.com": errScheme, "undefined": errScheme,
		"https://": errUnreadable, "https://*/": errUnreadable, "https://*.example.com/": errUnreadable, "https://${MIRROR}/": errUnreadable,
		"https://alice:sesame@[::1": errUnreadable, "https://alice:sesame@a.example.com:port/": errUnreadable,
		"https://a.example.com,b.example.com/": errUnreadable, "https://a%20b.example.com/": errUnreadable, "https://-a/": errUnreadable,
	} {
		got, err := hostOf(address)
		if !errors.Is(err, want) || got != "" || strings.Contains(err.Error(), "sesame") {
			t.Errorf("%q: %q, %v, want %v", address, got, err, want)
		}
	}
}
