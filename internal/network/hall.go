package network

import (
	"container/list"
	"net"
	"sync"
)

// maxConnections bounds how many are open at once: every open page has one or
// two.
const maxConnections = 1024

// hall is a listener that has no more than most connections open at once. Where
// it is full, the oldest over which nobody was let in makes room, and after those
// the one that has been silent longest: strangers cannot keep out who may come
// in, and neither can who keeps connections that nothing is asked over.
type hall struct {
	net.Listener
	most int

	mu        sync.Mutex
	guests    map[string]*guest // by the other end's address
	strangers *list.List        // of guests over whose connections nobody was let in, the oldest first
	silent    *list.List        // of guests who were let in and are not being served, who was served longest ago first
}

// guest is an open connection.
type guest struct {
	conn   net.Conn
	served int           // requests at this moment by who was let in
	queue  *list.List    // of those who make room that it is in; nil while somebody is served
	place  *list.Element // in it
}

func newHall(l net.Listener, most int) *hall {
	return &hall{Listener: l, most: most, guests: map[string]*guest{}, strangers: list.New(), silent: list.New()}
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
	h.guests[conn.RemoteAddr().String()] = g
	g.wait(h.strangers)
	h.mu.Unlock()
	if out != nil {
		_ = out.conn.Close() // nobody is served over it
	}
	return g, true
}

// makesRoom is who has to go first; nil where everybody is being served.
func (h *hall) makesRoom() *guest {
	for _, queue := range []*list.List{h.strangers, h.silent} {
		if first := queue.Front(); first != nil {
			return first.Value.(*guest)
		}
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
	if from := g.conn.RemoteAddr().String(); h.guests[from] == g {
		delete(h.guests, from)
	}
}

// serve notes that somebody was let in over the connection from an address, and
// is served until the returned function is called.
func (h *hall) serve(from string) (done func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	g := h.guests[from]
	if g == nil {
		return func() {}
	}
	g.step()
	g.served++
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if g.served--; g.served == 0 && h.guests[from] == g {
			g.wait(h.silent)
		}
	}
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
