package egress

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestPlain: requests of plain HTTP share the client's connection, lose what was
// meant for the proxy, keep the rest, and are one record each.
func TestPlain(t *testing.T) {
	server := page(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		for _, name := range []string{"Proxy-Authorization", "Proxy-Connection", "X-Hop", "Te", "Keep-Alive", "X-Forwarded-For", "Via"} {
			if r.Header.Get(name) != "" {
				t.Errorf("%s reached the host", name)
			}
		}
		if r.Header.Get("Authorization") != "Bearer mine" || r.UserAgent() != "" || r.Header.Get("Accept-Encoding") != "" {
			t.Errorf("the host got %v", r.Header)
		}
		w.Header().Set("Proxy-Authenticate", "Basic")
		fmt.Fprintf(w, "%s %s %s %s", r.Method, r.Host, r.RequestURI, body)
	})
	w := start(t, Options{Policy: local(t)})
	conn := w.dial()
	r := bufio.NewReader(conn)
	target := at("a.example.com", server.Listener.Addr())
	for i := range 3 {
		fmt.Fprintf(conn, "POST http://%s/p?q=%%zz;%d HTTP/1.1\r\nHost: evil.example\r\nAuthorization: Bearer mine\r\nProxy-Authorization: Basic eDp5\r\nProxy-Connection: keep-alive\r\nKeep-Alive: 5\r\nConnection: X-Hop\r\nX-Hop: 1\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n",
			strings.ToUpper(target), i)
		response, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if want := fmt.Sprintf("POST %s /p?q=%%zz;%d body", target, i); err != nil || string(body) != want || response.Header.Get("Proxy-Authenticate") != "" {
			t.Errorf("%q instead of %q, %v, %v", body, want, response.Header, err)
		}
		if c := w.record(); !c.Allowed || c.Protocol != "http" || c.Host != "a.example.com" || c.Cause != "" || c.Address != server.Listener.Addr().String() || c.Sent < 100 || c.Received < 100 {
			t.Errorf("%+v", c)
		}
	}
	w.none()
}

// TestPlainStreams: neither a request nor an answer waits for its end.
func TestPlainStreams(t *testing.T) {
	server := page(t, func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		if err := control.EnableFullDuplex(); err != nil {
			t.Error(err)
		}
		for line := bufio.NewScanner(r.Body); line.Scan(); {
			fmt.Fprintf(w, "%s!", line.Text())
			_ = control.Flush()
		}
	})
	w := start(t, Options{Policy: local(t)})
	body, feed := io.Pipe()
	request, err := http.NewRequest(http.MethodPost, "http://"+at("a.example.com", server.Listener.Addr())+"/", body)
	if err != nil {
		t.Fatal(err)
	}
	first := make(chan struct{})
	go func() {
		_, _ = io.WriteString(feed, "one\n")
		<-first
		_, _ = io.WriteString(feed, "two\n")
		_ = feed.Close()
	}()
	response, err := w.browser("http").Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	said := make([]byte, 4)
	if _, err := io.ReadFull(response.Body, said); err != nil || string(said) != "one!" {
		t.Fatalf("%q, %v", said, err)
	}
	close(first)
	if rest, err := io.ReadAll(response.Body); err != nil || string(rest) != "two!" {
		t.Fatalf("%q, %v", rest, err)
	}
}

// TestPlainRefusals: what is no plain HTTP, or not allowed, is refused with a line
// that no host name breaks out of.
func TestPlainRefusals(t *testing.T) {
	w := start(t, Options{Policy: local(t), Advice: strings.Repeat("Ask a person to allow %s. ", 20)})
	for target, cause := range map[string]string{
		"http://evil.example/":         "not on the network list",
		"http://169.254.169.254/":      "not on the network list",
		"https://a.example.com/":       "plain http only",
		"ftp://a.example.com/":         "plain http only",
		"http://a.example.com:443/":    "port 443",
		"http://a.example.com:99999/":  "port",
		"http://[::1%25lo]:80/":        "percent",
		"http://a.example.com:80:80/x": "",
		"http:///path":                 "empty",
		"http://" + strings.Repeat("long-name.", 24) + "example.org/": "not on the network list",
	} {
		conn := w.dial()
		fmt.Fprintf(conn, "PUT %s HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n%s", target, strings.Repeat("x", 5000))
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Errorf("%s: %v", target, err)
			continue
		}
		body, _ := io.ReadAll(response.Body)
		_ = conn.Close()
		_ = response.Body.Close()
		if cause == "" {
			if response.StatusCode != http.StatusBadRequest {
				t.Errorf("%s: %s", target, response.Status)
			}
			continue
		}
		if response.StatusCode != http.StatusForbidden || !strings.Contains(string(body), cause) || !strings.Contains(string(body), "Ask a person") || len(response.Status) > 4+maxReason {
			t.Errorf("%s: %q %s", target, response.Status, body)
		}
		if c := w.record(); c.Allowed || !strings.Contains(c.Cause, cause) {
			t.Errorf("%s: %+v", target, c)
		}
	}
	w.none()
}

