package egress

import (
	"errors"
	"net/netip"
	"strings"
	"testing"
)

// FuzzRule: what is read can be written and read again, and a canonical host has
// one spelling.
func FuzzRule(f *testing.F) {
	for _, text := range []string{"example.com", "*.example.com:8443", "[2001:db8::1]:443", "203.0.113.7:80", "https://u:p@host.example:8/a", "bücher.example.", "0x7f.1", "::ffff:1.2.3.4", "１２７.0.0.1", "a。b", "host:*"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if host, err := canonical(text); err == nil {
			checkCanonical(t, text, host)
		}
		for _, parse := range []func(string) (Rule, error){ParseRule, ParseDeny} {
			rule, err := parse(text)
			if err != nil {
				continue
			}
			checkCanonical(t, text, rule.Host)
			if again, err := ParseRule(rule.String()); err != nil || again != rule {
				t.Errorf("%q is %+v, written as %q, read as %+v, %v", text, rule, rule, again, err)
			}
		}
	})
}

func checkCanonical(t *testing.T, text, host string) {
	t.Helper()
	if again, err := canonical(host); err != nil || again != host {
		t.Errorf("%q is %q, and that is %q, %v", text, host, again, err)
	}
	if host == "" || shown(host) != host || strings.ToLower(host) != host || strings.ContainsAny(host, "%[]/@ *") {
		t.Errorf("%q is %q", text, host)
	}
	last := host[strings.LastIndexByte(host, '.')+1:]
	if _, err := netip.ParseAddr(host); err != nil && (numeric(last) || strings.Contains(host, ":")) {
		t.Errorf("%q is %q, which looks like an address", text, host)
	}
}

// FuzzHello: no input breaks the parser, more bytes never change what it said, and
// it asks for bytes that it does not have.
func FuzzHello(f *testing.F) {
	whole := clientHello(f, "a.example.com")
	f.Add(whole, 20)
	f.Add(rerecord(whole, 7), 100)
	f.Add([]byte("GET / HTTP/1.1\r\n"), 1)
	f.Add([]byte{22, 3, 1, 0, 0}, 3)
	f.Fuzz(func(t *testing.T, data []byte, cut int) {
		if cut < 0 || cut > len(data) {
			return
		}
		name, need, err := parseHello(data)
		if errors.Is(err, errIncomplete) && need <= len(data) {
			t.Errorf("%d bytes are too few, but %d are enough", len(data), need)
		}
		part, _, partErr := parseHello(data[:cut])
		if !errors.Is(partErr, errIncomplete) && (part != name || !errors.Is(err, partErr)) {
			t.Errorf("%d bytes say %q, %v; all say %q, %v", cut, part, partErr, name, err)
		}
	})
}

// TestHello: the parser reads what real clients send, however it is cut.
func TestHello(t *testing.T) {
	for _, name := range []string{"a.example.com", ""} {
		whole := clientHello(t, name)
		for _, n := range []int{0, 20, 97, 1000} {
			spread := whole
			if n > 0 {
				spread = rerecord(whole, n)
			}
			if got, _, err := parseHello(spread); err != nil || got != name {
				t.Errorf("records of %d bytes: %q, %v", n, got, err)
			}
			for cut := range spread {
				if _, need, err := parseHello(spread[:cut]); !errors.Is(err, errIncomplete) || need <= cut || need > len(spread) {
					t.Fatalf("records of %d bytes, %d bytes in all: %d are needed, %v", n, cut, need, err)
				}
			}
		}
	}
	twice := append(sni("a.example.com"), sni("b.example.com")...)
	for name, c := range map[string]struct {
		data []byte
		err  error
	}{
		"one name":      {wrap(sni("a.example.com")), nil},
		"two names":     {wrap(twice), errBadHello},
		"overlong":      {wrap([]byte{0, 0, 0, 9, 0, 0}), errBadHello},
		"no TLS":        {[]byte("GET"), errNotTLS},
		"SSL 2":         {[]byte{0x80, 0x2e, 1, 3, 1}, errNotTLS},
		"then an alert": {append(rerecord(wrap(sni("a.example.com")), 10)[:15], 21, 3, 1, 0, 2, 1, 0), errBadHello},
	} {
		if _, _, err := parseHello(c.data); !errors.Is(err, c.err) || c.err == nil && err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// sni is the extension that names a host.
func sni(name string) []byte {
	n := len(name)
	return append([]byte{0, 0, 0, byte(n + 5), 0, byte(n + 3), 0, 0, byte(n)}, name...)
}

// wrap is a ClientHello with these extensions.
func wrap(extensions []byte) []byte {
	body := append(make([]byte, helloRandom), 0, 0, 2, 0x13, 1, 1, 0, 0, byte(len(extensions)))
	body = append(body, extensions...)
	message := append([]byte{messageHello, 0, 0, byte(len(body))}, body...)
	return append([]byte{22, 3, 1, 0, byte(len(message))}, message...)
}
