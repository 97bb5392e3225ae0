package browser

import (
	"bytes"
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
	streams  map[net.Conn]bool // of the browser's ends, those that what moves is told by
	silent   map[net.Conn]bool
}

func newWire(t *testing.T, to string) *wire {
	t.Helper()
	w := &wire{t: t, to: to, here: "127.0.0.1:0", streams: map[net.Conn]bool{}, silent: map[net.Conn]bool{}}
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

// hush keeps back whatever is said by the connections there are, without ending
// those that what moves is told by: a line that breaks in silence. New connections
// are let through.
func (w *wire) hush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := 0; i < len(w.ends); i += 2 {
		if near := w.ends[i]; w.streams[near] {
			w.silent[near] = true
		} else {
			_ = near.Close() // it may have ended by itself
		}
	}
}

// listeningEnd passes on what comes from the engine, and nothing once it is hushed.
type listeningEnd struct {
	net.Conn
	w *wire
}

func (l listeningEnd) Write(data []byte) (int, error) {
	l.w.mu.Lock()
	silent := l.w.silent[l.Conn]
	l.w.mu.Unlock()
	if silent {
		return len(data), nil
	}
	return l.Conn.Write(data)
}

// askingEnd notes what the browser asks for by a connection.
type askingEnd struct {
	net.Conn
	w *wire
}

func (a askingEnd) Read(data []byte) (int, error) {
	n, err := a.Conn.Read(data)
	a.w.mu.Lock()
	a.w.streams[a.Conn] = bytes.HasPrefix(data[:n], []byte("GET /live"))
	a.w.mu.Unlock()
	return n, err
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
		for _, ends := range [][2]net.Conn{{listeningEnd{near, w}, far}, {far, askingEnd{near, w}}} {
			go func() {
				_, _ = io.Copy(struct{ io.Writer }{ends[0]}, struct{ io.Reader }{ends[1]}) // it ends when either end does
				_ = ends[0].Close()
			}()
		}
	}
}
