package resource

import (
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"
)

// entrance is an operating system thread in a group of version 1, in which a process begins in the groups of the thread that
// forks it. The kernel takes ten milliseconds and more to move a thread, so the caller waits for neither move: the one into the
// group begins when the group is made, the one out of it when the process runs.
type entrance struct {
	starts  chan func() error
	started chan error
	left    chan struct{}
}

// enter begins to move a thread into the group.
func (g *cgroup) enter() *entrance {
	e := &entrance{starts: make(chan func() error), started: make(chan error), left: make(chan struct{})}
	go func() {
		defer close(e.left)
		runtime.LockOSThread() // never unlocked: the kernel signals the process when the thread that forked it ends
		inside, err := g.moveIn()
		for start := range e.starts {
			if inside == 0 {
				inside, err = g.moveIn()
			}
			if err == nil {
				err = start()
			}
			e.started <- err
			g.moveOut(inside) // so that nothing of this process stays inside, while the caller goes on
			inside = 0
		}
		g.moveOut(inside)
	}()
	return e
}

// start calls start on the thread.
func (e *entrance) start(start func() error) error {
	e.starts <- start
	return <-e.started
}

// close ends the thread. The processes that it started must have ended.
func (e *entrance) close() {
	close(e.starts)
	<-e.left
}

// moveIn moves this thread into the group, and tells in how many hierarchies it is.
func (g *cgroup) moveIn() (moved int, err error) {
	tid := fmt.Sprint(unix.Gettid())
	for i := range g.hierarchies {
		if err := writeFile(g.dir(i), "tasks", tid); err != nil {
			return i, fmt.Errorf("enter a control group: %w", err)
		}
	}
	return len(g.hierarchies), nil
}

// moveOut moves this thread back. If that fails, the thread leaves the group when it ends.
func (g *cgroup) moveOut(moved int) {
	tid := fmt.Sprint(unix.Gettid())
	for _, h := range g.hierarchies[:moved] {
		_ = writeFile(h.own, "tasks", tid)
	}
}
