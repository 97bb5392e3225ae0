package app

import (
	"net"
	"sync"

	"github.com/stellwerk-dev/stellwerk/internal/network"
)

// toolConnections is how many connections of attempts are served at once. Each
// costs a descriptor and memory of the engine, which agents must not use up.
const toolConnections = 256

// queue takes connections one after another once there are as many as it has
// slots: who calls waits until somebody has hung up.
type queue struct {
	net.Listener
	slots  chan struct{}
	closed chan struct{}
	once   sync.Once
}

func newQueue(l net.Listener, slots int) *queue {
	return &queue{Listener: l, slots: make(chan struct{}, slots), closed: make(chan struct{})}
}

// Accept implements net.Listener.
func (q *queue) Accept() (net.Conn, error) {
	select {
	case q.slots <- struct{}{}:
	case <-q.closed:
		return nil, net.ErrClosed
	}
	conn, err := q.Listener.Accept()
	if err != nil {
		<-q.slots
		return nil, err
	}
	return network.Leaving(conn, func() { <-q.slots }), nil
}

// Close implements net.Listener.
func (q *queue) Close() error {
	q.once.Do(func() { close(q.closed) })
	return q.Listener.Close()
}