// TestPlainBreaks: an answer that breaks off is broken for the client, too, and
// what came of it is on record; as is what an impatient client sent.
func TestPlainBreaks(t *testing.T) {
	addr := peer(t, func(c *net.TCPConn) {
		_, _ = http.ReadRequest(bufio.NewReader(c))
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
	})
	w := start(t, Options{Policy: local(t)})
	_, body, err := get(w.browser("http"), "http://"+at("a.example.com", addr)+"/")
	if err == nil || body != "half" {
		t.Errorf("%q, %v", body, err)
	}
	if c := w.record(); !c.Allowed || c.Received != 44 || c.Sent < 30 || c.Cause != "unexpected EOF" {
		t.Errorf("%+v", c)
	}

	reading, left := make(chan struct{}), make(chan int64, 1)
	addr = peer(t, func(c *net.TCPConn) {
		n, _ := io.ReadFull(c, make([]byte, 100))
		close(reading)
		rest, _ := io.Copy(io.Discard, c)
		left <- int64(n) + rest
	})
	conn := w.dial()
	fmt.Fprintf(conn, "PUT http://%s/ HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n%s", at("a.example.com", addr), strings.Repeat("x", 5000))
	<-reading
	_ = conn.Close()
	if c, n := w.record(), <-left; c.Sent != n || n < 5000 || c.Cause == "" {
		t.Errorf("the host got %d bytes, and the record says %+v", n, c)
	}
}

// TestPlainClientLeavesAtTheEnd: a client that hangs up as soon as it has the whole
// answer has broken nothing off. The end of the request is then seen before or after
// that of the connection.
func TestPlainClientLeavesAtTheEnd(t *testing.T) {
	server := page(t, func(http.ResponseWriter, *http.Request) {})
	w := start(t, Options{Policy: local(t)})
	for range 300 {
		conn := w.dial()
		fmt.Fprintf(conn, "GET http://%s/ HTTP/1.1\r\nHost: x\r\n\r\n", at("a.example.com", server.Listener.Addr()))
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = response.Body.Close(), conn.Close()
		if c := w.record(); c.Cause != "" || !c.Allowed {
			t.Fatalf("%+v", c)
		}
	}
	w.none()
}

// TestOrigin: requests for the proxy itself are answered by the origin, on the
// same connection, as they come, and are nobody's connection.
func TestOrigin(t *testing.T) {
	server := page(t, hello)
	more := make(chan struct{})
	origin := func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "first ")
		_ = http.NewResponseController(w).Flush()
		<-more
		fmt.Fprint(w, r.URL.Path)
	}
	w := start(t, Options{Policy: local(t), Origin: http.HandlerFunc(origin)})
	conn := w.dial()
	r := bufio.NewReader(conn)
	for range 2 {
		fmt.Fprint(conn, "GET //evil.example/v1 HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n")
		response, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(response.Body, make([]byte, 6)); err != nil {
			t.Fatal(err)
		}
		more <- struct{}{}
		if rest, err := io.ReadAll(response.Body); err != nil || string(rest) != "//evil.example/v1" {
			t.Errorf("%q, %v", rest, err)
		}
		_ = response.Body.Close()
		fmt.Fprintf(conn, "GET http://%s/page HTTP/1.1\r\nHost: x\r\n\r\n", at("a.example.com", server.Listener.Addr()))
		second, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Fatal(err)
		}
		if body, err := io.ReadAll(second.Body); err != nil || !strings.HasSuffix(string(body), " /page") {
			t.Errorf("%q, %v", body, err)
		}
		_ = second.Body.Close()
		w.record()
	}
	w.none()

	w = start(t, Options{})
	conn = w.dial()
	fmt.Fprint(conn, "GET /v1 HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n")
	if line, err := bufio.NewReader(conn).ReadString('\n'); line != "HTTP/1.1 404 Not Found\r\n" {
		t.Errorf("without an origin: %q, %v", line, err)
	}
	w.none()
}

// TestIdle: what moves no bytes is cut, whichever protocol it speaks.
func TestIdle(t *testing.T) {
	addr := peer(t, func(c *net.TCPConn) { _, _ = io.Copy(io.Discard, c) })
	w := start(t, Options{Policy: local(t), Idle: 50 * time.Millisecond})
	conn, r, _ := w.connect(at("a.example.com", addr))
	_, _ = io.WriteString(conn, "12345")
	if _, err := io.Copy(io.Discard, r); err != nil {
		t.Error(err)
	}
	if c := w.record(); c.Cause != "no bytes were moved for 50ms" || c.Sent != 5 || c.End.Sub(c.Start) < 50*time.Millisecond {
		t.Errorf("%+v", c)
	}
	plain := w.dial()
	fmt.Fprintf(plain, "GET http://%s/ HTTP/1.1\r\nHost: x\r\n\r\n", at("a.example.com", addr))
	_, _ = io.Copy(io.Discard, plain)
	if c := w.record(); c.Cause != "no bytes were moved for 50ms" || c.Sent < 30 {
		t.Errorf("%+v", c)
	}
}
