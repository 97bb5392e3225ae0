package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/planted"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// maxDecisions bounds what one step may decide; a decider that does not come
// to rest is a defect, and the run pauses instead of spinning.
const maxDecisions = 64

// Submit brings something that happened into a run: it is judged, folded,
// decided upon, and all of it committed in one transaction. When Submit
// returns nil the event is durable. An event the law refuses comes back as a
// core error and leaves no trace but, for a person's word, a CommandRefused.
func (e *Engine) Submit(ctx context.Context, run string, actor core.Actor, body core.Body) (*core.Run, error) {
	s := e.streams.get(core.RunStream(run))
	s.mu.Lock()
	defer s.mu.Unlock()
	state, err := e.step(ctx, s, input{actor: actor, body: body})
	if err != nil && actor.Kind == core.ActorPerson && refusal(err) && !errors.Is(err, core.ErrHeard) {
		e.recordRefusal(ctx, s, body, err)
	}
	return state, err
}

// Conclude is Submit for what came of an effect, or of a look: it counts only under
// the fence of the project's owner that the effect was handed out with. Otherwise
// another engine has taken the project over, which concludes it; Conclude fails with
// store.ErrFenced, and leaves a CommandRefused.
func (e *Engine) Conclude(ctx context.Context, run string, fence int64, body core.Body) (*core.Run, error) {
	s := e.streams.get(core.RunStream(run))
	s.mu.Lock()
	defer s.mu.Unlock()
	in := input{core.Engine(), body, fence}
	state, err := e.step(ctx, s, in)
	if errors.Is(err, store.ErrFenced) {
		e.fenced(ctx, s, in, err)
	}
	return state, err
}

// step is one step, by the newest state.
func (e *Engine) step(ctx context.Context, s *stream, in input) (*core.Run, error) {
	for {
		state, err := e.attempt(ctx, s, in)
		if !errors.Is(err, store.ErrStale) {
			return state, err
		}
	}
}

func refusal(err error) bool {
	switch core.CodeOf(err) {
	case core.CodeConflict, core.CodeUnlawful, core.CodeForbidden, core.CodeInvalid, core.CodeNotFound:
		return true
	case core.CodeUntrusted, core.CodeForked, core.CodeUnavailable, core.CodeUnsupported, core.CodeInternal:
	}
	return false
}

// recordRefusal leaves a trace of a person's word that was refused. Failing to
// leave it is logged: the refusal itself has already been answered.
func (e *Engine) recordRefusal(ctx context.Context, s *stream, body core.Body, why error) {
	if s.run == nil {
		return
	}
	_, err := e.attempt(ctx, s, input{actor: core.Engine(), body: core.CommandRefused{Command: string(core.TypeOf(body)), Reason: why.Error()}})
	if err != nil {
		s.drop()
		e.log.Error("record a refusal", "stream", s.name, "error", err)
	}
}

type input struct {
	actor core.Actor
	body  core.Body
	fence int64 // under which alone it counts; 0 for anybody's word
}

// attempt is one step. If a decision needs slots that others hold, the wait for them takes the
// decision's place and the decider decides again; if the project has spent what it may, the
// run is told and decides again. What the state in memory refuses is judged by the newest one.
func (e *Engine) attempt(ctx context.Context, s *stream, in input) (*core.Run, error) {
	no := refusals{slots: map[string]store.Full{}}
	for {
		if err := e.load(ctx, s); err != nil {
			return nil, err
		}
		b, err := e.build(ctx, s, in, no)
		if err == nil {
			err = e.Left(b.run.Project)
		}
		if err != nil && refusal(err) {
			moved, failed := e.catchOn(ctx, s)
			if failed != nil {
				return nil, failed
			}
			if moved {
				no = refusals{slots: map[string]store.Full{}}
				continue
			}
		}
		if err != nil {
			return nil, err
		}
		if settled, err := e.within(ctx, in, b, &no); err != nil {
			return nil, err
		} else if !settled {
			continue
		}
		if s.run != nil && s.run.Status.Terminal() {
			if err := e.unerased(ctx, s, b); err != nil {
				return nil, err
			}
		}
		if planted.Is("effectfirst") {
			e.dispatcher.Reconcile(b.run.Clone(), in.fence, core.Effects(b.run))
		}
		err = e.store.Commit(ctx, b.commit)
		var held *store.ClaimHeld
		if errors.As(err, &held) {
			return nil, e.held(ctx, held)
		}
		if no.refusedBy(err) {
			continue
		}
		if err != nil && (!planted.Is("early") || core.CodeOf(err) != core.CodeUnavailable) {
			s.drop()
			return nil, fmt.Errorf("commit to %s: %w", s.name, err)
		}
		return e.committed(ctx, s, b)
	}
}

