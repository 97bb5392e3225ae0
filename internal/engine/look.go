package engine

import (
	"context"
	"errors"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/planted"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// look answers a hint: it brings the time in, begins what was handed the slots it
// waited for, sees that the journal is complete, and hands the effects out. A hint
// says only "look"; a lost or doubled one does no harm. One that is not answered to its
// end stays pending.
func (e *Engine) look(ctx context.Context, h store.Hint) {
	if !e.Owns(h.Project, h.Fence) {
		e.lookLater(h, e.opts.Look) // whoever owns the project looks
		return
	}
	unfinished, err := e.lookAt(ctx, &h)
	if errors.Is(err, core.ErrUnreadable) {
		e.lookLater(h, e.opts.Retry) // said once, of the project; the hint is for others
		return
	}
	if errors.Is(err, core.ErrErased) { // meanwhile: nothing is to be done about it any more
		unfinished, err = false, nil
	}
	if err != nil {
		e.fault(ctx, "look", err, "stream", h.Stream)
	}
	if err == nil && !unfinished {
		if err = e.store.Rest(ctx, h); err != nil && !errors.Is(err, store.ErrFenced) {
			e.fault(ctx, "end a look", err, "stream", h.Stream)
		}
	}
	if err != nil || unfinished {
		e.looks.postpone(h, e.opts.Retry)
		e.nudge() // something may have happened meanwhile
		return
	}
	if e.looks.end(h) {
		e.nudge()
	}
}

// lookLater ends a look that is to be repeated.
func (e *Engine) lookLater(h store.Hint, wait time.Duration) {
	if e.looks.postpone(h, wait) {
		e.nudge()
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
	if h.DueSeq > 0 {
		if _, err := e.Conclude(ctx, id, h.Fence, core.TimerFired{Timer: "due"}); err != nil {
			return false, err
		}
	}
	s := e.streams.get(h.Stream)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := e.renew(ctx, s, h); err != nil || s.run == nil {
		return false, err
	}
	if err := e.retell(ctx, s, h.Fence); err != nil {
		return false, err
	}
	if err := e.inLine(ctx, s, h.Fence); err != nil {
		return false, err
	}
	if err := e.catchUp(ctx, s.run); err != nil {
		return false, errors.Join(err, e.unwritable(ctx, s, h.Fence, err))
	}
	if !e.Owns(h.Project, h.Fence) {
		return true, nil
	}
	actions := core.Effects(s.run)
	e.dispatcher.Reconcile(s.run.Clone(), h.Fence, actions)
	over := s.run.Status.Terminal()
	if over && len(actions) == 0 {
		e.streams.forget(h.Stream)
	}
	return over && len(actions) > 0, nil
}

// renew reads what other engines have committed since this one last read the
// stream, so that effects follow from the newest state. The look then answers
// for every step up to there: a run that does not rest would otherwise be
// looked at all the time. Nothing is read if nothing has happened since the hint was listed
// that this engine has not done itself.
func (e *Engine) renew(ctx context.Context, s *stream, h *store.Hint) error {
	if planted.Is("losthint") {
		defer func() { h.Seq++ }()
	}
	if s.unread == nil && s.loaded && s.head.Seq == h.Head {
		return nil
	}
	asked := false
	return e.bringUp(ctx, s, func(ctx context.Context, stream string, after int64, limit int) ([]core.Event, error) {
		raised, news, err := e.store.Raised(ctx, stream, after, limit)
		if err == nil && !asked { // what was raised since then is left to the next look
			asked, h.Seq = true, max(h.Seq, raised)
		}
		return news, err
	})
}

// unwritable pauses a run whose journal cannot be continued for a reason that
// does not pass by itself. A full or missing disk does: the next look tries
// again.
func (e *Engine) unwritable(ctx context.Context, s *stream, fence int64, cause error) error {
	passing := core.CodeOf(cause) == core.CodeUnavailable || ctx.Err() != nil
	if passing || s.run.Status != core.StatusActive {
		return nil
	}
	_, err := e.attempt(ctx, s, input{core.Engine(), core.RunPaused{
		Code: core.PauseAction, Reason: "the run's folder cannot be continued: " + cause.Error(),
		Advice: core.Advice{Hint: "put the folder right, then go on", Choices: s.run.Choices(core.VerbResume)},
	}, fence})
	return err
}

// Poke hands the effects of a run's present state out again: for a dispatcher
// whose action failed and is to be tried once more. The journal is completed first: it comes
// before effects. An engine that does not own the run's project has nothing to hand out.
func (e *Engine) Poke(ctx context.Context, run string) error {
	if err := e.readableAround(ctx, core.RunStream(run)); err != nil {
		return err
	}
	return e.handOut(ctx, run, e.refresh)
}

// handOut hands the effects of a run's state out, as read brings it into memory.
func (e *Engine) handOut(ctx context.Context, run string, read func(context.Context, *stream) error) error {
	s := e.streams.get(core.RunStream(run))
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := read(ctx, s); err != nil {
		return err
	}
	if s.run == nil {
		return notFound(run)
	}
	fence, mine := e.owned.fence(s.run.Project)
	if !mine {
		return nil
	}
	if err := e.catchUp(ctx, s.run); err != nil {
		return err
	}
	state := s.run.Clone()
	e.dispatcher.Reconcile(state, fence, core.Effects(state))
	return nil
}
