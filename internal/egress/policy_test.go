package egress

import (
	"errors"
	"net"
	"net/netip"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	p := Policy{
		Allow: rules(t, "api.example.com", "*.cdn.example", "host.example:8443", "93.184.216.34:80", "[2606:2800::1]:443", "xn--bcher-kva.example", "bad.cdn.example"),
		Deny:  rules(t, "bad.cdn.example"),
	}
	for target, ok := range map[string]bool{
		"api.example.com:443": true, "API.Example.com.:443": true, "api.example.com:80": false, "x.api.example.com:443": false, "api.example.com..:443": false,
		"a.cdn.example:443": true, "a.b.cdn.example:443": true, "cdn.example:443": false, "evilcdn.example:443": false, "bad.cdn.example:443": false,
		"host.example:8443": true, "host.example:443": false,
		"93.184.216.34:80": true, "[::ffff:93.184.216.34]:80": true, "93.184.216.34:443": false,
		"[2606:2800::1]:443": true, "[2606:2800:0::1]:443": true, "[2606:2800::2]:443": false,
		"bücher.example:443": true, "BÜCHER.example:443": true, "buecher.example:443": false,
		":443": false, "api.example.com%00.evil:443": false, "api.example.com\n:443": false,
	} {
		host, port, _ := splitEndpoint(target)
		err := checked(p, host, port)
		if (err == nil) != ok {
			t.Errorf("%s: %v", target, err)
		}
		var refused *Refused
		if err != nil && (!errors.As(err, &refused) || refused.Cause == "") {
			t.Errorf("%s: the error is %#v", target, err)
		}
	}
	p.Open = true
	for host, ok := range map[string]bool{"anything.example": true, "bad.cdn.example": false, "0x7f.1": false, "2130706433": false, "0177.0.0.1": false, "127.1": false} {
		if err := checked(p, host, 443); (err == nil) != ok {
			t.Errorf("open, %s: %v", host, err)
		}
	}
	if checked(p, "anything.example", 0) == nil || checked(p, "anything.example", 70_000) == nil {
		t.Error("a port that does not exist is let pass")
	}
}

func TestCheckAddress(t *testing.T) {
	for text, class := range map[string]string{
		"127.0.0.1": "loopback", "127.8.8.8": "loopback", "::1": "loopback", "::ffff:127.0.0.1": "loopback",
		"0.0.0.0": "unspecified", "0.1.2.3": "unspecified", "::": "unspecified",
		"10.1.2.3": "private", "172.16.0.1": "private", "172.31.255.255": "private", "192.168.1.1": "private", "fd00::1": "private", "fc00::1": "private", "64:ff9b:1::1": "private",
		"169.254.1.1": "link-local", "fe80::1": "link-local", "fec0::1": "site-local",
		"169.254.169.254": "metadata", "::ffff:169.254.169.254": "metadata", "fd00:ec2::254": "metadata", "100.100.100.200": "metadata", "168.63.129.16": "metadata", "169.254.170.2": "metadata",
		"100.64.0.1": "carrier", "100.127.255.255": "carrier", "224.0.0.1": "multicast", "ff02::1": "multicast", "255.255.255.255": "broadcast",
		"192.0.2.1": "documentation", "198.51.100.1": "documentation", "203.0.113.1": "documentation", "2001:db8::1": "documentation", "3fff::1": "documentation",
		"198.18.0.1": "benchmark", "198.19.255.255": "benchmark", "2001:2::1": "benchmark", "2001::1": "Teredo",
		"192.0.0.1": "reserved", "240.0.0.1": "reserved", "::127.0.0.1": "reserved", "100::1": "reserved", "4000::1": "reserved", "2001:10::1": "reserved", "5f00::1": "reserved",
		"64:ff9b::7f00:1": "loopback", "64:ff9b::a9fe:a9fe": "metadata", "64:ff9b::a00:1": "private", "2002:7f00:1::": "loopback", "2002:a00:1::1": "private", "2002:a9fe:a9fe::": "metadata",
		"8.8.8.8": "", "172.15.0.1": "", "172.32.0.1": "", "100.63.0.1": "", "100.128.0.1": "", "2606:4700::1111": "", "2a00:1450::1": "", "64:ff9b::808:808": "", "2002:808:808::1": "", "198.20.0.1": "",
	} {
		err := Policy{Open: true}.CheckAddress("host.example", 443, netip.MustParseAddr(text))
		switch {
		case class == "" && err != nil:
			t.Errorf("%s is public, but %v", text, err)
		case class != "" && (err == nil || !strings.Contains(err.Error(), class)):
			t.Errorf("%s is %s, but %v", text, class, err)
		}
	}
	if (Policy{Open: true}).CheckAddress("host.example", 443, netip.MustParseAddr("fe80::1%eth0")) == nil {
		t.Error("an address with a zone is let pass")
	}
	if (Policy{Open: true}).CheckAddress("host.example", 443, netip.Addr{}) == nil {
		t.Error("no address is let pass")
	}
}

