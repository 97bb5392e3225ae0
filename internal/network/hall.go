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

// hall is a listener that has no more than most connections open at once. Where
// it is full, somebody makes room who is not being served: of the strangers and of
// each person who was let in, whoever has most such connections loses the one that
// has been silent longest. So nobody's connections keep out others, neither while
// nothing was said over them yet nor after that.
type hall struct {
	net.Listener
	most int

	mu        sync.Mutex
	guests    map[ends]*guest
	strangers *list.List            // of guests over whose connections nobody was let in, the oldest first
	silent    map[string]*list.List // by token, of guests who were let in and are not being served, who was served longest ago first
}

// ends are the addresses of a connection. The other end's alone may have several,
// to different addresses of this machine.
type ends struct{ remote, local string }

func endsOf(c net.Conn) ends { return ends{c.RemoteAddr().String(), c.LocalAddr().String()} }

// guest is an open connection.
type guest struct {
	conn   net.Conn
	served int           // requests at this moment by who was let in
	queue  *list.List    // of those who make room that it is in; nil while somebody is served
	place  *list.Element // in it
}

func newHall(l net.Listener, most int) *hall {
	return &hall{Listener: l, most: most, guests: map[ends]*guest{}, strangers: list.New(), silent: map[string]*list.List{}}
}

// Accept implements net.Listener.
func (h *hall) Accept() (net.Conn, error) {
	for {
		conn, err := h.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if g, ok := h.enter(conn); ok {
			return g.conn, nil
		}
		_ = conn.Close() // nothing was said yet
	}
}

// enter takes a connection in, where there is room for it or can be made.
func (h *hall) enter(conn net.Conn) (*guest, bool) {
	h.mu.Lock()
	var out *guest
	if len(h.guests) >= h.most {
		if out = h.makesRoom(); out == nil {
			h.mu.Unlock()
			return nil, false
		}
		h.forget(out)
	}
	g := &guest{}
	g.conn = Leaving(conn, func() { h.leave(g) })
	h.guests[endsOf(conn)] = g
	g.wait(h.strangers)
	h.mu.Unlock()
	if out != nil {
		_ = out.conn.Close() // nobody is served over it
	}
	return g, true
}

// makesRoom is who has to go first; nil where everybody is being served.
func (h *hall) makesRoom() *guest {
	longest := h.strangers
	for token, queue := range h.silent {
		if queue.Len() == 0 {
			delete(h.silent, token)
		}
		if queue.Len() > longest.Len() {
			longest = queue
		}
	}
	if first := longest.Front(); first != nil {
		return first.Value.(*guest)
	}
	return nil
}

func (h *hall) leave(g *guest) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.forget(g)
}

// forget takes a connection off the books, once. The lock is held.
func (h *hall) forget(g *guest) {
	g.step()
	if at := endsOf(g.conn); h.guests[at] == g {
		delete(h.guests, at)
	}
}

// serve notes that a person, named by their token, was let in over the connection
// that a request came by, and is served until the returned function is called.
func (h *hall) serve(r *http.Request, token string) (done func()) {
	at := ends{remote: r.RemoteAddr}
	if local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		at.local = local.String()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	g := h.guests[at]
	if g == nil {
		return func() {}
	}
	g.step()
	g.served++
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if g.served--; g.served == 0 && h.guests[at] == g {
			g.wait(h.silentOf(token))
		}
	}
}

// silentOf is the queue of a person. The lock is held.
func (h *hall) silentOf(token string) *list.List {
	queue := h.silent[token]
	if queue == nil {
		queue = list.New()
		h.silent[token] = queue
	}
	return queue
}

// wait puts the connection at the end of a queue. The hall's lock is held.
func (g *guest) wait(queue *list.List) { g.queue, g.place = queue, queue.PushBack(g) }

// step takes it out of the queue that it is in. The hall's lock is held.
func (g *guest) step() {
	if g.queue != nil {
		g.queue.Remove(g.place)
		g.queue, g.place = nil, nil
	}
}
