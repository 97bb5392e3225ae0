package dispatch

import (
	"context"
	"slices"
	"strings"
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
}

// lookout is one that is watched.
type lookout struct {
	run    *core.Run
	now    chan struct{}
	paused bool
	looked time.Time
}

func newLookouts() *lookouts {
	return &lookouts{
		all: map[string]*lookout{}, quiet: map[string]time.Time{}, slots: make(chan struct{}, looksAtOnce),
	}
}

func (l *lookouts) post(run *core.Run) *lookout {
	l.mu.Lock()
	defer l.mu.Unlock()
	o := &lookout{run: run, now: make(chan struct{}, 1), paused: run.Pause != nil, looked: time.Now()}
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
// being looked at.
func (l *lookouts) learn(run *core.Run) {
	l.mu.Lock()
	defer l.mu.Unlock()
	o := l.all[run.ID]
	if o == nil {
		return
	}
	if o.paused && run.Pause == nil {
		o.ask()
	}
	o.paused = run.Pause != nil
}

func (o *lookout) ask() {
	select {
	case o.now <- struct{}{}:
	default: // it is asked for already
	}
}

// Hint says that something may have happened to pull requests of a repository
// on a kind of forge: to those of the numbers, or to any.
func (d *Dispatcher) Hint(kind, repository string, numbers []int) {
	d.posts.mu.Lock()
	defer d.posts.mu.Unlock()
	for _, o := range d.posts.all {
		if o.run.Forge == kind && strings.EqualFold(o.run.Repository, repository) &&
			(len(numbers) == 0 || slices.Contains(numbers, o.run.PullRequest.Number)) {
			o.ask()
		}
	}
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

// wait lasts until it is time to look: after a while, or when somebody asks,
// but never before the forge wants it.
func (l *lookouts) wait(ctx context.Context, o *lookout, after time.Duration) error {
	timer := time.NewTimer(after)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
	case <-o.now:
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