// TestOwnAddresses: whatever address this machine has is refused, if it is public
// as well.
func TestOwnAddresses(t *testing.T) {
	own, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range own {
		a := netip.MustParsePrefix(o.String()).Addr()
		if (Policy{Open: true}).CheckAddress("host.example", 443, a) == nil {
			t.Errorf("%s is let pass", a)
		}
		if mine, err := (Policy{}).ours(a.Unmap()); err != nil || !mine {
			t.Errorf("%s is not taken for one of this machine's: %v", a, err)
		}
	}
	if mine, err := (Policy{}).ours(netip.MustParseAddr("8.8.8.8")); err != nil || mine {
		t.Errorf("8.8.8.8 is taken for one of this machine's: %v", err)
	}
}

// TestPublicOwnAddresses: a machine may have public addresses, and whoever reaches one of those reaches the machine.
func TestPublicOwnAddresses(t *testing.T) {
	prefix := func(text string) net.Addr {
		ip, network, err := net.ParseCIDR(text)
		if err != nil {
			t.Fatal(err)
		}
		return &net.IPNet{IP: ip, Mask: network.Mask}
	}
	p := Policy{Open: true, Private: grants(t, "granted.example=93.184.216.34"), own: func() ([]net.Addr, error) {
		return []net.Addr{prefix("93.184.216.34/24"), prefix("2606:4700::1/64")}, nil
	}}
	for _, c := range []struct {
		host, addr string
		ok         bool
	}{
		{"host.example", "93.184.216.34", false}, {"host.example", "::ffff:93.184.216.34", false}, {"host.example", "2606:4700::1", false},
		{"host.example", "64:ff9b::5db8:d822", false}, {"host.example", "2002:5db8:d822::1", false}, {"host.example", "64:ff9b::5db8:d823", true},
		{"host.example", "93.184.216.35", true}, {"host.example", "2606:4700::2", true}, {"granted.example", "93.184.216.34", true},
	} {
		if err := p.CheckAddress(c.host, 443, netip.MustParseAddr(c.addr)); (err == nil) != c.ok {
			t.Errorf("%s at %s: %v", c.host, c.addr, err)
		}
	}
	p.own = func() ([]net.Addr, error) { return nil, errors.New("the kernel says nothing") }
	if p.CheckAddress("host.example", 443, netip.MustParseAddr("93.184.216.35")) == nil {
		t.Error("where the machine's addresses are not known, one is let pass")
	}
}

func TestGrants(t *testing.T) {
	p := Policy{Open: true, Private: grants(t, "registry.corp=10.2.0.0/16", "model.corp:8080=10.3.0.1", "*.lan=fd00::/8", "wide.corp=0.0.0.0/0", "wide6.corp=::/0", "meta.corp=169.254.169.254")}
	for _, c := range []struct {
		host string
		port int
		addr string
		ok   bool
	}{
		{"registry.corp", 443, "10.2.3.4", true}, {"Registry.Corp.", 80, "::ffff:10.2.3.4", true}, {"registry.corp", 443, "10.3.0.1", false}, {"other.corp", 443, "10.2.3.4", false},
		{"model.corp", 8080, "10.3.0.1", true}, {"model.corp", 443, "10.3.0.1", false}, {"model.corp", 8080, "10.3.0.2", false},
		{"a.lan", 443, "fd01::1", true}, {"lan", 443, "fd01::1", false},
		{"wide.corp", 443, "127.0.0.1", true}, {"wide.corp", 80, "169.254.169.254", false}, {"wide.corp", 80, "0.0.0.0", false},
		{"wide6.corp", 80, "fd00:ec2::254", false}, {"wide6.corp", 80, "64:ff9b::a9fe:a9fe", false}, {"wide6.corp", 80, "64:ff9b::a00:1", true}, {"a.lan", 80, "fd00:ec2::254", false},
		{"meta.corp", 80, "169.254.169.254", true}, {"other.corp", 80, "169.254.169.254", false},
	} {
		if err := p.CheckAddress(c.host, c.port, netip.MustParseAddr(c.addr)); (err == nil) != c.ok {
			t.Errorf("%s:%d at %s: %v", c.host, c.port, c.addr, err)
		}
	}
	p.Deny = rules(t, "10.2.0.9:*")
	if p.CheckAddress("registry.corp", 443, netip.MustParseAddr("10.2.0.9")) == nil {
		t.Error("a denied address is let pass under a granted name")
	}
	p.Deny = rules(t, "8.8.8.8:*")
	for _, text := range []string{"8.8.8.8", "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1"} {
		if p.CheckAddress("host.example", 443, netip.MustParseAddr(text)) == nil {
			t.Errorf("%s leads to a denied address and is let pass", text)
		}
	}
	if checked(Policy{Private: p.Private}, "registry.corp", 443) == nil {
		t.Error("a grant puts a host on the list")
	}
}
