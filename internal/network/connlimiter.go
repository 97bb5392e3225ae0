package network

import (
	"container/list"
	"net"
	"net/http"
	"sync"
)

// maxConnections bounds how many are open at once: every open page has one or
// two.
const maxConnections = 1024

// connLimiter is a listener with at most max open connections. When it is full,
// it closes an idle one for each new one: among unauthenticated clients and each
// person who signed in, whoever has the most idle connections loses the one that
// has been idle longest. So nobody can lock others out, whether by opening
// connections and sending nothing or by keeping them open after a request.
type connLimiter struct {
	net.Listener
	max int

	mu              sync.Mutex
	conns           map[ends]*conn
	unauthenticated *list.List            // no request over them was let in; the oldest first
	idle            map[string]*list.List // by token, between requests; the one idle longest first
}

// ends are the two addresses of a connection. The remote one alone is not unique:
// a client can reach several addresses of this machine from one port.
type ends struct{ remote, local string }

func endsOf(c net.Conn) ends { return ends{c.RemoteAddr().String(), c.LocalAddr().String()} }

// conn is an open connection.
type conn struct {
	net    net.Conn
	served int           // authenticated requests under way
	queue  *list.List    // that it can be evicted from; nil while it serves a request
	place  *list.Element // in queue
}

func newConnLimiter(l net.Listener, limit int) *connLimiter {
	return &connLimiter{Listener: l, max: limit, conns: map[ends]*conn{}, unauthenticated: list.New(), idle: map[string]*list.List{}}
}

// Accept implements net.Listener.
func (l *connLimiter) Accept() (net.Conn, error) {
	for {
		accepted, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if c, ok := l.add(accepted); ok {
			return c.net, nil
		}
		_ = accepted.Close() // nothing was sent yet
	}
}

// add takes a connection in, evicting another if it must. It fails if every
// connection is serving a request.
func (l *connLimiter) add(accepted net.Conn) (*conn, bool) {
	l.mu.Lock()
	var evicted *conn
	if len(l.conns) >= l.max {
		if evicted = l.evictable(); evicted == nil {
			l.mu.Unlock()
			return nil, false
		}
		l.forget(evicted)
	}
	c := &conn{}
	c.net = Leaving(accepted, func() { l.remove(c) })
	l.conns[endsOf(accepted)] = c
	c.enqueue(l.unauthenticated)
	l.mu.Unlock()
	if evicted != nil {
		_ = evicted.net.Close() // it serves no request
	}
	return c, true
}

// evictable is the connection to close first; nil if all serve requests.
func (l *connLimiter) evictable() *conn {
	longest := l.unauthenticated
	for token, queue := range l.idle {
		if queue.Len() == 0 {
			delete(l.idle, token)
		}
		if queue.Len() > longest.Len() {
			longest = queue
		}
	}
	if first := longest.Front(); first != nil {
		return first.Value.(*conn)
	}
	return nil
}

func (l *connLimiter) remove(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forget(c)
}

// forget stops counting a connection; a second call does nothing. The lock is held.
func (l *connLimiter) forget(c *conn) {
	c.dequeue()
	if at := endsOf(c.net); l.conns[at] == c {
		delete(l.conns, at)
	}
}

// serve marks the connection of an authenticated request as busy until the
// returned function is called; then it is idle under that token.
func (l *connLimiter) serve(r *http.Request, token string) (done func()) {
	at := ends{remote: r.RemoteAddr}
	if local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		at.local = local.String()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.conns[at]
	if c == nil {
		return func() {}
	}
	c.dequeue()
	c.served++
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if c.served--; c.served == 0 && l.conns[at] == c {
			c.enqueue(l.idleOf(token))
		}
	}
}

// idleOf is the queue of a token's idle connections. The lock is held.
func (l *connLimiter) idleOf(token string) *list.List {
	queue := l.idle[token]
	if queue == nil {
		queue = list.New()
		l.idle[token] = queue
	}
	return queue
}

// enqueue puts the connection at the end of a queue. The limiter's lock is held.
func (c *conn) enqueue(queue *list.List) { c.queue, c.place = queue, queue.PushBack(c) }

// dequeue takes it out of its queue. The limiter's lock is held.
func (c *conn) dequeue() {
	if c.queue != nil {
		c.queue.Remove(c.place)
		c.queue, c.place = nil, nil
	}
}
