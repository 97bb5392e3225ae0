package egress

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"strings"
	"testing"
)

// company is a proxy that wants a password and leads every request to one server.
type company struct {
	*httptest.Server
	targets chan string
}

func newCompany(t *testing.T, secure bool, goal net.Addr) *company {
	c := &company{targets: make(chan string, 100)}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.targets <- r.Method + " " + r.RequestURI
		if user, password, ok := credentials(r); !ok || user != "user" || password != "p@ss" {
			w.WriteHeader(http.StatusProxyAuthRequired)
			return
		}
		if r.Method == http.MethodConnect {
			tunnelTo(w, goal.String())
			return
		}
		p := httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) { p.Out.URL.Host = goal.String() }}
		p.ServeHTTP(w, r)
	})
	if c.Server = httptest.NewUnstartedServer(handler); secure {
		c.StartTLS()
	} else {
		c.Start()
	}
	t.Cleanup(func() { c.Close(); http.DefaultTransport.(*http.Transport).CloseIdleConnections() })
	return c
}

func credentials(r *http.Request) (user, password string, ok bool) {
	return (&http.Request{Header: http.Header{"Authorization": r.Header["Proxy-Authorization"]}}).BasicAuth()
}

func tunnelTo(w http.ResponseWriter, goal string) {
	far, err := net.Dial("tcp", goal)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	near, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	fmt.Fprint(near, "HTTP/1.1 200 OK\r\nX-Proxy: company\r\n\r\n")
	go func() { _, _ = io.Copy(far, buffered); _ = far.(*net.TCPConn).CloseWrite() }()
	_, _ = io.Copy(near, far)
	_, _ = near.Close(), far.Close()
}

func (c *company) link(t *testing.T, user *url.Userinfo) *url.URL {
	u, err := url.Parse(c.URL)
	if err != nil {
		t.Fatal(err)
	}
	u.User = user
	return u
}

// unresolvable fails the test if a name is resolved here.
func unresolvable(t *testing.T) func(context.Context, string) ([]netip.Addr, error) {
	return func(_ context.Context, host string) ([]netip.Addr, error) {
		t.Errorf("%s is resolved here", host)
		return nil, errors.New("no resolver")
	}
}

// TestUpstream: tunnels and plain requests go through a company's proxy with its
// password; names are its to resolve, addresses are checked here.
func TestUpstream(t *testing.T) {
	for _, secure := range []bool{false, true} {
		server := secured(t, hello)
		web := page(t, hello)
		proxy := newCompany(t, secure, server.Listener.Addr())
		me := url.UserPassword("user", "p@ss")
		o := Options{
			Policy:   Policy{Allow: rules(t, "a.example.com", "a.example.com:80", "169.254.169.254:80", "10.0.0.1", "93.184.216.34"), Private: grants(t, "10.0.0.1=10.0.0.1")},
			Upstream: proxy.link(t, me), Resolve: unresolvable(t),
		}
		if secure {
			o.UpstreamTLS = &tls.Config{RootCAs: roots(proxy.Server)}
		}
		w := start(t, o)
		for _, scheme := range []string{"http", "socks5h"} {
			c := w.browser(scheme, server)
			if status, body, err := get(c, "https://a.example.com/x"); err != nil || status != http.StatusOK || body != "a.example.com /x" {
				t.Fatalf("%d %q %v", status, body, err)
			}
			c.CloseIdleConnections()
			if r := w.record(); !r.Allowed || r.Cause != "" || r.Address != proxy.Listener.Addr().String() || r.Sent == 0 || r.Received == 0 {
				t.Errorf("%+v", r)
			}
			if got := <-proxy.targets; got != "CONNECT a.example.com:443" {
				t.Error(got)
			}
		}
		for target, ok := range map[string]bool{"10.0.0.1:443": true, "93.184.216.34:443": true, "169.254.169.254:80": false, "evil.example:443": false} {
			conn, _, status := w.connect(target)
			_ = conn.Close()
			if r := w.record(); r.Allowed != ok || strings.HasPrefix(status, "200 ") != ok {
				t.Errorf("%s: %s, %+v", target, status, r)
			}
			if ok {
				<-proxy.targets
			}
		}
		w.none()

		plain := newCompany(t, secure, web.Listener.Addr())
		o.Upstream = plain.link(t, me)
		if secure {
			o.UpstreamTLS = &tls.Config{RootCAs: roots(plain.Server)}
		}
		w = start(t, o)
		if status, body, err := get(w.browser("http"), "http://a.example.com/y?z"); err != nil || status != http.StatusOK || body != "a.example.com /y" {
			t.Errorf("%d %q %v", status, body, err)
		}
		if r := w.record(); !r.Allowed || r.Cause != "" || r.Address != plain.Listener.Addr().String() || r.Received == 0 {
			t.Errorf("%+v", r)
		}
		if got := <-plain.targets; got != "GET http://a.example.com/y?z" {
			t.Error(got)
		}
		w.none()
	}
}

