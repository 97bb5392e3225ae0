// Package network is the engine's face to other machines and to browsers: it
// listens, finds out who asks, and passes them on to the API and the cockpit. It
// keeps unauthenticated clients, forged hosts and other sites' pages out, and
// bounds what anybody can take. It must not know what a role may do, nor what a page shows.
package network

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// DefaultPort is where an engine listens whose address names no port.
const DefaultPort = 7341

// Config says where an engine listens and how it is reached.
type Config struct {
	Listen      string   // ADDRESS[:PORT]; this machine only if it is empty
	Cert, Key   string   // files in PEM form; TLS where they are given
	BehindProxy bool     // a proxy that speaks TLS is in front, and nobody else gets here
	Hosts       []string // further names by which it is reached
	// AnyPort says that nobody named the port: if it is taken, it is the one of
	// last time, and if that is taken too, one that the system chooses.
	AnyPort bool
	Last    uint16 // 0 if there was none
}

// ErrTaken is an address at which somebody else listens.
var ErrTaken = errors.New("another program listens there already")

// Listener is an address that was opened, and how it may be spoken to.
type Listener struct {
	net.Listener
	limiter  *connLimiter
	secure   bool // browsers reach it by TLS
	proxied  bool
	loopback bool
	hosts    []string // lower case, without port
	url      string
	missed   string // address that was taken, if it has another port therefore
}

// Listen opens the address. It refuses, with CodeInvalid, one that other machines
// reach unless they do so by TLS.
func Listen(ctx context.Context, c Config) (*Listener, error) {
	address, certificate, err := c.settle(ctx)
	if err != nil {
		return nil, err
	}
	l := &Listener{
		secure: certificate != nil || c.BehindProxy, proxied: c.BehindProxy,
		loopback: address.Addr().IsLoopback(),
	}
	tcp, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address.String())
	for _, port := range []uint16{c.Last, 0} {
		if c.AnyPort && errors.Is(err, syscall.EADDRINUSE) {
			l.missed = address.String()
			tcp, err = (&net.ListenConfig{}).Listen(ctx, "tcp", netip.AddrPortFrom(address.Addr(), port).String())
		}
	}
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, core.Wrap(core.CodeUnavailable, ErrTaken, "the engine cannot listen at "+address.String(),
			"choose another address: --listen 127.0.0.1:PORT, or none: --listen off")
	}
	if err != nil {
		return nil, core.Wrap(core.CodeUnavailable, err, "the engine cannot listen at "+address.String(), "choose another address: --listen ADDRESS:PORT")
	}
	l.limiter = newConnLimiter(tcp, maxConnections)
	l.Listener = l.limiter
	port := tcp.Addr().(*net.TCPAddr).Port
	l.name(c, address.Addr(), port, certificate)
	if certificate != nil {
		l.Listener = tls.NewListener(l.Listener, &tls.Config{
			GetCertificate: newKeyPair(c.Cert, c.Key, certificate).get, MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"},
		})
	}
	return l, nil
}

// URL is how a browser reaches it, without a slash at the end.
func (l *Listener) URL() string { return l.url }

// Missed is the address at which somebody else listens already, if it has
// another port therefore; else it is empty.
func (l *Listener) Missed() string { return l.missed }

// Check refuses what Listen would refuse, and opens nothing.
func (c Config) Check(ctx context.Context) error {
	_, _, err := c.settle(ctx)
	return err
}

// settle finds out what the configuration comes to.
func (c Config) settle(ctx context.Context) (netip.AddrPort, *tls.Certificate, error) {
	address, err := c.resolve(ctx)
	if err != nil {
		return address, nil, err
	}
	certificate, err := c.certificate()
	if err != nil {
		return address, nil, err
	}
	return address, certificate, c.safe(address)
}

// safe refuses what would let others read along, or nobody in.
func (c Config) safe(address netip.AddrPort) error {
	switch {
	case c.BehindProxy && len(c.Hosts) == 0:
		return core.Errorf(core.CodeInvalid, "--behind-proxy needs the name that browsers use for the proxy").
			WithHint("add --host NAME")
	case c.BehindProxy && (c.Cert != "" || c.Key != ""):
		return core.Errorf(core.CodeInvalid, "either the engine or the proxy in front of it speaks TLS, not both").
			WithHint("leave out --behind-proxy, or --tls-cert and --tls-key")
	case !address.Addr().IsLoopback() && c.Cert == "" && !c.BehindProxy:
		return core.Errorf(core.CodeInvalid, "other machines can reach %s, and without TLS anybody on the network path can read and use the tokens", address).
			WithHint("listen on this machine only (--listen 127.0.0.1:%d), or add --tls-cert FILE and --tls-key FILE, or --behind-proxy if a proxy speaks TLS", DefaultPort)
	}
	for _, host := range c.names() {
		if host == "" || strings.ContainsAny(host, "/:*? ") {
			return core.Errorf(core.CodeInvalid, "%.80q is not the name of a host", host).WithHint("write it without scheme, port and path: --host stellwerk.example.com")
		}
	}
	return nil
}

