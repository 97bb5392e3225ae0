package egress

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// TestRefusals: every way to name what an attempt may not reach is refused, says
// why, and is on record once.
func TestRefusals(t *testing.T) {
	resolver := func(_ context.Context, host string) ([]netip.Addr, error) {
		switch host {
		case "metadata.example.com":
			return addrs("169.254.169.254"), nil
		case "private.example.com":
			return addrs("10.1.2.3", "fd00::1"), nil
		case "loop.example.com":
			return addrs("::1"), nil
		}
		return nil, fmt.Errorf("%s must not be resolved", host)
	}
	w := start(t, Options{Policy: Policy{Open: true, Deny: rules(t, "denied.example.com")}, Resolve: resolver, Advice: "Ask for %s."})
	for target, want := range map[string]struct{ host, cause string }{
		"metadata.example.com:80":     {"metadata.example.com", "metadata"},
		"169.254.169.254:80":          {"169.254.169.254", "metadata"},
		"[::ffff:169.254.169.254]:80": {"169.254.169.254", "metadata"},
		"[64:ff9b::a9fe:a9fe]:80":     {"64:ff9b::a9fe:a9fe", "metadata"},
		"[fd00:ec2::254]:80":          {"fd00:ec2::254", "metadata"},
		"private.example.com:443":     {"private.example.com", "private"},
		"loop.example.com:443":        {"loop.example.com", "loopback"},
		"[::1]:22":                    {"::1", "loopback"},
		"[fe80::1%25eth0]:22":         {"[fe80::1%25eth0]", "percent"},
		"127.0.0.1:22":                {"127.0.0.1", "loopback"},
		"127.1:22":                    {"127.1", "four decimal"},
		"2130706433:22":               {"2130706433", "four decimal"},
		"0x7f.1:22":                   {"0x7f.1", "four decimal"},
		"0177.0.0.1:22":               {"0177.0.0.1", "four decimal"},
		"DENIED.example.com.:443":     {"denied.example.com", "denies"},
		"denied.example.com":          {"denied.example.com", "no port"},
		"metadata.example.com:0":      {"metadata.example.com", "port"},
	} {
		conn, r, status := w.connect(target)
		if !strings.HasPrefix(status, "403 ") || !strings.Contains(status, want.cause) || !strings.Contains(status, " Ask for ") || len(status) > 4+maxReason {
			t.Errorf("%s: the status is %q", target, status)
		}
		body, err := io.ReadAll(r)
		if err != nil || !strings.Contains(string(body), want.cause) || !strings.Contains(string(body), "\nAsk for ") {
			t.Errorf("%s: the body is %q, %v", target, body, err)
		}
		_ = conn.Close()
		if c := w.record(); c.Allowed || c.Protocol != "connect" || c.Host != want.host || !strings.Contains(c.Cause, want.cause) || c.Address != "" || c.Sent+c.Received != 0 {
			t.Errorf("%s: the record is %+v", target, c)
		}
	}
	w.none()
}

// TestResolvesOnce: a name that is public when it is checked and private when it is
// asked for again is asked for once, and the address that was checked is dialled.
func TestResolvesOnce(t *testing.T) {
	addr := peer(t, echo)
	var calls atomic.Int32
	flips := func(context.Context, string) ([]netip.Addr, error) {
		if calls.Add(1)%2 == 1 {
			return addrs("127.0.0.1"), nil
		}
		return addrs("127.0.0.2"), nil
	}
	w := start(t, Options{Policy: local(t), Resolve: flips})
	conn, r, status := w.connect(at("a.example.com", addr))
	if status != "200 Connection established" {
		t.Fatal(status)
	}
	if _, err := io.WriteString(conn, "hello"); err != nil {
		t.Fatal(err)
	}
	_ = conn.CloseWrite()
	if said, err := io.ReadAll(r); err != nil || string(said) != "hello" {
		t.Fatalf("%q, %v", said, err)
	}
	if c := w.record(); c.Address != addr.String() || calls.Load() != 1 || !c.Allowed || c.Cause != "" || c.Sent != 5 || c.Received != 5 {
		t.Errorf("%d lookups, %+v", calls.Load(), c)
	}
	conn, _, status = w.connect(at("a.example.com", addr))
	_ = conn.Close()
	if !strings.HasPrefix(status, "403 ") || calls.Load() != 2 {
		t.Errorf("after %d lookups: %s", calls.Load(), status)
	}
	if c := w.record(); c.Allowed || !strings.Contains(c.Cause, "127.0.0.2, a loopback address") {
		t.Errorf("%+v", c)
	}
}

