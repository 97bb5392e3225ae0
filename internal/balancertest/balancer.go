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

// Balancer leads whoever comes to an engine that answers.
type Balancer struct {
	net.Listener
	work sync.WaitGroup

	mu    sync.Mutex
	to    map[string]dial       // by host
	conns map[string][]net.Conn // by host
}

type dial func() (net.Conn, error)

// New opens a balancer that leads nowhere yet.
func New(t *testing.T) *Balancer {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b := &Balancer{Listener: l, to: map[string]dial{}, conns: map[string][]net.Conn{}}
	b.work.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			b.work.Go(func() { b.carry(conn) })
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

// With also leads to where the engine of a state folder hears workers.
func (b *Balancer) With(host, state string) {
	b.lead(host, func() (net.Conn, error) {
		socket, err := statefolder.Folder{Dir: state}.WorkersSocket()
		if err != nil {
			return nil, err
		}
		return (&net.Dialer{}).DialContext(context.Background(), "unix", socket)
	})
}

// WithAddress also leads to an address at which an engine hears everybody.
func (b *Balancer) WithAddress(host, address string) {
	b.lead(host, func() (net.Conn, error) { return (&net.Dialer{}).DialContext(context.Background(), "tcp", address) })
}

func (b *Balancer) lead(host string, to dial) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.to[host] = to
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

func (b *Balancer) carry(conn net.Conn) {
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
	for host, to := range b.to {
		far, err := to()
		if err != nil {
			continue
		}
		b.conns[host] = append(b.conns[host], conn, far)
		return far
	}
	return nil
}
