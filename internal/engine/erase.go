package engine

import (
	"context"
	"errors"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// Erase removes the content of a project and its runs from the store, and records who did. All runs must be over, their work
// cleaned up, and the history whole: erasing hides no change. What of it lies on machines is for whoever runs there.
func (e *Engine) Erase(ctx context.Context, project string, actor core.Actor, reason string) (core.ProjectErased, error) {
	for {
		body, runs, err := e.eraseOnce(ctx, project, actor, reason)
		if errors.Is(err, store.ErrStale) {
			continue
		}
		if err == nil {
			for _, run := range runs {
				e.streams.forget(core.RunStream(run))
			}
			e.live.publish(core.ProjectStream(project))
		}
		return body, err
	}
}

func (e *Engine) eraseOnce(ctx context.Context, project string, actor core.Actor, reason string) (body core.ProjectErased, runs []string, err error) {
	p, head, err := e.foldProject(ctx, project)
	if err == nil {
		err = e.Left(project)
	}
	if err == nil {
		err = core.LawProject(p, actor, core.ProjectErased{})
	}
	if err != nil {
		return body, nil, err
	}
	body.Reason = reason
	stream := core.ProjectStream(project)
	commit := store.Commit{
		Stream: stream, Of: project, After: head.Seq, Idle: project, Release: []core.Claim{core.NameClaim(project, p.Name)},
		Erase: &store.Erasure{Project: project},
	}
	if err := e.residue(ctx, &body, stream, head.Seq); err != nil {
		return body, nil, err
	}
	rows, err := e.store.Runs(ctx, store.Filter{Project: project})
	if err != nil {
		return body, nil, err
	}
	for _, row := range rows {
		if row.EndedAt == nil {
			return body, nil, openRun(p, row.Alias)
		}
		given, err := e.residueOf(ctx, &body, row)
		if err != nil {
			return body, nil, err
		}
		if given.Seq > 0 {
			commit.Given, runs = append(commit.Given, given), append(runs, row.ID)
		}
	}
	now, err := e.store.Now(ctx)
	if err != nil {
		return body, nil, err
	}
	event, _, err := core.Seal(stream, head, now, actor, "", body)
	if err != nil {
		return body, nil, err
	}
	commit.Events, commit.Erase.Streams = []core.Event{event}, body.Streams
	err = e.store.Commit(ctx, commit)
	var open *store.RunOpen
	if errors.As(err, &open) {
		err = openRun(p, open.Alias)
	}
	return body, runs, err
}

func openRun(p *core.Project, alias string) error {
	return core.Errorf(core.CodeConflict, "run %s of project %s is open", alias, p.Name).
		WithHint("wait for it, or cancel it").Offer(core.Choice{Verb: core.VerbCancel, Run: alias})
}

// residueOf is residue for a run, and where it stands; nowhere if it was erased before. It refuses a run of which something is
// still to be done.
func (e *Engine) residueOf(ctx context.Context, body *core.ProjectErased, row store.RunRow) (store.Position, error) {
	stream := core.RunStream(row.ID)
	gone, err := e.Erased(ctx, stream)
	if err != nil || gone {
		return store.Position{}, err
	}
	head, err := e.store.Head(ctx, stream)
	if err != nil {
		return store.Position{}, err
	}
	swept, merging := false, false
	err = e.residue(ctx, body, stream, head.Seq, func(ev core.Event) {
		switch ev.Type { //nolint:exhaustive // what else happened does not matter
		case core.TypeRunSwept:
			swept = true
		case core.TypeMergeGranted:
			merging = true
		case core.TypeMergeFailed, core.TypePullRequestSeen:
			merging = false
		}
	})
	if err == nil && (!swept || merging) {
		err = core.Errorf(core.CodeConflict, "run %s has ended, and its engine is still cleaning up after it", row.Alias).
			WithHint("try again in a moment; if that does not help, see that the engine which owns the project runs")
	}
	return store.Position{Stream: stream, Seq: head.Seq}, err
}

// residue notes in a record what erasing leaves of a stream up to an event. It refuses a history that is not what was committed.
func (e *Engine) residue(ctx context.Context, body *core.ProjectErased, stream string, upto int64, each ...func(core.Event)) error {
	var left core.Residue
	for at := (core.Head{}); at.Seq < upto; {
		events, err := e.store.Events(ctx, stream, at.Seq, int(min(readBatch, upto-at.Seq)))
		if err != nil {
			return err
		}
		if len(events) == 0 {
			return core.Errorf(core.CodeForked, "%s ends at event %d, expected %d", stream, at.Seq, upto)
		}
		if at, err = core.VerifyChain(at, events); err != nil {
			return core.Wrap(core.CodeForked, err, "nothing is erased: the history is not what it was", "keep the database as it is").
				Offer(core.Choice{Verb: core.VerbVerifyHistory})
		}
		for _, ev := range events {
			if err := left.Add(ev); err != nil {
				return err
			}
			for _, look := range each {
				look(ev)
			}
		}
	}
	body.Streams, body.Events = append(body.Streams, left.Sum()), body.Events+left.Events
	return nil
}

// isErased reports that the event after one is there and erased.
func (e *Engine) isErased(ctx context.Context, stream string, after int64) (bool, error) {
	events, err := e.store.Events(ctx, stream, after, 1)
	return err == nil && len(events) > 0 && events[0].Erased(), err
}

// Erased reports that a stream begins with events whose content was erased.
func (e *Engine) Erased(ctx context.Context, stream string) (bool, error) {
	return e.isErased(ctx, stream, 0)
}

// unerased has a step of a run that is over committed only if the run is not erased, also if the state in memory is older than that:
// an erasure moves the project's stream on, and not the run's.
func (e *Engine) unerased(ctx context.Context, s *stream, b *batch) error {
	project := core.ProjectStream(b.run.Project)
	head, err := e.store.Head(ctx, project)
	if err != nil {
		return err
	}
	gone, err := e.isErased(ctx, s.name, s.head.Seq-1)
	if err != nil {
		return err
	}
	if gone {
		s.drop()
		return core.RunErased(b.run.ID)
	}
	b.commit.Given = append(b.commit.Given, store.Position{Stream: project, Seq: head.Seq})
	return nil
}

// Forget drops what is in memory of a run whose content was erased.
func (e *Engine) Forget(run string) { e.streams.forget(core.RunStream(run)) }
