package browser

import (
	"io"
	"net"
	"sync"
	"testing"
)

// wire is a way to the engine that can be cut.
type wire struct {
	t    *testing.T
	to   string // the engine's address
	here string // the wire's own

	mu       sync.Mutex
	listener net.Listener
	ends     []net.Conn
}

func newWire(t *testing.T, to string) *wire {
	t.Helper()
	w := &wire{t: t, to: to, here: "127.0.0.1:0"}
	w.join()
	t.Cleanup(w.cut)
	return w
}

// join lets connections through again, at the address of before.
func (w *wire) join() {
	w.t.Helper()
	l, err := net.Listen("tcp", w.here)
	if err != nil {
		w.t.Fatal(err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.listener, w.here = l, l.Addr().String()
	go w.serve(l)
}

// cut ends all connections and lets no other begin.
func (w *wire) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	_ = w.listener.Close() // a second time does nothing
	for _, end := range w.ends {
		_ = end.Close()
	}
	w.ends = nil
}

func (w *wire) serve(l net.Listener) {
	for {
		near, err := l.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("tcp", w.to)
		if err != nil {
			_ = near.Close()
			continue
		}
		w.mu.Lock()
		w.ends = append(w.ends, near, far)
		w.mu.Unlock()
		for _, ends := range [][2]net.Conn{{near, far}, {far, near}} {
			go func() {
				_, _ = io.Copy(ends[0], ends[1]) // it ends when either end does
				_ = ends[0].Close()
			}()
		}
	}
}
