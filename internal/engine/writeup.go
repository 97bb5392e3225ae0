package engine

import (
	"context"
	"fmt"
	"sync"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// writing has the journal of a run written by one at a time. Whoever has the stream may
// wait for it, and never the other way round.
type writing struct {
	mu    sync.Mutex
	under map[string]*pen
}

type pen struct {
	lock
	users int
}

// take waits for a run's journal. The returned function gives it back.
func (w *writing) take(run string) (give func()) {
	w.mu.Lock()
	p := w.under[run]
	if p == nil {
		p = &pen{}
		w.under[run] = p
	}
	p.users++
	w.mu.Unlock()
	p.Lock()
	return func() {
		p.Unlock()
		w.mu.Lock()
		defer w.mu.Unlock()
		if p.users--; p.users == 0 {
			delete(w.under, run)
		}
	}
}

// WriteUp completes the readable copy of a run, also of one that is over: its folder may have been lost. Steps of the run do
// not wait for it, unless they are to be written themselves.
func (e *Engine) WriteUp(ctx context.Context, run string) error {
	state, err := e.Load(ctx, run)
	if err != nil {
		return err
	}
	return e.catchUp(ctx, state)
}

// catchUp writes the events up to a state that the journal misses: after a crash between
// commit and journal, or while the folder could not be written.
func (e *Engine) catchUp(ctx context.Context, run *core.Run) error {
	for {
		if complete, err := e.writeOn(ctx, run); err != nil || complete {
			return err
		}
	}
}

// writeOn writes some of the events that the journal misses, and reports true if there are none.
func (e *Engine) writeOn(ctx context.Context, run *core.Run) (complete bool, err error) {
	defer e.writing.take(run.ID)()
	have, err := e.journal.Seq(ctx, run)
	if err != nil || have >= run.Stream.Seq {
		return true, err
	}
	stream := core.RunStream(run.ID)
	events, err := e.store.Events(ctx, stream, have, int(min(readBatch, run.Stream.Seq-have)))
	if err != nil {
		return false, err
	}
	if len(events) == 0 {
		return false, fmt.Errorf("stream %s ends at %d, expected %d", stream, have, run.Stream.Seq)
	}
	return false, e.journal.Append(ctx, run, events, core.Bodies{})
}

// write appends a step to the journal, with what other engines have committed since the
// journal was written last.
func (e *Engine) write(ctx context.Context, run *core.Run, step []core.Event, bodies core.Bodies) error {
	if written, err := e.writeStep(ctx, run, step, bodies); err != nil || written {
		return err
	}
	return e.catchUp(ctx, run)
}

// writeStep appends a step that follows what the journal has.
func (e *Engine) writeStep(ctx context.Context, run *core.Run, step []core.Event, bodies core.Bodies) (written bool, err error) {
	defer e.writing.take(run.ID)()
	have, err := e.journal.Seq(ctx, run)
	if err != nil || have < step[0].Seq-1 {
		return false, err
	}
	return true, e.journal.Append(ctx, run, step, bodies)
}
