package network

import (
	"net"
	"sync"
)

// Bound is a listener that has no more than n connections open at once. One
// beyond that is closed: its sender tries again.
func Bound(l net.Listener, n int) net.Listener {
	return &bounded{Listener: l, slots: make(chan struct{}, n)}
}

type bounded struct {
	net.Listener
	slots chan struct{}
}

// Accept implements net.Listener.
func (b *bounded) Accept() (net.Conn, error) {
	for {
		conn, err := b.Listener.Accept()
		if err != nil {
			return nil, err
		}
		select {
		case b.slots <- struct{}{}:
			return Leaving(conn, func() { <-b.slots }), nil
		default:
			_ = conn.Close() // nothing was said yet
		}
	}
}

// Leaving is a connection that calls leave once, when it is closed.
func Leaving(c net.Conn, leave func()) net.Conn { return &leaving{Conn: c, leave: leave} }

type leaving struct {
	net.Conn
	once  sync.Once
	leave func()
}

// Close implements net.Conn.
func (c *leaving) Close() error {
	c.once.Do(c.leave)
	return c.Conn.Close()
}
