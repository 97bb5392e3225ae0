package egress

import (
	"bufio"
	"io"
	"net"
	"testing"
	"time"
)

// BenchmarkThroughput moves bytes from a host to a client directly and through the
// proxy by turns, so that a busy machine slows both: ratio is the proxy's speed as
// a part of the direct one.
func BenchmarkThroughput(b *testing.B) {
	const chunk = 16 << 20
	source := peer(b, func(c *net.TCPConn) {
		for buffer := make([]byte, 1<<20); ; {
			if _, err := c.Write(buffer); err != nil {
				return
			}
		}
	})
	w := start(b, Options{Policy: local(b)})
	direct, err := net.Dial("tcp", source.String())
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = direct.Close() }()
	proxied, r, _ := w.connect(at("a.example.com", source))
	defer func() { _ = proxied.Close() }()
	if _, err := r.Discard(r.Buffered()); err != nil {
		b.Fatal(err)
	}
	buffer := make([]byte, 256<<10)
	drain := func(r io.Reader) time.Duration {
		began := time.Now()
		for left := chunk; left > 0; {
			n, err := r.Read(buffer)
			if err != nil {
				b.Fatal(err)
			}
			left -= n
		}
		return time.Since(began)
	}
	var straight, through time.Duration
	for b.Loop() {
		straight += drain(direct)
		through += drain(proxied)
	}
	b.ReportMetric(straight.Seconds()/through.Seconds(), "ratio")
	b.ReportMetric(float64(b.N)*chunk/1e6/straight.Seconds(), "direct-MB/s")
	b.ReportMetric(float64(b.N)*chunk/1e6/through.Seconds(), "proxy-MB/s")
}

// BenchmarkFirstByte opens a connection and waits for one byte, directly and
// through the proxy by turns: ratio is how many times as long the proxy takes.
func BenchmarkFirstByte(b *testing.B) {
	greeter := peer(b, func(c *net.TCPConn) { _, _ = c.Write([]byte{1}) })
	w := start(b, Options{Policy: local(b)})
	target := at("a.example.com", greeter)
	var straight, through time.Duration
	for b.Loop() {
		began := time.Now()
		conn, err := net.Dial("tcp", greeter.String())
		if err != nil {
			b.Fatal(err)
		}
		first(b, bufio.NewReader(conn))
		straight += time.Since(began)
		_ = conn.Close()

		began = time.Now()
		proxied, r, _ := w.connect(target)
		first(b, r)
		through += time.Since(began)
		_ = proxied.Close()
		w.record()
	}
	b.ReportMetric(through.Seconds()/straight.Seconds(), "ratio")
}

func first(b *testing.B, r *bufio.Reader) {
	if _, err := r.ReadByte(); err != nil {
		b.Fatal(err)
	}
}