// TestUpstreamFails: a proxy that wants another password, or is not there, is no
// refusal, and no password is in what is said about it.
func TestUpstreamFails(t *testing.T) {
	proxy := newCompany(t, false, peer(t, echo))
	for name, c := range map[string]struct {
		proxy *url.URL
		cause string
	}{
		"password": {proxy.link(t, url.UserPassword("user", "secret")), "answered 407"},
		"nothing":  {&url.URL{Scheme: "http", Host: "127.0.0.1:1", User: url.UserPassword("user", "secret")}, "connection refused"},
		"no tls":   {&url.URL{Scheme: "https", Host: proxy.Listener.Addr().String()}, "upstream proxy"},
	} {
		w := start(t, Options{Policy: Policy{Open: true}, Upstream: c.proxy, Resolve: unresolvable(t)})
		conn, _, status := w.connect("a.example.com:443")
		_ = conn.Close()
		if r := w.record(); !strings.HasPrefix(status, "502 ") || !r.Allowed || !strings.Contains(status, c.cause) || strings.Contains(status+r.Cause, "secret") || !strings.Contains(r.Cause, "upstream proxy") {
			t.Errorf("%s: %s, %+v", name, status, r)
		}
		w.none()
	}
}

// TestNoProxy: hosts that NO_PROXY names are reached directly, with every check.
func TestNoProxy(t *testing.T) {
	addr := peer(t, echo)
	proxy := newCompany(t, false, addr)
	p := Policy{Open: true, Private: grants(t, "*.direct.example=127.0.0.1", "127.0.0.1=127.0.0.1")}
	for noProxy, targets := range map[string]map[string]string{
		".direct.example,127.0.0.0/8": {
			at("a.direct.example", addr): addr.String(), at("127.0.0.1", addr): addr.String(), "rebound.example:80": proxy.Listener.Addr().String(),
			at("127.0.0.2", addr): "",
		},
		"*":               {at("a.direct.example", addr): addr.String(), "rebound.example:80": ""},
		"rebound.example": {at("a.direct.example", addr): proxy.Listener.Addr().String(), "rebound.example:80": "", "sub.rebound.example:80": ""},
	} {
		w := start(t, Options{Policy: p, Upstream: proxy.link(t, url.UserPassword("user", "p@ss")), NoProxy: noProxy})
		for target, want := range targets {
			conn, _, status := w.connect(target)
			_ = conn.Close()
			if r := w.record(); r.Address != want || r.Allowed != (want != "") || strings.HasPrefix(status, "200 ") != (want != "") {
				t.Errorf("%s, %s: %s, %+v", noProxy, target, status, r)
			}
		}
		w.none()
	}
}

// TestUpstreamRest: what a host says in the same packet as the proxy's answer is
// not lost.
func TestUpstreamRest(t *testing.T) {
	proxy := peer(t, func(c *net.TCPConn) {
		_, _ = http.ReadRequest(bufio.NewReader(c))
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n220 hello\r\n")
	})
	w := start(t, Options{Policy: Policy{Open: true}, Upstream: &url.URL{Scheme: "http", Host: proxy.String()}})
	conn, r, _ := w.connect("a.example.com:25")
	if said, err := io.ReadAll(r); err != nil || string(said) != "220 hello\r\n" {
		t.Errorf("%q, %v", said, err)
	}
	_ = conn.Close()
	if c := w.record(); c.Received != 11 || !c.Allowed {
		t.Errorf("%+v", c)
	}
}

// TestPort443: on the port of TLS nothing else passes; a host behind an upstream
// proxy may speak first there, and is heard.
func TestPort443(t *testing.T) {
	heard := make(chan int64, 1)
	addr := peer(t, func(c *net.TCPConn) {
		_, _ = io.WriteString(c, "220 hello\r\n")
		n, _ := io.Copy(io.Discard, c)
		heard <- n
	})
	proxy := newCompany(t, false, addr)
	w := start(t, Options{Policy: Policy{Open: true}, Upstream: proxy.link(t, url.UserPassword("user", "p@ss"))})
	conn, r, status := w.connect("a.example.com:443")
	if line, err := r.ReadString('\n'); err != nil || line != "220 hello\r\n" {
		t.Errorf("%s: %q, %v", status, line, err)
	}
	fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n")
	_, _ = io.Copy(io.Discard, bufio.NewReader(conn))
	if c, n := w.record(), <-heard; n != 0 || c.Sent != 0 || c.Received != 11 || c.Allowed || !strings.Contains(c.Cause, "not TLS") {
		t.Errorf("%d bytes, %+v", n, c)
	}
	w.none()
}
