package crash

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// sparer lets an engine die at the first durable step whose name is not spared.
// One engine after the other, each with one name more to spare, a single run is
// died at in all of its steps.
type sparer struct {
	spared map[string]bool
	each   bool // both before and after a step, and at every step of a name
	after  bool
	only   string       // in the name of the steps to die at; empty for all
	come   atomic.Int64 // how far the run has come
	mu     sync.Mutex
	idle   sync.Cond // when no commit is under way
	under  int       // commits that are under way
	out    *voice
}

func newSparer(o order, out *voice) *sparer {
	s := &sparer{spared: map[string]bool{}, each: o.Each, after: o.After, only: o.Only, out: out}
	for _, name := range o.Spared {
		s.spared[name] = true
	}
	s.idle.L = &s.mu
	s.come.Store(o.Come)
	return s
}

func (s *sparer) step(name string, do func() error) error {
	if s.each {
		name = fmt.Sprintf("%s @%d", name, s.come.Load())
	}
	if s.each || !s.after {
		s.mu.Lock()
		s.die("before " + name)
		s.mu.Unlock()
	}
	committing := strings.HasPrefix(name, "commit ")
	if committing {
		s.mu.Lock()
		s.under++
		s.mu.Unlock()
	}
	err := do()
	s.mu.Lock()
	defer s.mu.Unlock()
	if committing {
		s.under--
		s.idle.Broadcast()
	}
	if s.each || s.after {
		s.die("after " + name)
	}
	return err
}

// die falls unless the step is spared. Who wants to die after a step lets a commit that is under way die first: it is made
// once, and another engine could not die at it.
func (s *sparer) die(name string) {
	if s.spared[name] || !strings.Contains(name, s.only) {
		return
	}
	for !s.each && s.after && s.under > 0 {
		s.idle.Wait()
	}
	s.out.say(sayFell, name)
	fall()
}

// come is how far the newest run has come, as far as anybody was told.
func (w *world) come() int64 {
	var most int64
	for _, seen := range w.acks {
		for seq := range seen {
			most = max(most, seq)
		}
	}
	return most
}

// spare are the names that the next engine spares because this one died there:
// that of the step alone, or those on both of its sides.
func (l *life) spare(every bool) []string {
	if every {
		return []string{l.fell}
	}
	_, name, _ := strings.Cut(l.fell, " ")
	return []string{"before " + name, "after " + name}
}

// diedAt: engines died at commits of all these kinds.
func (w *world) diedAt(kinds []core.Type, names []string) {
	w.t.Helper()
	for _, kind := range kinds {
		if !slices.ContainsFunc(names, func(name string) bool {
			return strings.Contains(name, " commit ") && strings.Contains(name, string(kind))
		}) {
			w.t.Errorf("no engine died at a commit with %s; they died at:\n%s", kind, strings.Join(names, "\n"))
		}
	}
}
