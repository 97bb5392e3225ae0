package crash

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/statefolder"
)

// front is a balancer before the engines of a team: it leads each worker to one that answers.
type front struct {
	net.Listener
	work sync.WaitGroup

	mu    sync.Mutex
	to    map[string]string     // state folders by host
	conns map[string][]net.Conn // by host
}

func newFront(t *testing.T) *front {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := &front{Listener: l, to: map[string]string{}, conns: map[string][]net.Conn{}}
	f.work.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			f.work.Go(func() { f.lead(conn) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close() // nobody is led any more
		for host := range f.to {
			f.without(host)
		}
		f.work.Wait()
	})
	return f
}

func (f *front) with(host, state string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.to[host] = state
}

// without leads nobody to a host any more, and those elsewhere who were led there.
func (f *front) without(host string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.to, host)
	for _, conn := range f.conns[host] {
		_ = conn.Close() // it may be closed
	}
	delete(f.conns, host)
}

func (f *front) lead(conn net.Conn) {
	defer func() { _ = conn.Close() }() // whoever asked goes on elsewhere
	far := f.enter(conn)
	if far == nil {
		return
	}
	back := make(chan struct{})
	go func() {
		defer close(back)
		_, _ = io.Copy(conn, far) // until either side closes
		_ = conn.Close()
	}()
	_, _ = io.Copy(far, conn)
	_ = far.Close()
	<-back
}

// enter connects to a host, in any order; nil if none answers.
func (f *front) enter(conn net.Conn) net.Conn {
	f.mu.Lock()
	defer f.mu.Unlock()
	for host, state := range f.to {
		port, err := os.ReadFile(filepath.Clean(statefolder.Folder{Dir: state}.WorkersPort()))
		if err != nil {
			continue
		}
		far, err := net.Dial("tcp", "127.0.0.1:"+strings.TrimSpace(string(port)))
		if err != nil {
			continue
		}
		f.conns[host] = append(f.conns[host], conn, far)
		return far
	}
	return nil
}
