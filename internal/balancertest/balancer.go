// Package balancertest is a balancer in front of engines that share a store, for tests. It must not look into what it carries.
package balancertest

import (
	"context"
	"io"
	"net"
	"sync"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/statefolder"
)

// Balancer leads each worker to an engine that answers.
type Balancer struct {
	net.Listener
	work sync.WaitGroup

	mu    sync.Mutex
	to    map[string]string     // state folders by host
	conns map[string][]net.Conn // by host
}

// New opens a balancer that leads nowhere yet.
func New(t *testing.T) *Balancer {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b := &Balancer{Listener: l, to: map[string]string{}, conns: map[string][]net.Conn{}}
	b.work.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			b.work.Go(func() { b.lead(conn) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close() // nobody is led any more
		for host := range b.to {
			b.Without(host)
		}
		b.work.Wait()
	})
	return b
}

// With also leads to the engine of a state folder.
func (b *Balancer) With(host, state string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.to[host] = state
}

// Without leads nobody to a host any more, and those elsewhere who were led there.
func (b *Balancer) Without(host string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.to, host)
	for _, conn := range b.conns[host] {
		_ = conn.Close() // it may be closed
	}
	delete(b.conns, host)
}

// URL is where the balancer answers.
func (b *Balancer) URL() string { return "http://" + b.Addr().String() }

func (b *Balancer) lead(conn net.Conn) {
	defer func() { _ = conn.Close() }() // whoever asked goes on elsewhere
	far := b.enter(conn)
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
func (b *Balancer) enter(conn net.Conn) net.Conn {
	b.mu.Lock()
	defer b.mu.Unlock()
	for host, state := range b.to {
		socket, err := statefolder.Folder{Dir: state}.WorkersSocket()
		if err != nil {
			continue
		}
		far, err := (&net.Dialer{}).DialContext(context.Background(), "unix", socket)
		if err != nil {
			continue
		}
		b.conns[host] = append(b.conns[host], conn, far)
		return far
	}
	return nil
}
