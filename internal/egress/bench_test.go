package egress

import (
	"io"
	"net"
	"testing"
	"time"
)

const chunk = 1 << 20

// BenchmarkThroughput sends bytes from a host to a client, directly and through
// the proxy: MB/s of one against the other is the price.
func BenchmarkThroughput(b *testing.B) {
	source := peer(b, func(c *net.TCPConn) {
		buffer := make([]byte, chunk)
		for {
			if _, err := c.Write(buffer); err != nil {
				return
			}
		}
	})
	drain := func(b *testing.B, r io.Reader) {
		buffer := make([]byte, 256<<10)
		b.SetBytes(chunk)
		for b.Loop() {
			if _, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, io.LimitReader(r, chunk), buffer); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.Run("direct", func(b *testing.B) {
		conn, err := net.Dial("tcp", source.String())
		if err != nil {
			b.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		drain(b, struct{ io.Reader }{conn})
	})
	b.Run("proxy", func(b *testing.B) {
		w := start(b, Options{Policy: local(b)})
		conn, r, _ := w.connect(at("a.example.com", source))
		defer func() { _ = conn.Close() }()
		if r.Buffered() > 0 {
			_, _ = r.Discard(r.Buffered())
		}
		drain(b, struct{ io.Reader }{conn})
	})
}

// BenchmarkFirstByte opens a connection and waits for one byte.
func BenchmarkFirstByte(b *testing.B) {
	greeter := peer(b, func(c *net.TCPConn) { _, _ = c.Write([]byte{1}) })
	one := func(b *testing.B, conn io.Reader) {
		if _, err := io.ReadFull(conn, make([]byte, 1)); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("direct", func(b *testing.B) {
		for b.Loop() {
			conn, err := net.DialTimeout("tcp", greeter.String(), time.Minute)
			if err != nil {
				b.Fatal(err)
			}
			one(b, conn)
			_ = conn.Close()
		}
	})
	b.Run("proxy", func(b *testing.B) {
		w := start(b, Options{Policy: local(b)})
		for b.Loop() {
			conn, r, _ := w.connect(at("a.example.com", greeter))
			one(b, r)
			_ = conn.Close()
			w.record()
		}
	})
}
