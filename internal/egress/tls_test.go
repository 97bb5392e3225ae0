package egress

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha1" //nolint:gosec // the websocket handshake is made of it
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// secured is an HTTPS server for names below example.com.
func secured(t testing.TB, handler http.HandlerFunc) *httptest.Server {
	s := httptest.NewUnstartedServer(handler)
	s.EnableHTTP2 = true
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

// TestServerName: a ClientHello must ask for the host that CONNECT named.
func TestServerName(t *testing.T) {
	server := secured(t, hello)
	p := local(t)
	p.Allow = append(p.Allow, rules(t, "127.0.0.1:*")...)
	p.Private = append(p.Private, grants(t, "127.0.0.1=127.0.0.1")...)
	w := start(t, Options{Policy: p})
	for _, c := range []struct{ host, sni, cause string }{
		{"a.example.com", "a.example.com", ""},
		{"A.Example.com.", "a.example.COM", ""},
		{"127.0.0.1", "", ""},
		{"a.example.com", "b.example.com", "asks for another host, b.example.com"},
		{"a.example.com", "", "names no host"},
		{"127.0.0.1", "a.example.com", "asks for another host, a.example.com"},
	} {
		conn, _, status := w.connect(at(c.host, server.Listener.Addr()))
		if status != "200 Connection established" {
			t.Fatal(status)
		}
		secure := tls.Client(conn, &tls.Config{ServerName: c.sni, InsecureSkipVerify: true}) //nolint:gosec // the name is what is tested
		err := secure.Handshake()
		if (err == nil) != (c.cause == "") {
			t.Errorf("%+v: %v", c, err)
		}
		if c.cause != "" && (err == nil || !strings.Contains(err.Error(), "unrecognized name")) {
			t.Errorf("%+v: the client is told %v", c, err)
		}
		_ = secure.Close()
		r := w.record()
		if r.Allowed != (c.cause == "") || !strings.Contains(r.Cause, c.cause) || (c.cause != "") != (r.Sent == 0) || (c.cause != "") != (r.Received == 0) {
			t.Errorf("%+v: %+v", c, r)
		}
	}
	w.none()
}

// TestSplitHello: a ClientHello that comes byte by byte, and in records of few
// bytes, is read as a whole.
func TestSplitHello(t *testing.T) {
	whole := clientHello(t, "a.example.com")
	got := make(chan []byte, 1)
	addr := peer(t, func(c *net.TCPConn) {
		said, _ := io.ReadAll(c)
		got <- said
	})
	w := start(t, Options{Policy: local(t)})
	for name, c := range map[string]struct {
		host string
		said []byte
	}{
		"bytes":         {"a.example.com", whole},
		"records":       {"a.example.com", rerecord(whole, 3)},
		"wrong, in few": {"b.example.com", rerecord(whole, 50)},
	} {
		conn, _, _ := w.connect(at(c.host, addr))
		for i := range c.said {
			if _, err := conn.Write(c.said[i : i+1]); err != nil {
				break // cut
			}
		}
		_ = conn.CloseWrite()
		said, r := <-got, w.record()
		if right := c.host == "a.example.com"; right != bytes.Equal(said, c.said) || right != r.Allowed || !right && len(said) > 0 {
			t.Errorf("%s: %d bytes of %d arrived, %+v", name, len(said), len(c.said), r)
		}
	}
}

// TestBadHello: what begins as TLS and is none, has no end, or breaks off, never
// reaches the host.
func TestBadHello(t *testing.T) {
	whole := clientHello(t, "a.example.com")
	got := make(chan int64, 1)
	addr := peer(t, func(c *net.TCPConn) {
		n, _ := io.Copy(io.Discard, c)
		got <- n
	})
	w := start(t, Options{Policy: local(t)})
	endless := bytes.Repeat([]byte{22, 3, 1, 0, 1, 1}, 1)
	endless = append(endless, 22, 3, 1, 0, 3, 0, 0xff, 0xf0)
	endless = append(endless, bytes.Repeat([]byte{22, 3, 1, 0, 1, 0}, 20_000)...)
	for name, c := range map[string]struct {
		said  []byte
		cause string
	}{
		"half":         {whole[:len(whole)/2], "hung up in the middle"},
		"one byte":     {whole[:1], "hung up in the middle"},
		"garbage":      {append([]byte{22, 3, 1, 0, 50, 1, 0, 0, 46}, make([]byte, 46)...), "cannot be read"},
		"no handshake": {[]byte{22, 3, 1, 0, 4, 2, 0, 0, 0}, "cannot be read"},
		"endless":      {endless, "too long"},
	} {
		conn, _, _ := w.connect(at("a.example.com", addr))
		_, _ = conn.Write(c.said) // it may be cut
		_ = conn.CloseWrite()
		if n, r := <-got, w.record(); n != 0 || r.Sent != 0 || !strings.Contains(r.Cause, c.cause) {
			t.Errorf("%s: %d bytes, %+v", name, n, r)
		}
	}
}

// TestHTTP2 goes through CONNECT as it would without.
func TestHTTP2(t *testing.T) {
	server := secured(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Proto) })
	w := start(t, Options{Policy: local(t)})
	for _, scheme := range []string{"http", "socks5h"} {
		c := w.browser(scheme, server)
		if status, body, err := get(c, "https://"+at("a.example.com", server.Listener.Addr())); err != nil || status != http.StatusOK || body != "HTTP/2.0" {
			t.Errorf("%s: %d %s %v", scheme, status, body, err)
		}
		c.CloseIdleConnections()
		if r := w.record(); !r.Allowed || r.Cause != "" || r.Host != "a.example.com" || r.Sent == 0 || r.Received == 0 {
			t.Errorf("%s: %+v", scheme, r)
		}
	}
	w.none()
}

