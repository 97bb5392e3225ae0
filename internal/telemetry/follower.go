package telemetry

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/measure"
)

// sink is given each event of a run that is to be told, with what ended by it. It
// may wait, until the context ends: the events are in the store. It reports false
// where the event could not be taken.
type sink func(ctx context.Context, e core.Event, ended []measure.Piece) bool

// follower reads the events of all runs that moved, each in its order. It reads a run
// from its first event, to know what is open in it, and exports what came after the
// follower first saw it. A run that only waits is not read: an engine may have thousands.
type follower struct {
	source Source
	log    *slog.Logger
	sink   sink
	wake   chan struct{}

	mu    sync.Mutex
	todo  map[string]mark
	rests map[string]mark // runs that nothing has happened in since the follower began

	runs map[string]*followed // of the goroutine that follows
}

// mark says what is to be read of a run.
type mark struct {
	after int64 // event after which it is exported
	ended bool  // there will be no further event
}

type followed struct {
	tracker *measure.Tracker
	seq     int64 // of the newest event that was read
	after   int64 // what follows this event is exported
}

// newFollower follows the given runs, and all that move; of those that rest, once they do.
func newFollower(opts Options, to sink, runs, rests map[string]mark) *follower {
	return &follower{
		source: opts.Source, log: opts.Log, sink: to, wake: make(chan struct{}, 1),
		todo: runs, rests: rests, runs: map[string]*followed{},
	}
}

// moved makes the follower read on in a run, whose newest event is given.
func (f *follower) moved(run string, m mark, newest int64) {
	f.mu.Lock()
	if before, rests := f.rests[run]; rests {
		if newest <= before.after {
			f.mu.Unlock()
			return // it is told again of what was there
		}
		m.after = before.after
		delete(f.rests, run)
	}
	f.mu.Unlock()
	f.note(run, m)
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

func (f *follower) note(run string, m mark) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if known, ok := f.todo[run]; ok {
		m = mark{after: known.after, ended: known.ended || m.ended}
	}
	f.todo[run] = m
}

func (f *follower) run(ctx context.Context, stop <-chan struct{}) {
	for {
		f.catchUp(ctx)
		select {
		case <-ctx.Done():
			return
		case <-stop:
			f.catchUp(ctx)
			return
		case <-f.wake:
		}
	}
}

// catchUp reads what is new in all runs that moved. What could not be read is tried
// again when something moves next.
func (f *follower) catchUp(ctx context.Context) {
	f.mu.Lock()
	todo := f.todo
	f.todo = map[string]mark{}
	f.mu.Unlock()
	for _, run := range slices.Sorted(maps.Keys(todo)) {
		err := f.read(ctx, run, todo[run])
		if err == nil {
			continue
		}
		if ctx.Err() != nil {
			return
		}
		f.log.Error("read a run for telemetry", "run", run, "error", err)
		f.note(run, todo[run])
	}
}

// readBatch is how many events are read at once.
const readBatch = 256

func (f *follower) read(ctx context.Context, run string, m mark) error {
	r := f.runs[run]
	if r == nil {
		r = &followed{tracker: measure.NewTracker(), after: m.after}
		f.runs[run] = r
	}
	for !r.tracker.Over() {
		events, err := f.source.Events(ctx, core.RunStream(run), r.seq, readBatch)
		if err != nil {
			return err
		}
		if len(events) == 0 {
			break
		}
		for _, e := range events {
			if err := f.next(ctx, r, e); err != nil {
				return err
			}
		}
	}
	if r.tracker.Over() && m.ended { // before that, it would be told once more
		delete(f.runs, run)
	}
	return nil
}

// next exports one event. It leaves out an event that cannot be read: the engine
// reports that itself.
func (f *follower) next(ctx context.Context, r *followed, e core.Event) error {
	ended, err := r.tracker.Next(e)
	if err != nil {
		f.log.Warn("cannot export an event", "event", e.ID, "error", err)
	}
	if e.Seq > r.after && !f.sink(ctx, e, ended) {
		return context.Cause(ctx)
	}
	r.seq = e.Seq
	return nil
}
