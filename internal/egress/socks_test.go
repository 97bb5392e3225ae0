package egress

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
)

// ask speaks SOCKS5 as far as the reply, and returns its code.
func (w *world) ask(command, kind byte, host []byte, port int) (*net.UnixConn, byte) {
	w.t.Helper()
	conn := w.dial()
	request := []byte{5, 2, 2, 0, 5, command, 0, kind}
	if kind == socksName {
		request = append(request, byte(len(host)))
	}
	request = binary.BigEndian.AppendUint16(append(request, host...), uint16(port))
	if _, err := conn.Write(request); err != nil {
		w.t.Fatal(err)
	}
	answer := make([]byte, 12)
	if _, err := io.ReadFull(conn, answer); err != nil || !bytes.HasPrefix(answer, []byte{5, 0, 5}) {
		w.t.Fatalf("%v, %v", answer, err)
	}
	return conn, answer[3]
}

func TestSocks(t *testing.T) {
	addr := peer(t, echo).(*net.TCPAddr)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := l.Addr().(*net.TCPAddr).Port
	_ = l.Close()
	p := local(t)
	p.Allow = append(p.Allow, rules(t, "127.0.0.1:*", "169.254.169.254:80")...)
	p.Private = append(p.Private, grants(t, "127.0.0.1=127.0.0.1")...)
	w := start(t, Options{Policy: p})
	mapped := netip.MustParseAddr("::ffff:127.0.0.1").As16()
	for _, c := range []struct {
		command, kind byte
		host          string
		port          int
		reply         byte
		recorded      string
	}{
		{socksConnect, socksName, "a.example.com", addr.Port, replyDone, "a.example.com"},
		{socksConnect, socksName, "A.EXAMPLE.com.", addr.Port, replyDone, "a.example.com"},
		{socksConnect, socksIPv4, "\x7f\x00\x00\x01", addr.Port, replyDone, "127.0.0.1"},
		{socksConnect, socksIPv6, string(mapped[:]), addr.Port, replyDone, "127.0.0.1"},
		{socksConnect, socksName, "127.0.0.1", addr.Port, replyDone, "127.0.0.1"},
		{socksConnect, socksIPv4, "\xa9\xfe\xa9\xfe", 80, replyForbidden, "169.254.169.254"},
		{socksConnect, socksName, "evil.example", 443, replyForbidden, "evil.example"},
		{socksConnect, socksName, "", 443, replyForbidden, ""},
		{socksConnect, socksName, "127.1", addr.Port, replyForbidden, "127.1"},
		{socksConnect, socksName, "a.example.com\r\nX: y", 443, replyForbidden, "a.example.com??X:?y"},
		{socksConnect, socksName, "a.example.com\x00", 443, replyForbidden, "a.example.com?"},
		{socksConnect, socksName, "a%2eexample.com", 443, replyForbidden, "a%2eexample.com"},
		{socksConnect, socksName, "a.example.com", closed, replyRefused, "a.example.com"},
		{socksConnect, socksName, "missing.example.com", 443, replyHost, "missing.example.com"},
		{socksConnect, socksName, "a.example.com", 0, replyForbidden, "a.example.com"},
		{2, socksName, "a.example.com", addr.Port, replyNoCommand, "a.example.com"},
		{3, socksIPv4, "\x00\x00\x00\x00", 0, replyNoCommand, "0.0.0.0"},
	} {
		conn, code := w.ask(c.command, c.kind, []byte(c.host), c.port)
		if code != c.reply {
			t.Errorf("%q: the reply is %d, not %d", c.host, code, c.reply)
		}
		if code == replyDone {
			fmt.Fprint(conn, "ping")
			_ = conn.CloseWrite()
			if said, err := io.ReadAll(conn); err != nil || string(said) != "ping" {
				t.Errorf("%q: %q, %v", c.host, said, err)
			}
		}
		_ = conn.Close()
		r := w.record()
		reachable := c.reply == replyDone || c.reply == replyRefused || c.reply == replyHost
		if r.Protocol != "socks5" || r.Host != c.recorded || r.Port != c.port || r.Allowed != reachable || (r.Cause == "") != (code == replyDone) || (r.Sent == 4) != (code == replyDone) {
			t.Errorf("%q: %+v", c.host, r)
		}
	}
	w.none()
}

// TestBadSocks: what is no SOCKS5, or wants to sign in, is ended.
func TestBadSocks(t *testing.T) {
	w := start(t, Options{Policy: Policy{Open: true}})
	for said, want := range map[string]string{
		"\x05\x01\x02":                         "\x05\xff",
		"\x05\x00":                             "\x05\xff",
		"\x05\x01\x00\x04\x01\x00\x01":         "\x05\x00",
		"\x05\x01\x00\x05\x01\x00\x02":         "\x05\x00" + reply(replyNoAddresses),
		"\x05\x01\x00\x05\x01\x00\x03\x20host": "\x05\x00",
		"\x05\x01":                             "",
		"\x05":                                 "",
	} {
		conn := w.dial()
		fmt.Fprint(conn, said)
		_ = conn.CloseWrite()
		if answer, err := io.ReadAll(conn); err != nil || string(answer) != want {
			t.Errorf("%q is answered with %q, %v", said, answer, err)
		}
	}
	w.none()
}

// TestSocksServerName: the name in a ClientHello is checked here, too.
func TestSocksServerName(t *testing.T) {
	server := secured(t, hello)
	w := start(t, Options{Policy: local(t)})
	c := w.browser("socks5h", server)
	link := "https://" + at("a.example.com", server.Listener.Addr())
	if status, _, err := get(c, link); err != nil || status != http.StatusOK {
		t.Errorf("%d, %v", status, err)
	}
	c.CloseIdleConnections()
	if r := w.record(); r.Protocol != "socks5" || !r.Allowed {
		t.Errorf("%+v", r)
	}
	c.Transport.(*http.Transport).TLSClientConfig.ServerName = "b.example.com"
	if _, _, err := get(c, link); err == nil || !strings.Contains(err.Error(), "unrecognized name") {
		t.Errorf("another name: %v", err)
	}
	if r := w.record(); r.Allowed || !strings.Contains(r.Cause, "b.example.com") || r.Sent != 0 {
		t.Errorf("%+v", r)
	}
	w.none()
}
