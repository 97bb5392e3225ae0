package lossyfs

import "maps"

// names are what a folder has: as programs see it, as a crash would certainly leave it, and the changes in between.
type names struct {
	now, synced map[string]*node
	pending     []*naming
}

// naming is a change of a folder that a crash leaves whole or not at all.
type naming struct {
	edits   []edit
	after   *naming // in another folder: this change does not survive without it
	durable bool
}

// edit gives a name to a node, or takes it from one.
type edit struct {
	name     string
	to, from *node
}

func (e edit) in(folder map[string]*node) {
	switch {
	case e.to != nil:
		folder[e.name] = e.to
	case folder[e.name] == e.from:
		delete(folder, e.name)
	}
}

func (s *names) change(n *naming) {
	for _, e := range n.edits {
		e.in(s.now)
	}
	s.pending = append(s.pending, n)
}

// sync makes the changes durable, but for the disappearance of what has its new name in a folder that was not synced.
func (s *names) sync() {
	var left []*naming
	for _, n := range s.pending {
		if !s.keep(n) {
			left = append(left, n)
		}
	}
	s.pending = left
}

func (s *names) keep(n *naming) bool {
	if n.after != nil && !n.after.durable {
		return false
	}
	for _, e := range n.edits {
		e.in(s.synced)
	}
	n.durable = true
	return true
}

// settle makes what a crash left the present.
func (s *names) settle() {
	s.pending = nil
	s.now = maps.Clone(s.synced)
}
