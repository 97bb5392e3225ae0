package egress

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// TestMaxConns: of 300 connections as many are served as may be open; the others
// are told so at once, and a place that is given up is taken again.
func TestMaxConns(t *testing.T) {
	const all, most = 300, 256
	addr := peer(t, echo)
	w := start(t, Options{Policy: local(t)})
	var served []net.Conn
	turned := 0
	for range all {
		conn := w.dial()
		fmt.Fprintf(conn, "CONNECT %s HTTP/1.1\r\nHost: x\r\n\r\n", at("a.example.com", addr)) // it may be closed already
		switch line, err := bufio.NewReader(conn).ReadString('\n'); {
		case strings.HasPrefix(line, "HTTP/1.1 200 "):
			served = append(served, conn)
		case strings.HasPrefix(line, "HTTP/1.1 503 ") && strings.Contains(line, "256 connections"):
			turned++
		default:
			t.Fatalf("%q, %v", line, err)
		}
	}
	if len(served) != most || turned != all-most {
		t.Errorf("%d are served, %d turned away", len(served), turned)
	}
	for range turned {
		if c := w.record(); c.Allowed || c.Protocol != "" || !strings.Contains(c.Cause, "256 connections") {
			t.Errorf("%+v", c)
		}
	}
	for _, conn := range served {
		_ = conn.SetReadDeadline(waittest.Deadline())
		fmt.Fprint(conn, "x")
		if _, err := io.ReadFull(conn, make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		_ = conn.Close()
	}
	for range served {
		if c := w.record(); !c.Allowed || c.Sent != 1 || c.Received != 1 {
			t.Errorf("%+v", c)
		}
	}
	free := func() bool {
		conn := w.dial()
		defer func() { _ = conn.Close() }()
		fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		line, _ := bufio.NewReader(conn).ReadString('\n')
		return strings.HasPrefix(line, "HTTP/1.1 404 ")
	}
	if !waittest.Until(free) {
		t.Error("no place becomes free")
	}
}

// TestHeaderLimit: a header without end is cut.
func TestHeaderLimit(t *testing.T) {
	w := start(t, Options{Policy: local(t)})
	conn := w.dial()
	sent := make(chan int, 1)
	go func() {
		fmt.Fprint(conn, "CONNECT a.example.com:443 HTTP/1.1\r\n")
		n := 0
		for range 10_000 {
			if _, err := fmt.Fprintf(conn, "X-Header: %s\r\n", strings.Repeat("x", 1000)); err != nil {
				break
			}
			n++
		}
		sent <- n
	}()
	if line, err := bufio.NewReader(conn).ReadString('\n'); !strings.HasPrefix(line, "HTTP/1.1 431 ") {
		t.Errorf("%q, %v", line, err)
	}
	_ = conn.Close()
	if n := <-sent; n > 2000 {
		t.Errorf("%d lines were taken", n)
	}
	w.none()
}

// TestSlowHeaders: whoever does not come to the end of a header keeps no place.
func TestSlowHeaders(t *testing.T) {
	for name, said := range map[string]string{
		"nothing": "", "a part of a header": "GET http://a.example.com/ HTTP/1.1\r\nX: ", "a part of a handshake": "\x05\x01", "a part of a request": "\x05\x01\x00\x05\x01",
		"a part of the next header": "GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nX: ",
	} {
		t.Run(name, func(t *testing.T) {
			w := start(t, Options{Policy: local(t), MaxConns: 1, Header: 20 * time.Millisecond})
			conn := w.dial()
			fmt.Fprint(conn, said)
			if _, err := io.Copy(io.Discard, conn); err != nil {
				t.Fatal(err)
			}
		})
		t.Run("handed over, "+name, func(t *testing.T) {
			w := start(t, Options{Policy: local(t), MaxConns: 1, Header: 20 * time.Millisecond})
			near, far := w.handOver()
			_ = far.Close()
			fmt.Fprint(near, said)
			if _, err := io.Copy(io.Discard, near); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestBigTransfer: many bytes arrive as they were, in both directions at once, and
// are counted.
func TestBigTransfer(t *testing.T) {
	const size = 32 << 20
	addr := peer(t, echo)
	w := start(t, Options{Policy: local(t)})
	conn, r, _ := w.connect(at("a.example.com", addr))
	sent, came := sha256.New(), sha256.New()
	go func() {
		random := rand.NewChaCha8([32]byte{1})
		_, _ = io.CopyN(io.MultiWriter(conn, sent), random, size)
		_ = conn.CloseWrite()
	}()
	if n, err := io.Copy(came, r); err != nil || n != size {
		t.Errorf("%d bytes came back, %v", n, err)
	}
	if c := w.record(); c.Sent != size || c.Received != size || c.Cause != "" || !bytes.Equal(sent.Sum(nil), came.Sum(nil)) {
		t.Errorf("%+v", c)
	}
}
