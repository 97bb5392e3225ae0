package resource

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// hierarchy is a place where groups can be made, and the controllers that work in them.
type hierarchy struct {
	base        string // the group in which ours are made
	own         string // the group this process is in
	controllers []string
	version     int
}

// cgroup is a group of ours, which is a folder in each hierarchy. It lies in the folder that bounds all groups of one
// owner together.
type cgroup struct {
	hierarchies []hierarchy
	owner, name string
	// lock tells others that the group's maker lives and will remove it.
	lock *os.File
	// entrance is where processes are started in a group of version 1.
	entrance *entrance
}

const (
	makeTries  = 20
	removeTime = 2 * time.Second
	removeLook = 10 * time.Millisecond
)

// makeCgroup makes the group and removes groups whose maker died.
func makeCgroup(hierarchies []hierarchy, opts Options) (bounds, error) {
	g := &cgroup{hierarchies: hierarchies, owner: opts.Owner, name: opts.Name}
	if err := g.establish(func() error { return g.limit(opts) }); err != nil {
		return nil, err
	}
	if hierarchies[0].version == 1 {
		g.entrance = g.enter()
	}
	return g, nil
}

// establish makes the group and then bounds it. It starts over if another process removed the owner's folder with its last group.
func (g *cgroup) establish(bound func() error) error {
	g.sweep()
	for range makeTries {
		err := g.make()
		if err == nil {
			err = bound()
		}
		if err == nil {
			return nil
		}
		g.remove()
		if !errors.Is(err, unix.ENOENT) {
			return fmt.Errorf("make a control group: %w", err)
		}
	}
	return fmt.Errorf("make a control group in %s: another program keeps removing it", g.hierarchies[0].base)
}

// make makes the folders. Nothing bounds the group yet.
func (g *cgroup) make() error {
	for i, h := range g.hierarchies {
		outer, inner := filepath.Join(h.base, g.owner), g.dir(i)
		if err := os.Mkdir(outer, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
		if h.version == 2 {
			if err := enable(outer, h.controllers); err != nil {
				return err
			}
		}
		if err := os.Mkdir(inner, 0o755); err != nil {
			return err
		}
		if i == 0 {
			if err := g.take(inner); err != nil {
				return err
			}
		}
	}
	return nil
}

// limit bounds the group, and all groups of its owner together.
func (g *cgroup) limit(opts Options) error {
	for i, h := range g.hierarchies {
		// Processes in there may already have more than the new limit; then the old one stays.
		if err := h.limit(filepath.Dir(g.dir(i)), opts.Total, true); err != nil && !errors.Is(err, unix.EBUSY) {
			return err
		}
		if err := h.limit(g.dir(i), opts.Limits, false); err != nil {
			return err
		}
	}
	return nil
}

// take locks the folder and checks that it is still there: a sweep may have come before the lock.
func (g *cgroup) take(dir string) error {
	lock, err := os.Open(dir)
	if err != nil {
		return err
	}
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		return errors.Join(fmt.Errorf("lock %s: %w", dir, err), lock.Close())
	}
	if _, err := os.Stat(dir); err != nil {
		return errors.Join(err, lock.Close())
	}
	g.lock = lock
	return nil
}

// sweep removes groups of this owner whose maker died, unless they still have processes.
func (g *cgroup) sweep() {
	outer := filepath.Join(g.hierarchies[0].base, g.owner)
	entries, err := os.ReadDir(outer)
	if err != nil {
		return // there is none yet
	}
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		dir, err := os.Open(filepath.Join(outer, entry.Name()))
		if err != nil {
			continue // gone already
		}
		if unix.Flock(int(dir.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
			for i := range slices.Backward(g.hierarchies) {
				_ = os.Remove(filepath.Join(g.hierarchies[i].base, g.owner, entry.Name())) // busy: the next sweep
			}
		}
		_ = dir.Close() // only locked
	}
}

func (g *cgroup) dir(i int) string { return filepath.Join(g.hierarchies[i].base, g.owner, g.name) }

// with is the group's folder in which a controller works, "" if none does.
func (g *cgroup) with(controller string) string {
	for i, h := range g.hierarchies {
		if slices.Contains(h.controllers, controller) {
			return g.dir(i)
		}
	}
	return ""
}

// remove removes the group. Its processes must have ended; the kernel may take a moment to forget them.
func (g *cgroup) remove() {
	if g.entrance != nil {
		g.entrance.close()
		g.entrance = nil
	}
	deadline := time.Now().Add(removeTime)
	for i := range slices.Backward(g.hierarchies) {
		for errors.Is(os.Remove(g.dir(i)), unix.EBUSY) && time.Now().Before(deadline) {
			time.Sleep(removeLook)
		}
		_ = os.Remove(filepath.Dir(g.dir(i))) // stays while others are in it
	}
	if g.lock != nil {
		_ = g.lock.Close() // only locked
		g.lock = nil
	}
}
