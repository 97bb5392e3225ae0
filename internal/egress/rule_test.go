package egress

import (
	"net/netip"
	"strings"
	"testing"
)

func TestParseRule(t *testing.T) {
	for text, want := range map[string]Rule{
		"example.com":                       {"example.com", false, 443},
		"Example.COM.":                      {"example.com", false, 443},
		"example.com:8443":                  {"example.com", false, 8443},
		"example.com:*":                     {"example.com", false, 0},
		"*.example.com":                     {"example.com", true, 443},
		"*.example.com:80":                  {"example.com", true, 80},
		"203.0.113.7:80":                    {"203.0.113.7", false, 80},
		"[2001:db8::1]:443":                 {"2001:db8::1", false, 443},
		"[2001:DB8:0::1]":                   {"2001:db8::1", false, 443},
		"2001:db8::1":                       {"2001:db8::1", false, 443},
		"[::ffff:203.0.113.7]:81":           {"203.0.113.7", false, 81},
		"http://host.example:3128":          {"host.example", false, 3128},
		"http://host.example/a/b":           {"host.example", false, 80},
		"https://host.example/simple/":      {"host.example", false, 443},
		"https://u:secret@host.example:8/a": {"host.example", false, 8},
		"https://[2001:db8::1]/":            {"2001:db8::1", false, 443},
		"bücher.example":                    {"xn--bcher-kva.example", false, 443},
		"under_score.r3---sn.example":       {"under_score.r3---sn.example", false, 443},
		"https://*.example.com/":            {"example.com", true, 443},
	} {
		got, err := ParseRule(text)
		if err != nil || got != want {
			t.Errorf("%q: %+v, %v; want %+v", text, got, err, want)
			continue
		}
		if again, err := ParseRule(got.String()); err != nil || again != got {
			t.Errorf("%q is written as %q, which is read as %+v, %v", text, got, again, err)
		}
	}
}

func TestParseRuleRefuses(t *testing.T) {
	for _, text := range []string{
		"", "*", "*.", "*.*.example", "a..b", ".example", "example.com..", "exa mple", "a\r\nb", "a\x00b", "a%41", "fe80::1%eth0", "[fe80::1%25eth0]:80",
		"0x7f.1", "2130706433", "0177.0.0.1", "127.1", "127.0.0.01", "1.2.3.4.5", "０x7f.1", "host:0", "host:65536", "host:-1", "host:http", "host:",
		"ftp://host", "https://", "https:///path", "[127.0.0.1]:80", "[example.com]", "*.10.0.0.1", "a/b", "user@host",
		strings.Repeat("a", 64) + ".example", strings.Repeat("a.", 127) + "example",
	} {
		if r, err := ParseRule(text); err == nil {
			t.Errorf("%q is read as %+v", text, r)
		}
	}
	if _, err := ParseRule("https://u:secret@ho st/"); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("the message shows the password: %v", err)
	}
}

func TestParseDeny(t *testing.T) {
	p := Policy{Open: true}
	for _, text := range []string{"evil.example", "*.evil.example", "half.example:80"} {
		r, err := ParseDeny(text)
		if err != nil {
			t.Fatal(err)
		}
		p.Deny = append(p.Deny, r)
	}
	for target, ok := range map[string]bool{
		"evil.example:443": false, "evil.example:22": false, "EVIL.example.:80": false, "a.b.evil.example:443": false,
		"half.example:80": false, "half.example:443": true, "notevil.example:443": true,
	} {
		host, port, _ := splitEndpoint(target)
		if err := checked(p, host, port); (err == nil) != ok {
			t.Errorf("%s: %v", target, err)
		}
	}
}

func TestParseGrant(t *testing.T) {
	for text, want := range map[string]Grant{
		"registry.corp=10.2.0.0/16":  {Rule{"registry.corp", false, 0}, netip.MustParsePrefix("10.2.0.0/16")},
		"registry.corp=10.2.3.4/16":  {Rule{"registry.corp", false, 0}, netip.MustParsePrefix("10.2.0.0/16")},
		"registry.corp:443=10.2.0.5": {Rule{"registry.corp", false, 443}, netip.MustParsePrefix("10.2.0.5/32")},
		"*.corp:8081 = fd00::/8":     {Rule{"corp", true, 8081}, netip.MustParsePrefix("fd00::/8")},
		"[fd00::1]:80=fd00::1":       {Rule{"fd00::1", false, 80}, netip.MustParsePrefix("fd00::1/128")},
		"localhost=::ffff:127.0.0.1": {Rule{"localhost", false, 0}, netip.MustParsePrefix("127.0.0.1/32")},
	} {
		got, err := ParseGrant(text)
		if err != nil || got != want {
			t.Errorf("%q: %+v, %v; want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "host", "=10.0.0.0/8", "host=", "host=corp", "host=10.0.0.0/33", "host=fe80::1%eth0/64", "ho st=10.0.0.1"} {
		if g, err := ParseGrant(text); err == nil {
			t.Errorf("%q is read as %+v", text, g)
		}
	}
}
