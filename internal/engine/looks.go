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
	full  bool // a look waits, or may wait, until fewer are under way
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
	if len(l.under) == mostLooks {
		l.full = true
		return false
	}
	delete(l.later, h.Stream)
	l.under[h.Stream] = &underway{project: h.Project}
	return true
}

// end reports that hints are to be asked for once more: this one was seen before the look had ended, and asked for more than the
// look has answered, which is h; or others have waited for this one's end.
func (l *looks) end(h store.Hint) (again bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	u := l.under[h.Stream]
	freed := l.drop(h.Stream)
	return freed || u.seq > h.Seq || u.dueSeq > h.DueSeq
}

// postpone ends a look that is to be repeated, and reports whether others have waited for its end.
func (l *looks) postpone(h store.Hint, wait time.Duration) (freed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.later[h.Stream] = postponed{h, time.Now().Add(wait)}
	return l.drop(h.Stream)
}

// drop takes a look off, and reports that there is room again for many: each that was asked for by itself would cost a list of all.
func (l *looks) drop(stream string) (freed bool) {
	delete(l.under, stream)
	freed = l.full && len(l.under) <= mostLooks/2
	l.full = l.full && !freed
	return freed
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

// ask is how many hints to ask for: those that are not to be answered now come with them. 0 means that as many looks are under way as
// may be; the end of one will tell.
func (l *looks) ask() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	room := min(lookAtOnce, mostLooks-len(l.under))
	if room < lookAtOnce {
		l.full = true
	}
	if room == 0 {
		return 0
	}
	return room + len(l.under) + len(l.later)
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