// held says which other run keeps this one from starting.
func (e *Engine) held(ctx context.Context, held *store.ClaimHeld) error {
	_, run := core.StreamKind(held.Holder)
	if row, err := e.store.Run(ctx, run); err == nil {
		run = row.Alias
	}
	if held.Claim.Kind == core.ClaimProject {
		return core.Errorf(core.CodeConflict, "the project is driven by run %s already", run).
			WithHint("let the goal wait in the queue, tell that run what else is wanted, or cancel it").
			Offer(core.Choice{Verb: core.VerbFeedback, Run: run}, core.Choice{Verb: core.VerbCancel, Run: run}).Because(core.ErrBusy)
	}
	_, branch, _ := strings.Cut(held.Claim.Key, ":")
	return core.Errorf(core.CodeConflict, "the branch %s is in use by run %s", branch, run).
		WithHint("continue that run, cancel it, or choose another branch").Offer(core.Choice{Verb: core.VerbStatus, Run: run}, core.Choice{Verb: core.VerbCancel, Run: run}, core.Choice{Verb: core.VerbStartBranch})
}

// committed makes a durable step visible: the state in memory, the live stream, and, if
// this engine owns the project, the journal and the effects. Otherwise the hint that was
// raised brings the owner to look.
func (e *Engine) committed(ctx context.Context, s *stream, b *batch) (*core.Run, error) {
	s.run, s.head, s.has = b.run, b.head, b.has
	s.run.Stream = s.head
	if b.commit.Snapshot != nil {
		s.snapshot = s.head.Seq
	}
	e.live.publish(s.name)
	state := s.run.Clone()
	fence, mine := e.owned.fence(s.run.Project)
	if !mine {
		s.ours = true
		return state, nil
	}
	actions := core.Effects(state)
	e.dispatcher.Prepare(state, fence, actions)
	// The journal is a copy and comes before effects. If it cannot be
	// written now, the next look writes it and hands the effects out.
	if err := e.write(ctx, s.run, b.commit.Events, b.bodies); err != nil {
		e.log.Error("write the run folder", "stream", s.name, "error", err)
		e.nudge()
		return state, nil
	}
	e.dispatcher.Reconcile(state, fence, actions)
	return state, nil
}

// batch is a step under construction.
type batch struct {
	run    *core.Run
	head   core.Head
	has    holdings
	commit store.Commit
	bodies core.Bodies // of the events
	now    time.Time
	// starts and reserves: there are attempts, or money and tokens, that the step takes.
	starts, reserves bool
	going            bool // the step starts the run, or ends a pause
}

// build folds the input and everything the decider makes of it. The owner's step is
// its own look: only a time that comes before the next regular one is worth a
// hint.
func (e *Engine) build(ctx context.Context, s *stream, in input, no refusals) (*batch, error) {
	now, err := e.store.Now(ctx)
	if err != nil {
		return nil, err
	}
	b := &batch{run: s.run.Clone(), head: s.head, now: now, bodies: core.Bodies{}, commit: store.Commit{Stream: s.name, Fence: in.fence, After: s.head.Seq}}
	if err := b.add(in.actor, "", in.body); err != nil {
		return nil, err
	}
	cause := b.commit.Events[0].ID
	if no.spent != nil {
		if err := b.add(core.Engine(), cause, *no.spent); err != nil {
			return nil, err
		}
	}
	if no.still != nil {
		if err := b.add(core.Engine(), cause, *no.still); err != nil {
			return nil, err
		}
	}
	if err := e.decide(b, cause, no.slots); err != nil {
		return nil, err
	}
	b.limit(s.run)
	if err := e.finish(s, b); err != nil {
		return nil, err
	}
	_, mine := e.owned.fence(b.run.Project)
	b.commit.Attended = mine && (b.commit.DueAt == nil || b.commit.DueAt.Sub(now) > e.opts.Look)
	return b, nil
}

