// Package engine turns events into decisions and commits both: load, fold,
// decide, law, commit. It is the only writer of streams. It must not do what
// is decided; that is the dispatcher's, to whom it hands the effects of each
// state it has committed.
package engine

import (
	"context"
	"crypto/rand"
	"log/slog"
	"sync"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// Dispatcher executes effects. Prepare is called with what a step has
// committed before its journal is on disk: it may begin what nobody outside
// sees and what costs nothing in vain, and must leave the rest until Reconcile
// asks for the same, which it may never. Reconcile is called with a state nobody else
// changes and everything that state requests; it must return at once, must
// not start what is already under way, and reports what happened by Submit.
type Dispatcher interface {
	Prepare(run *core.Run, actions []core.Action)
	Reconcile(run *core.Run, actions []core.Action)
	// StartEpic is called with a project whenever it is looked at, and with the
	// epic whose run is to begin, nil for none. It must return at once, must not
	// start what is already being started, and ends the start of any other epic.
	// It reports a failure by StartFailed, and has the project looked at again
	// by Tend when a start has ended.
	StartEpic(p *core.Project, epic *core.QueuedEpic)
}

// Journal keeps the readable copy of a run. Append is called after the events
// are committed and before their effects; it drops what it already has, and may
// keep the run, which nobody changes any more.
type Journal interface {
	Append(ctx context.Context, run *core.Run, events []core.Event) error
	// Seq is the newest event the journal holds of a run, whose present state it is
	// given: what the engine before did not come to write may follow from it.
	Seq(ctx context.Context, run *core.Run) (int64, error)
}

// Options configure an engine.
type Options struct {
	Store    store.Store
	Journal  Journal
	Deciders []core.Decider
	Log      *slog.Logger
	// Steward decides about projects; nil if nobody does.
	Steward Steward
	// Name tells engines on one database apart.
	Name string
	// Place is where its attempts run: those of one place share its slots. "local"
	// if it is not said.
	Place string
	// Lease is how long a look may take before another engine takes it over.
	Lease time.Duration
	// Look is how often pending hints are looked for without a signal.
	Look time.Duration
	// SnapshotEvery is how many events lie between snapshots.
	SnapshotEvery int64
}

// Engine serialises what happens to each stream.
type Engine struct {
	store    store.Store
	journal  Journal
	deciders map[string]core.Decider
	log      *slog.Logger
	opts     Options

	dispatcher Dispatcher
	streams    streams
	live       live
	legible    legible
	nudged     chan struct{} // a look is wanted that the store does not signal
}

// New makes an engine. SetDispatcher must follow before Run.
func New(opts Options) *Engine {
	if opts.Place == "" {
		opts.Place = "local"
	}
	if opts.Lease == 0 {
		opts.Lease = time.Minute
	}
	if opts.Look == 0 {
		opts.Look = time.Second
	}
	if opts.SnapshotEvery == 0 {
		opts.SnapshotEvery = 64
	}
	e := &Engine{
		store: opts.Store, journal: opts.Journal, log: opts.Log, opts: opts,
		deciders: map[string]core.Decider{},
		streams:  streams{byName: map[string]*stream{}},
		live:     live{subscribers: map[*subscriber]struct{}{}, moves: moves{engine: rand.Text()}},
		legible:  legible{looked: map[string]bool{}, left: map[string]error{}},
		nudged:   make(chan struct{}, 1),
	}
	for _, d := range opts.Deciders {
		e.deciders[d.Kind()] = d
	}
	return e
}

// SetDispatcher connects who executes effects.
func (e *Engine) SetDispatcher(d Dispatcher) { e.dispatcher = d }

// claimAtOnce is how many hints are claimed in one go.
const claimAtOnce = 64

// Run looks at streams that want to be looked at until the context ends. It
// returns after every look under way has ended.
func (e *Engine) Run(ctx context.Context) error {
	var looks sync.WaitGroup
	defer looks.Wait()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-e.store.Signals():
		case <-e.nudged:
		case <-timer.C:
		}
		hints, err := e.store.Claim(ctx, e.opts.Name, e.opts.Lease, claimAtOnce)
		if err != nil && ctx.Err() == nil {
			e.log.Error("look for hints", "error", err)
		}
		for _, h := range hints {
			looks.Go(func() { e.look(ctx, h) })
		}
		if len(hints) == claimAtOnce {
			timer.Reset(0) // there may be more
			continue
		}
		timer.Reset(e.nextLook(ctx))
	}
}

// nudge has the pending hints looked at soon.
func (e *Engine) nudge() {
	select {
	case e.nudged <- struct{}{}:
	default:
	}
}

// nextLook is how long to wait without a signal: until the next due time, at
// most Look.
func (e *Engine) nextLook(ctx context.Context) time.Duration {
	due, err := e.store.NextDue(ctx)
	if err != nil || due == nil {
		return e.opts.Look
	}
	now, err := e.store.Now(ctx)
	if err != nil {
		return e.opts.Look
	}
	return min(max(due.Sub(now), time.Millisecond), e.opts.Look)
}

// Holds tells whether the state of the run with this id is in memory, so that
// nobody has to be asked whether there is such a run.
func (e *Engine) Holds(run string) bool {
	e.streams.mu.Lock()
	s := e.streams.byName[core.RunStream(run)]
	e.streams.mu.Unlock()
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.run != nil
}

// Load is a copy of a run's present state.
func (e *Engine) Load(ctx context.Context, run string) (*core.Run, error) {
	s := e.streams.get(core.RunStream(run))
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := e.load(ctx, s); err != nil {
		return nil, err
	}
	if s.run == nil {
		return nil, notFound(run)
	}
	return s.run.Clone(), nil
}

func notFound(run string) error {
	return core.Errorf(core.CodeNotFound, "no run %s", run).Offer(core.Choice{Verb: core.VerbRuns})
}