// socket is the server's side of a websocket that repeats what it hears.
func socket(w http.ResponseWriter, r *http.Request) {
	sum := sha1.Sum([]byte(r.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")) //nolint:gosec // as the standard says
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer func() { _ = conn.Close() }()
	fmt.Fprintf(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n", base64.StdEncoding.EncodeToString(sum[:]))
	_, _ = io.Copy(conn, buffered)
}

// TestWebsocket through CONNECT with TLS, and over plain HTTP.
func TestWebsocket(t *testing.T) {
	secure := httptest.NewTLSServer(http.HandlerFunc(socket))
	t.Cleanup(secure.Close)
	plain := page(t, socket)
	w := start(t, Options{Policy: local(t)})

	conn, _, _ := w.connect(at("a.example.com", secure.Listener.Addr()))
	over := tls.Client(conn, &tls.Config{ServerName: "a.example.com", RootCAs: roots(secure)})
	chat(t, over, "/")
	_ = over.Close()
	if r := w.record(); !r.Allowed || r.Cause != "" || r.Protocol != "connect" {
		t.Errorf("%+v", r)
	}
	direct := w.dial()
	chat(t, direct, "http://"+at("b.example.com", plain.Listener.Addr())+"/")
	_ = direct.Close()
	if r := w.record(); !r.Allowed || r.Protocol != "http" || r.Sent < 100 || r.Received < 100 {
		t.Errorf("%+v", r)
	}
	w.none()
}

// chat opens a websocket and sends a frame, which must come back.
func chat(t *testing.T, conn io.ReadWriter, target string) {
	t.Helper()
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: a.example.com\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n", target)
	r := bufio.NewReader(conn)
	response, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusSwitchingProtocols || response.Header.Get("Sec-WebSocket-Accept") != "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" {
		t.Fatalf("%s %v", response.Status, response.Header)
	}
	frame := []byte("\x81\x85\x01\x02\x03\x04igomn")
	if _, err := conn.Write(frame); err != nil {
		t.Fatal(err)
	}
	back := make([]byte, len(frame))
	if _, err := io.ReadFull(r, back); err != nil || !bytes.Equal(back, frame) {
		t.Fatalf("%q, %v", back, err)
	}
}

// clientHello is what a real client sends first.
func clientHello(t testing.TB, name string) []byte {
	t.Helper()
	near, far := net.Pipe()
	defer func() { _ = far.Close() }()
	ctx, cancel := context.WithTimeout(context.Background(), waittest.Limit)
	defer cancel()
	gone := make(chan error, 1)
	go func() {
		gone <- tls.Client(near, &tls.Config{ServerName: name, InsecureSkipVerify: true, Rand: rand.Reader}).HandshakeContext(ctx) //nolint:gosec // it is not answered
	}()
	head := make([]byte, recordHeader)
	if _, err := io.ReadFull(far, head); err != nil {
		t.Fatal(err)
	}
	body := make([]byte, int(head[3])<<8|int(head[4]))
	if _, err := io.ReadFull(far, body); err != nil {
		t.Fatal(err)
	}
	_ = far.Close()
	<-gone
	return append(head, body...)
}

// rerecord spreads the message of one record over records of n bytes.
func rerecord(record []byte, n int) []byte {
	var spread []byte
	for body := record[recordHeader:]; len(body) > 0; {
		part := body[:min(n, len(body))]
		body = body[len(part):]
		spread = append(spread, record[0], record[1], record[2], byte(len(part)>>8), byte(len(part)))
		spread = append(spread, part...)
	}
	return spread
}