// TestForbiddenAddress: an address that does not pass is not dialled, though it
// comes first and somebody listens there.
func TestForbiddenAddress(t *testing.T) {
	addr := peer(t, echo)
	trap, err := net.Listen("tcp", at("127.0.0.2", addr))
	if err != nil {
		t.Skipf("only one loopback address can be listened at here: %v", err)
	}
	defer func() { _ = trap.Close() }()
	w := start(t, Options{Policy: local(t), Resolve: always("127.0.0.2", "127.0.0.1")})
	conn, _, status := w.connect(at("a.example.com", addr))
	_ = conn.Close()
	if c := w.record(); status != "200 Connection established" || c.Address != addr.String() || !c.Allowed {
		t.Errorf("%s, %+v", status, c)
	}
}

// TestPassingAddresses: of several addresses those that pass are tried in order.
func TestPassingAddresses(t *testing.T) {
	addr := peer(t, echo)
	p := Policy{Allow: rules(t, "*.example.com:*"), Private: grants(t, "*.example.com=127.0.0.1", "*.example.com=127.0.0.9")}
	w := start(t, Options{Policy: p, Resolve: always("10.9.9.9", "127.0.0.9", "::1", "127.0.0.1")})
	conn, _, status := w.connect(at("a.example.com", addr))
	_ = conn.Close()
	if c := w.record(); status != "200 Connection established" || c.Address != addr.String() || !c.Allowed {
		t.Errorf("%s, %+v", status, c)
	}
}

// TestFailures: a host that is allowed and cannot be reached is no refusal.
func TestFailures(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := l.Addr()
	_ = l.Close()
	w := start(t, Options{Policy: local(t), Advice: "Ask."})
	for target, want := range map[string]string{at("a.example.com", closed): "connection refused", "missing.example.com:80": "cannot be resolved: no such host"} {
		conn, _, status := w.connect(target)
		_ = conn.Close()
		if c := w.record(); !strings.HasPrefix(status, "502 ") || !strings.Contains(status, want) || strings.Contains(status, "Ask") || !c.Allowed || !strings.Contains(c.Cause, want) {
			t.Errorf("%s: %s, %+v", target, status, c)
		}
		code, body, err := get(w.browser("http"), "http://"+target+"/")
		if c := w.record(); err != nil || code != http.StatusBadGateway || !strings.Contains(body, want) || !c.Allowed || !strings.Contains(c.Cause, want) {
			t.Errorf("plain %s: %d %s %v, %+v", target, code, body, err, c)
		}
	}
}

// TestRedirect: a redirect to the metadata service, or to a host that is not on the
// list, is one more request, and refused.
func TestRedirect(t *testing.T) {
	var goal string
	redirect := func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, goal, http.StatusFound) }
	plain := page(t, redirect)
	secure := httptest.NewTLSServer(http.HandlerFunc(redirect))
	t.Cleanup(secure.Close)
	p := local(t)
	p.Allow = append(p.Allow, rules(t, "169.254.169.254:80")...)
	w := start(t, Options{Policy: p})
	for _, first := range []string{"http://" + at("a.example.com", plain.Listener.Addr()), "https://" + at("a.example.com", secure.Listener.Addr())} {
		for _, goal = range []string{"http://169.254.169.254/latest/meta-data/", "http://evil.example/"} {
			c := w.browser("http", secure)
			status, _, err := get(c, first+"/")
			if err != nil || status != http.StatusForbidden {
				t.Errorf("%s to %s: %d %v", first, goal, status, err)
			}
			c.CloseIdleConnections()
			seen := map[bool]Connection{}
			for range 2 {
				r := w.record()
				seen[r.Allowed] = r
			}
			if seen[true].Host != "a.example.com" || !strings.Contains(goal, seen[false].Host) || seen[false].Host == "" {
				t.Errorf("%s to %s: %+v", first, goal, seen)
			}
		}
	}
	w.none()
}

