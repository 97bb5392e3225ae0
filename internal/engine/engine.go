// Package engine turns events into decisions and commits both: load, fold,
// decide, law, commit. It is the only writer of streams. It must not do what
// is decided; that is the dispatcher's, to whom it hands the effects of each
// state it has committed.
package engine

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// Dispatcher executes effects, of projects that this engine owns. Prepare is called with what
// a step has committed before its journal is on disk: it may begin what nobody outside
// sees and what costs nothing in vain, and must leave the rest until Reconcile
// asks for the same, which it may never. Reconcile is called with a state nobody else
// changes and everything that state requests; it must return at once, must
// not start what is already under way, and reports what happened by Conclude, under the
// fence that it was called with. Before it does what others can see it asks Owns.
type Dispatcher interface {
	Prepare(run *core.Run, fence int64, actions []core.Action)
	Reconcile(run *core.Run, fence int64, actions []core.Action)
	// StartEpic is called with a project whenever it is looked at, and with the
	// epic whose run is to begin, nil for none. It must return at once, must not
	// start what is already being started, and ends the start of any other epic.
	// It reports a failure by StartFailed, and has the project looked at again
	// by Tend when a start has ended.
	StartEpic(p *core.Project, fence int64, epic *core.QueuedEpic)
	// Release ends what is under way for a project that this engine does not own
	// any more. It returns at once. Attempts go on: they are the next owner's.
	Release(project string)
}

// Journal keeps the readable copy of a run. Append is called after the events
// are committed and before their effects; it drops what it already has, and may
// keep the run, which nobody changes any more. bodies has what is known of the events already,
// and may be added to.
type Journal interface {
	Append(ctx context.Context, run *core.Run, events []core.Event, bodies core.Bodies) error
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
	// ID tells engines on one database apart, and stays the same from one life of an
	// engine to the next. Host is where it runs, for people.
	ID, Host string
	// Place is where its attempts run: those of one place share its slots. "local"
	// if it is not said.
	Place string
	// Lease is how long an engine that is not heard of keeps its projects.
	Lease time.Duration
	// Shared tells that other engines work on the store: the lease is renewed even while nothing is owned, so that people see
	// that this engine is there.
	Shared bool
	// Look is how often the store is asked without a signal: for hints, for projects
	// without an owner, and for what other engines have committed.
	Look time.Duration
	// Retry is how long a look that failed is put off.
	Retry time.Duration
	// Able says why this engine cannot work on a project that another one owned
	// before; nil if it can always.
	Able func(ctx context.Context, project string) error
	// States is how many states of runs stay in memory; 0 for 2048. What is used again after so many others is read again.
	States int
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
	owned      *ownership
	begun      bool
	sought     string // up to which project the last look for those without an owner came; "" for all
	looks      *looks
	streams    streams
	playbooks  playbooks
	live       live
	legible    legible
	writing    writing
	nudged     chan struct{} // a look is wanted that the store does not signal
}

// New makes an engine. SetDispatcher must follow before Run.
func New(opts Options) *Engine {
	if opts.Place == "" {
		opts.Place = "local"
	}
	if opts.Lease == 0 {
		opts.Lease = 10 * time.Second
	}
	if opts.Look == 0 {
		opts.Look = time.Second
	}
	if opts.Retry == 0 {
		opts.Retry = time.Minute
	}
	if opts.States == 0 {
		opts.States = 2048
	}
	if opts.SnapshotEvery == 0 {
		opts.SnapshotEvery = 64
	}
	e := &Engine{
		store: opts.Store, journal: opts.Journal, log: opts.Log, opts: opts,
		deciders: map[string]core.Decider{},
		streams:  streams{byName: map[string]*stream{}, most: opts.States},
		live:     live{subscribers: map[*subscriber]struct{}{}},
		legible:  legible{looked: map[string]bool{}, left: map[string]error{}},
		writing:  writing{under: map[string]*pen{}},
		owned:    newOwnership(opts.Lease),
		looks:    newLooks(),
		nudged:   make(chan struct{}, 1),
	}
	for _, d := range opts.Deciders {
		e.deciders[d.Kind()] = d
	}
	return e
}

// SetDispatcher connects who executes effects.
func (e *Engine) SetDispatcher(d Dispatcher) { e.dispatcher = d }

// lookAtOnce is how many hints are asked for in one go, and mostLooks how many looks are under way at most.
const (
	lookAtOnce = 64
	mostLooks  = 256
)

// Run owns projects and looks at their streams that want to be looked at until the
// context ends. It returns after everything under way has ended.
func (e *Engine) Run(ctx context.Context) error {
	if !e.begun {
		if err := e.Begin(ctx); err != nil {
			return err
		}
	}
	var work sync.WaitGroup
	defer work.Wait()
	work.Go(func() { e.keep(ctx, &work) })
	timer := time.NewTimer(e.opts.Look)
	defer timer.Stop()
	for heard := int64(-1); ctx.Err() == nil; {
		e.caughtUp()
		begun := e.answer(ctx, &work) // first: what is to be done waits for it
		heard = e.hear(ctx, heard)
		if taken := e.takeAdrift(ctx); len(taken) > 0 {
			work.Go(func() { e.adoptEach(ctx, named(taken)) })
		}
		if begun >= lookAtOnce {
			continue // there may be more
		}
		timer.Reset(e.nextLook(ctx))
		select {
		case <-ctx.Done():
		case <-e.store.Signals():
		case <-e.nudged:
		case <-timer.C:
		}
	}
	return nil
}

// caughtUp drops what asks for the look that begins now, so that what is told during the look leads to one more, however
// many have told.
func (e *Engine) caughtUp() {
	drain(e.store.Signals())
	drain(e.nudged)
}

// drain drops what a channel has.
func drain[T any](told <-chan T) {
	select {
	case <-told:
	default:
	}
}

// answer begins to look at the streams that want it, and returns how many those are.
func (e *Engine) answer(ctx context.Context, work *sync.WaitGroup) (begun int) {
	ask := e.looks.ask()
	if ask == 0 {
		return 0
	}
	hints, err := e.store.Hints(ctx, e.opts.ID, ask)
	if err != nil {
		e.fault(ctx, "look for hints", err)
	}
	for _, h := range hints {
		if e.looks.begin(h) {
			begun++
			work.Go(func() { e.look(ctx, h) })
		}
	}
	return begun
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
	now, err := e.store.Now(ctx)
	if err != nil {
		return e.opts.Look
	}
	due, err := e.store.NextDue(ctx, now)
	if err != nil || due == nil {
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

// Load is a copy of a run's present state, whichever engine has brought it there.
func (e *Engine) Load(ctx context.Context, run string) (*core.Run, error) {
	s := e.streams.get(core.RunStream(run))
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := e.refresh(ctx, s); err != nil {
		return nil, err
	}
	if s.run == nil {
		return nil, notFound(run)
	}
	state := s.run.Clone()
	if state.Status.Terminal() && len(core.Effects(state)) == 0 {
		e.streams.forget(s.name) // pages about runs that are over must not fill the memory
	}
	return state, nil
}

func notFound(run string) error {
	return core.Errorf(core.CodeNotFound, "no run %s", run).Offer(core.Choice{Verb: core.VerbRuns})
}
