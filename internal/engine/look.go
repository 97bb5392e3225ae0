package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// look answers a hint: it brings the time in, begins what was handed the slots it
// waited for, sees that the journal is complete, and hands the effects out. A hint
// says only "look"; a lost or doubled one does no harm.
func (e *Engine) look(ctx context.Context, h store.Hint) {
	unfinished, err := e.lookAt(ctx, &h)
	if errors.Is(err, core.ErrUnreadable) {
		return // said once, of the project; the hint is for others
	}
	if err != nil && ctx.Err() == nil {
		e.log.Error("look", "stream", h.Stream, "error", err)
	}
	if err != nil || unfinished {
		return // the lease runs out, and the stream is looked at again
	}
	if err := e.store.Rest(ctx, e.opts.Name, h); err != nil && !errors.Is(err, store.ErrFenced) && ctx.Err() == nil {
		e.log.Error("end a look", "stream", h.Stream, "error", err)
	}
}

// lookAt reports true if a run is over and something is still to be done
// about it. Nothing else would bring the next engine to look at such a run.
func (e *Engine) lookAt(ctx context.Context, h *store.Hint) (unfinished bool, err error) {
	kind, id := core.StreamKind(h.Stream)
	if kind == "project" {
		return false, e.Tend(ctx, id)
	}
	if err := e.readableAround(ctx, h.Stream); err != nil {
		return false, err
	}
	if kind != "run" {
		return false, nil
	}
	if h.Due {
		if _, err := e.Submit(ctx, id, core.Engine(), core.TimerFired{Timer: "due"}); err != nil {
			return false, err
		}
	}
	s := e.streams.get(h.Stream)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := e.renew(ctx, s, h); err != nil || s.run == nil {
		return false, err
	}
	if err := e.retell(ctx, s); err != nil {
		return false, err
	}
	if err := e.inLine(ctx, s); err != nil {
		return false, err
	}
	if err := e.catchUp(ctx, s); err != nil {
		return false, errors.Join(err, e.unwritable(ctx, s, err))
	}
	actions := core.Effects(s.run)
	e.dispatcher.Reconcile(s.run.Clone(), actions)
	over := s.run.Status.Terminal()
	if over && len(actions) == 0 {
		e.streams.forget(h.Stream)
	}
	return over && len(actions) > 0, nil
}

// renew reads what other engines have committed since this one last read the
// stream, so that effects follow from the newest state. The look then answers
// for every step up to there: a run that does not rest would otherwise be
// looked at all the time.
func (e *Engine) renew(ctx context.Context, s *stream, h *store.Hint) error {
	raised, head, err := e.store.Raised(ctx, s.name)
	if err != nil {
		return err
	}
	if head != s.head.Seq {
		s.drop()
	}
	if err := e.load(ctx, s); err != nil {
		return err
	}
	h.Seq = max(h.Seq, raised)
	return nil
}

// unwritable pauses a run whose journal cannot be continued for a reason that
// does not pass by itself. A full or missing disk does: the next look tries
// again.
func (e *Engine) unwritable(ctx context.Context, s *stream, cause error) error {
	passing := core.CodeOf(cause) == core.CodeUnavailable || ctx.Err() != nil
	if passing || s.run.Status != core.StatusActive {
		return nil
	}
	_, err := e.attempt(ctx, s, input{core.Engine(), core.RunPaused{
		Code: core.PauseAction, Reason: "the run's folder cannot be continued: " + cause.Error(),
		Advice: core.Advice{Hint: "put the folder right, then go on", Choices: s.run.Choices(core.VerbResume)},
	}})
	return err
}

// catchUp writes the events that the journal misses: after a crash between
// commit and journal, or while the folder could not be written.
func (e *Engine) catchUp(ctx context.Context, s *stream) error {
	have, err := e.journal.Seq(ctx, s.run)
	if err != nil {
		return err
	}
	for have < s.head.Seq {
		events, err := e.store.Events(ctx, s.name, have, readBatch)
		if err != nil {
			return err
		}
		if len(events) == 0 {
			return fmt.Errorf("stream %s ends at %d, expected %d", s.name, have, s.head.Seq)
		}
		if err := e.journal.Append(ctx, s.run, events); err != nil {
			return err
		}
		have = events[len(events)-1].Seq
	}
	return nil
}

// Poke hands the effects of a run's present state out again: for a dispatcher
// whose action failed and is to be tried once more, and for an engine that
// takes a run over. The journal is completed first: it comes before effects.
func (e *Engine) Poke(ctx context.Context, run string) error {
	if err := e.readableAround(ctx, core.RunStream(run)); err != nil {
		return err
	}
	s := e.streams.get(core.RunStream(run))
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := e.load(ctx, s); err != nil {
		return err
	}
	if s.run == nil {
		return notFound(run)
	}
	if err := e.catchUp(ctx, s); err != nil {
		return err
	}
	state := s.run.Clone()
	e.dispatcher.Reconcile(state, core.Effects(state))
	return nil
}
