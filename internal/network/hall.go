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
// it is full, the oldest of those over which nobody was let in makes room:
// strangers cannot keep out who may come in.
type hall struct {
	net.Listener
	most int

	mu        sync.Mutex
	guests    map[string]*guest // by the other end's address
	strangers *list.List        // of guests, the oldest first
}

// guest is an open connection.
type guest struct {
	conn  net.Conn
	place *list.Element // among the strangers; nil once somebody was let in
}

func newHall(l net.Listener, most int) *hall {
	return &hall{Listener: l, most: most, guests: map[string]*guest{}, strangers: list.New()}
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
		oldest := h.strangers.Front()
		if oldest == nil {
			h.mu.Unlock()
			return nil, false
		}
		out = oldest.Value.(*guest)
		h.forget(out)
	}
	g := &guest{}
	g.conn = Leaving(conn, func() { h.leave(g) })
	g.place = h.strangers.PushBack(g)
	h.guests[conn.RemoteAddr().String()] = g
	h.mu.Unlock()
	if out != nil {
		_ = out.conn.Close() // whoever it was said nothing that counts
	}
	return g, true
}

func (h *hall) leave(g *guest) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.forget(g)
}

// forget takes a connection off the books, once. The lock is held.
func (h *hall) forget(g *guest) {
	if g.place != nil {
		h.strangers.Remove(g.place)
		g.place = nil
	}
	if from := g.conn.RemoteAddr().String(); h.guests[from] == g {
		delete(h.guests, from)
	}
}

// admit notes that somebody was let in over the connection from an address.
func (h *hall) admit(from string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if g := h.guests[from]; g != nil && g.place != nil {
		h.strangers.Remove(g.place)
		g.place = nil
	}
}