// TestServerSpeaksFirst: the host's bytes are not held back until the client speaks.
func TestServerSpeaksFirst(t *testing.T) {
	addr := peer(t, func(c *net.TCPConn) {
		_, _ = io.WriteString(c, "SSH-2.0-x\r\n")
		said, _ := io.ReadAll(c)
		_, _ = c.Write(bytes.ToUpper(said))
	})
	w := start(t, Options{Policy: local(t)})
	conn, r, _ := w.connect(at("git.example.com", addr))
	if line, err := r.ReadString('\n'); err != nil || line != "SSH-2.0-x\r\n" {
		t.Fatalf("%q, %v", line, err)
	}
	_, _ = io.WriteString(conn, "bye")
	_ = conn.CloseWrite()
	if rest, err := io.ReadAll(r); err != nil || string(rest) != "BYE" {
		t.Fatalf("%q, %v", rest, err)
	}
	if c := w.record(); c.Sent != 3 || c.Received != 14 || c.Cause != "" {
		t.Errorf("%+v", c)
	}
}

// TestClientLeavesEarly: the bytes that passed are on record, whoever hangs up.
func TestClientLeavesEarly(t *testing.T) {
	for name, linger := range map[string]bool{"client": false, "reset by host": true} {
		left := make(chan struct{})
		addr := peer(t, func(c *net.TCPConn) {
			_, _ = io.WriteString(c, strings.Repeat("x", 5000))
			_, _ = io.ReadFull(c, make([]byte, 7))
			if linger {
				_ = c.SetLinger(0)
				return
			}
			_, err := c.Read(make([]byte, 1))
			if !errors.Is(err, io.EOF) {
				t.Errorf("the host read %v", err)
			}
			close(left)
		})
		w := start(t, Options{Policy: local(t)})
		conn, r, _ := w.connect(at("a.example.com", addr))
		if _, err := io.ReadFull(r, make([]byte, 5000)); err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(conn, "1234567")
		if !linger {
			_ = conn.Close()
			<-left
		} else if rest, err := io.ReadAll(r); len(rest) > 0 {
			t.Errorf("%q, %v", rest, err)
		}
		_ = conn.Close()
		if c := w.record(); c.Sent != 7 || c.Received != 5000 || !c.Allowed || linger != (c.Cause != "") {
			t.Errorf("%s: %+v", name, c)
		}
		w.none()
	}
}

// TestLastWords: what a host says before it resets the connection arrives, though
// the client is in the middle of an upload.
func TestLastWords(t *testing.T) {
	addr := peer(t, func(c *net.TCPConn) {
		_, _ = io.ReadFull(c, make([]byte, 10))
		_, _ = io.WriteString(c, "413 too large") // and closes with bytes unread
	})
	w := start(t, Options{Policy: local(t)})
	conn, r, _ := w.connect(at("a.example.com", addr))
	go func() {
		for {
			if _, err := conn.Write(make([]byte, 64<<10)); err != nil {
				return
			}
		}
	}()
	said := make([]byte, 13)
	if _, err := io.ReadFull(r, said); err != nil || string(said) != "413 too large" {
		t.Errorf("%q, %v", said, err)
	}
	_ = conn.Close()
	if c := w.record(); c.Received != 13 || c.Sent < 10 {
		t.Errorf("%+v", c)
	}
}

// TestEnd: the end of the context cuts everything and is on record.
func TestEnd(t *testing.T) {
	addr := peer(t, echo)
	slow := make(chan struct{})
	web := page(t, func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		close(slow)
		<-r.Context().Done()
	})
	w := start(t, Options{Policy: local(t)})
	idle := w.dial()
	tunnel, r, _ := w.connect(at("a.example.com", addr))
	_, _ = io.WriteString(tunnel, "12")
	_, _ = io.ReadFull(r, make([]byte, 2))
	plain := w.dial()
	fmt.Fprintf(plain, "GET http://%s/ HTTP/1.1\r\nHost: x\r\n\r\n", at("b.example.com", web.Listener.Addr()))
	<-slow
	w.stop()
	for _, conn := range []net.Conn{idle, tunnel, plain} {
		if _, err := io.Copy(io.Discard, conn); errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
	}
	for range 2 {
		if c := w.record(); c.Cause == "" || !c.Allowed || c.Protocol == "connect" && (c.Sent != 2 || c.Received != 2) {
			t.Errorf("%+v", c)
		}
	}
	if _, err := net.Dial("unix", w.socket); err == nil {
		t.Error("the socket still answers")
	}
	w.none()
}

// TestServeFails: a listener that fails ends Serve with its error.
func TestServeFails(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- New(Options{}).Serve(context.Background(), l) }()
	_ = l.Close()
	select {
	case err := <-done:
		if !errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
	case <-waittest.Over():
		t.Error("Serve goes on without a listener")
	}
}
