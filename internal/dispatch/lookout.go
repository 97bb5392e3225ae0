package dispatch

import (
	"context"
	"sync"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

const (
	// lookGap is the least time between two looks at a pull request, and before the first: an
	// engine that runs only for a moment asks nothing.
	lookGap = 2 * time.Second
	// looksAtOnce bounds how many pull requests are looked at in the same moment.
	looksAtOnce = 4
)

// lookouts are the pull requests that are watched on forges, so that somebody
// can ask for a look before its time.
type lookouts struct {
	mu    sync.Mutex
	all   map[string]*lookout  // by run
	quiet map[string]time.Time // forges that want to be left alone, until when
	slots chan struct{}
	// heard reports that another engine left word about a run.
	heard func(ctx context.Context, run string) bool
}

// lookout is one that is watched.
type lookout struct {
	run    *core.Run
	now    chan struct{}
	word   chan struct{} // another engine may have left word
	paused bool
	looked time.Time
}

func newLookouts() *lookouts {
	return &lookouts{
		all: map[string]*lookout{}, quiet: map[string]time.Time{}, slots: make(chan struct{}, looksAtOnce),
		heard: func(context.Context, string) bool { return false },
	}
}

func (l *lookouts) post(run *core.Run) *lookout {
	l.mu.Lock()
	defer l.mu.Unlock()
	o := &lookout{run: run, now: make(chan struct{}, 1), word: make(chan struct{}, 1), paused: run.Pause != nil, looked: time.Now()}
	ask(o.word)
	l.all[run.ID] = o
	return o
}

func (l *lookouts) leave(o *lookout) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all[o.run.ID] == o {
		delete(l.all, o.run.ID)
	}
}

// learn asks for a look if a person has resumed the run: they may have fixed what kept it from
// being looked at. Another engine has a run handed out again after it left word.
func (l *lookouts) learn(run *core.Run) {
	l.mu.Lock()
	defer l.mu.Unlock()
	o := l.all[run.ID]
	if o == nil {
		return
	}
	if o.paused && run.Pause == nil {
		ask(o.now)
	}
	ask(o.word)
	o.paused = run.Pause != nil
}

// ask has somebody look, unless that is asked for already.
func ask(look chan<- struct{}) {
	select {
	case look <- struct{}{}:
	default:
	}
}

// Hint says that something may have happened to pull requests of a repository
// on a kind of forge: to those of the numbers, or to any. If another engine watches them, it is told.
func (d *Dispatcher) Hint(ctx context.Context, kind, repository string, numbers []int) error {
	w := word{kind, repository, numbers}
	here := d.posts.tell(w)
	if d.Elsewhere == nil {
		return nil
	}
	return d.Elsewhere.leave(ctx, w, here)
}

// tell asks for a look at the pull requests that a word concerns, and returns the runs that are watched here.
func (l *lookouts) tell(w word) (here map[string]bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	here = map[string]bool{}
	for id, o := range l.all {
		here[id] = true
		if w.concerns(o.run) {
			ask(o.now)
		}
	}
	return here
}

// hush leaves a whole forge alone for a while, not only the pull request that it said so
// about.
func (l *lookouts) hush(run *core.Run, after time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if until := time.Now().Add(after); until.After(l.quiet[run.ForgeURL]) {
		l.quiet[run.ForgeURL] = until
	}
}

func (l *lookouts) quietFor(run *core.Run) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Until(l.quiet[run.ForgeURL])
}

// wait lasts until it is time to look: after a while, or when somebody asks, also by
// word of another engine, but never before the forge wants it.
func (l *lookouts) wait(ctx context.Context, o *lookout, after time.Duration) error {
	timer := time.NewTimer(after)
	defer timer.Stop()
	for asked := false; !asked; {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-timer.C:
			asked = true
		case <-o.now:
			asked = true
		case <-o.word:
			asked = l.heard(ctx, o.run.ID)
		}
	}
	for {
		rest := max(l.quietFor(o.run), time.Until(o.looked.Add(lookGap)))
		if rest <= 0 {
			break
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(rest):
		}
	}
	o.looked = time.Now()
	return nil
}