// belowLocalhost is how names end that browsers take for their own machine without
// asking anybody.
const belowLocalhost = ".localhost"

// ownName is one of them that a cockpit can be opened by beside its address. The
// cookie of a name of its own goes to nothing else on the machine, unless that is
// opened by the same name.
const ownName = "stellwerk" + belowLocalhost

// names are those by which somebody wants it to be reached, in lower case. The
// first is shown to people.
func (c Config) names() []string {
	var names []string
	for _, host := range c.Hosts {
		names = append(names, strings.ToLower(host))
	}
	host, _, err := net.SplitHostPort(c.Listen)
	if err != nil {
		host = c.Listen
	}
	if host = strings.ToLower(host); strings.HasSuffix(host, belowLocalhost) {
		names = append(names, host)
	}
	return names
}

// resolve is the address with its port. One that is left out is this machine's.
func (c Config) resolve(ctx context.Context) (netip.AddrPort, error) {
	host, port := c.Listen, strconv.Itoa(DefaultPort)
	if ip, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		host = ip.String()
	} else if strings.Contains(host, ":") {
		if host, port, err = net.SplitHostPort(c.Listen); err != nil {
			return netip.AddrPort{}, core.Wrap(core.CodeInvalid, err, "the engine cannot listen at "+c.Listen, "name an address such as 127.0.0.1:7341")
		}
	}
	if host == "" || host == "localhost" || strings.HasSuffix(strings.ToLower(host), belowLocalhost) {
		host = "127.0.0.1"
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return netip.AddrPort{}, core.Errorf(core.CodeInvalid, "%.20q is not a port", port).WithHint("name an address such as 127.0.0.1:7341")
	}
	addresses, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil || len(addresses) == 0 {
		return netip.AddrPort{}, core.Wrap(core.CodeInvalid, err, "the engine cannot listen at "+c.Listen, "name an address of this machine, such as 127.0.0.1:7341")
	}
	return netip.AddrPortFrom(addresses[0].Unmap(), uint16(number)), nil
}

func (c Config) certificate() (*tls.Certificate, error) {
	if c.Cert == "" && c.Key == "" {
		return nil, nil
	}
	if c.Cert == "" || c.Key == "" {
		return nil, core.Errorf(core.CodeInvalid, "TLS needs a certificate and its key").WithHint("give both: --tls-cert FILE --tls-key FILE")
	}
	pair, err := tls.LoadX509KeyPair(c.Cert, c.Key)
	if err != nil {
		return nil, core.Wrap(core.CodeInvalid, err, "cannot use the TLS certificate", "check "+c.Cert+" and "+c.Key)
	}
	return &pair, nil
}

// name settles the names that requests may ask for, and the one to show people.
func (l *Listener) name(c Config, ip netip.Addr, port int, certificate *tls.Certificate) {
	l.hosts = c.names()
	if certificate != nil {
		for _, name := range certificate.Leaf.DNSNames {
			if !strings.Contains(name, "*") {
				l.hosts = append(l.hosts, strings.ToLower(name))
			}
		}
	}
	shown := ip.String()
	switch {
	case len(l.hosts) > 0:
		shown = l.hosts[0]
	case ip.IsUnspecified():
		shown = "localhost"
	}
	if l.loopback || ip.IsUnspecified() {
		l.hosts = append(l.hosts, "localhost", ownName)
	}
	if !ip.IsUnspecified() {
		l.hosts = append(l.hosts, ip.String())
	}
	slices.Sort(l.hosts)
	l.hosts = slices.Compact(l.hosts)
	switch {
	case l.proxied:
		l.url = "https://" + shown
	case l.secure:
		l.url = "https://" + net.JoinHostPort(shown, strconv.Itoa(port))
	default:
		l.url = "http://" + net.JoinHostPort(shown, strconv.Itoa(port))
	}
}
