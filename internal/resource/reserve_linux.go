package resource

import (
	"os"
	"slices"
	"sync"
)

// Reservation is a group that is made before anybody knows whom it will bound: the kernel takes ten milliseconds and more
// to let a thread into a group of version 1. No reservation, nil, is one that is of no use.
type Reservation struct {
	owner string

	mu    sync.Mutex
	group *cgroup // nil when it is used or closed
}

// Reserve makes a group without limits, which Confine bounds before anything is started in it. It returns nil if the machine
// has better means than control groups of version 1, which take no time, or none at all.
func Reserve(owner, name string) *Reservation {
	tree, err := readCgroups()
	if err != nil || !validName(owner) || !validName(name) {
		return nil
	}
	if _, err := hierarchyV2(tree); err == nil || tree.v2.mount != "" && managed(os.Getuid() != 0) {
		return nil
	}
	hierarchies, _ := hierarchiesV1(tree)
	if !slices.ContainsFunc(hierarchies, func(h hierarchy) bool { return slices.Contains(h.controllers, "pids") }) {
		return nil // something else must bound the processes
	}
	g := &cgroup{hierarchies: hierarchies, owner: owner, name: name}
	if g.establish(func() error { return nil }) != nil {
		return nil // Confine says why
	}
	g.entrance = g.enter()
	return &Reservation{owner: owner, group: g}
}

// use bounds the reserved group; nil if there is none, or none of that owner. Whoever uses it removes it.
func (r *Reservation) use(opts Options) bounds {
	if r == nil || r.owner != opts.Owner {
		return nil
	}
	g := r.take()
	if g == nil {
		return nil
	}
	if err := g.limit(opts); err != nil {
		g.remove()
		return nil // Confine makes another, and says why it cannot
	}
	return g
}

func (r *Reservation) take() *cgroup {
	r.mu.Lock()
	defer r.mu.Unlock()
	g := r.group
	r.group = nil
	return g
}

// Close removes a group that nobody used.
func (r *Reservation) Close() {
	if r == nil {
		return
	}
	if g := r.take(); g != nil {
		g.remove()
	}
}
