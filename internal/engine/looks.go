package engine

import (
	"maps"
	"sync"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// looks are the looks under way, one at a time at each stream, and those that have
// failed or left something undone: their hints stay pending for whoever owns the
// project next, and this engine looks again later.
type looks struct {
	mu    sync.Mutex
	under map[string]*underway
	later map[string]postponed
}

type underway struct {
	project     string
	seq, dueSeq int64 // of the hint as it was seen meanwhile
}

type postponed struct {
	hint  store.Hint
	until time.Time
}

func newLooks() *looks {
	return &looks{under: map[string]*underway{}, later: map[string]postponed{}}
}

// begin reports that a hint is to be answered now. A postponed look waits for its
// time unless there is something new to be seen.
func (l *looks) begin(h store.Hint) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if u := l.under[h.Stream]; u != nil {
		u.seq, u.dueSeq = max(u.seq, h.Seq), max(u.dueSeq, h.DueSeq)
		return false
	}
	if p, waits := l.later[h.Stream]; waits && p.hint == h && time.Now().Before(p.until) {
		return false
	}
	delete(l.later, h.Stream)
	l.under[h.Stream] = &underway{project: h.Project}
	return true
}

// end reports that the hint was seen before the look had ended, and asked for more than the
// look has answered, which is h: whether it is pending still is to be asked once more.
func (l *looks) end(h store.Hint) (again bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	u := l.under[h.Stream]
	delete(l.under, h.Stream)
	return u.seq > h.Seq || u.dueSeq > h.DueSeq
}

// postpone ends a look that is to be repeated.
func (l *looks) postpone(h store.Hint, wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.under, h.Stream)
	l.later[h.Stream] = postponed{h, time.Now().Add(wait)}
}

// keep forgets postponed looks at projects that are not the engine's any more.
func (l *looks) keep(owned []store.Owner) {
	mine := map[string]bool{}
	for _, p := range owned {
		mine[p.Project] = true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	maps.DeleteFunc(l.later, func(_ string, p postponed) bool { return !mine[p.hint.Project] })
}

// waiting is how many hints are not to be answered now: as many more are asked for.
func (l *looks) waiting() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.under) + len(l.later)
}

// busy reports a look at a stream of a project that is under way or postponed.
func (l *looks) busy(project string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, u := range l.under {
		if u.project == project {
			return true
		}
	}
	for _, p := range l.later {
		if p.hint.Project == project {
			return true
		}
	}
	return false
}