// add judges one event and folds it.
func (b *batch) add(actor core.Actor, cause string, body core.Body) error {
	if err := core.Law(b.run, actor, body); err != nil {
		return err
	}
	ev, head, err := core.Seal(b.commit.Stream, b.head, b.now, actor, cause, body)
	if err != nil {
		return err
	}
	if opened, ok := body.(core.StageOpened); ok {
		b.commit.Tasks = append(b.commit.Tasks, leftRows(b.run, opened.Stage, b.commit.Events)...)
	}
	b.notes(body)
	rested := b.run == nil || b.run.Status == core.StatusPaused
	b.run, b.head = core.FoldBody(b.run, ev, body), head
	b.going = b.going || rested && b.run.Status != core.StatusPaused && !b.run.Status.Terminal()
	b.commit.Events = append(b.commit.Events, ev)
	b.bodies[ev.Seq] = body
	return nil
}

// decide lets the decider decide until it comes to rest. A decision the law
// refuses is a defect of the decider: it is not committed, the run
// pauses and says why.
func (e *Engine) decide(b *batch, cause string, refused map[string]store.Full) error {
	d, ok := e.deciders[b.run.Playbook.Kind]
	if !ok { // of a run that begins: no other is loaded
		return core.Errorf(core.CodeUnsupported, "playbook kind %q is not known to this version of stellwerk", b.run.Playbook.Kind)
	}
	for range maxDecisions {
		bodies := core.Decide(b.run, d)
		if len(bodies) == 0 {
			return nil
		}
		for _, body := range bodies {
			actor, body := granted(b.run.ID, core.ActorFor(b.run, d, body), body, refused)
			if err := b.add(actor, cause, body); err != nil {
				return b.add(core.Engine(), cause, core.RunPaused{
					Code: core.PauseUnlawful, Reason: fmt.Sprintf("%s was decided, and the law refuses it: %v", core.TypeOf(body), err),
					Advice: core.Advice{Hint: "this is a defect of Stellwerk", Choices: b.run.Choices(core.VerbReplay)},
				})
			}
		}
	}
	return b.add(core.Engine(), cause, core.RunPaused{
		Code: core.PauseUnlawful, Reason: fmt.Sprintf("%d decisions in one step without coming to rest", maxDecisions),
		Advice: core.Advice{Hint: "this is a defect of Stellwerk", Choices: b.run.Choices(core.VerbReplay)},
	})
}

// finish derives what is committed along with the events.
func (e *Engine) finish(s *stream, b *batch) error {
	b.run.Stream = b.head
	b.commit.Of, b.commit.Place = b.run.Project, e.opts.Place
	b.has = e.holdings(b.run)
	b.has.since(s.has, &b.commit)
	b.commit.DueAt = due(b.run)
	row := runRow(b.run)
	b.commit.Run = &row
	b.commit.Tasks = append(b.commit.Tasks, taskRows(s.run, b.run, b.commit.Events)...)
	b.commit.Progress = progress(b.run)
	var err error
	if b.commit.Messages, err = messageRows(b.run, b.commit.Events); err != nil {
		return err
	}
	if b.head.Seq-s.snapshot >= e.opts.SnapshotEvery {
		state, err := json.Marshal(b.run)
		if err != nil {
			return fmt.Errorf("snapshot of %s: %w", s.name, err)
		}
		b.commit.Snapshot = &store.Snapshot{Head: b.head, Format: snapshotFormat, State: state}
	}
	return nil
}

// due is when a run wants to be looked at again; nil for not before something happens.
func due(r *core.Run) *time.Time {
	if at := core.Timers(r); len(at) > 0 {
		return &at[0]
	}
	return nil
}
