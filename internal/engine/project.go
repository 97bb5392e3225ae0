package engine

import (
	"context"
	"errors"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// Project is a project's present state; nil if it is not registered, or was erased.
func (e *Engine) Project(ctx context.Context, id string) (*core.Project, error) {
	p, _, err := e.project(ctx, id)
	return p, err
}

// project is Project, and where the project's stream stands.
func (e *Engine) project(ctx context.Context, id string) (*core.Project, core.Head, error) {
	p, head, err := e.foldProject(ctx, id)
	if errors.Is(err, core.ErrUnreadable) {
		e.unread(ctx, core.ProjectStream(id), err)
	}
	return p, head, err
}

func (e *Engine) foldProject(ctx context.Context, id string) (p *core.Project, head core.Head, err error) {
	for {
		events, err := e.store.Events(ctx, core.ProjectStream(id), head.Seq, readBatch)
		if err != nil {
			return nil, head, err
		}
		for _, ev := range events {
			if p, err = core.FoldProject(p, ev); err != nil {
				return nil, head, err
			}
		}
		if n := len(events); n > 0 {
			last := events[n-1]
			head.Seq, head.At = last.Seq, last.At
			if head.Hash, err = last.Hash(); err != nil {
				return nil, head, err
			}
		}
		if len(events) == readBatch {
			continue
		}
		if p != nil {
			p.Stream = head
		}
		return p, head, nil
	}
}

// Record appends an event to a project's stream.
func (e *Engine) Record(ctx context.Context, project string, actor core.Actor, body core.Body) error {
	_, err := e.Tell(ctx, project, actor, func(*core.Project) (core.Body, error) { return body, nil })
	return err
}

// Register opens a project's stream, with the row that lists it.
func (e *Engine) Register(ctx context.Context, body core.ProjectRegistered, row store.ProjectRow) error {
	_, err := e.tell(ctx, body.Project, word{actor: core.Engine(), row: &row}, func(*core.Project) (core.Body, error) { return body, nil })
	return err
}

// Tell appends to a project's stream what say makes of the state that it is to
// follow, nil if the project is not registered. If the project moves on
// meanwhile, say is asked again. If say has nothing to add, nothing happens.
func (e *Engine) Tell(ctx context.Context, project string, actor core.Actor, say func(*core.Project) (core.Body, error)) (*core.Project, error) {
	return e.tell(ctx, project, word{actor: actor}, say)
}

// word is on whose behalf something is appended to a project's stream.
type word struct {
	actor core.Actor
	fence int64             // under which alone it counts; 0 for anybody's
	row   *store.ProjectRow // of a project that is registered by it
}

func (e *Engine) tell(ctx context.Context, project string, w word, say func(*core.Project) (core.Body, error)) (*core.Project, error) {
	for {
		p, head, err := e.project(ctx, project)
		if err != nil {
			return nil, err
		}
		body, err := say(p)
		if err != nil || body == nil {
			return p, err
		}
		next, err := e.append(ctx, p, head, project, w, body)
		if !errors.Is(err, store.ErrStale) {
			return next, err
		}
	}
}

// append judges and commits one event of a project, whose stream stands at head. It consumes p.
func (e *Engine) append(ctx context.Context, p *core.Project, head core.Head, project string, w word, body core.Body) (*core.Project, error) {
	if err := e.Left(project); err != nil {
		return p, err
	}
	if err := core.LawProject(p, w.actor, body); err != nil {
		return p, err
	}
	commit := store.Commit{Stream: core.ProjectStream(project), Of: project, Fence: w.fence, Project: w.row}
	if err := e.unbegun(ctx, p, body, &commit); err != nil {
		return p, err
	}
	name := ""
	if p != nil {
		name = p.Name
	}
	now, err := e.store.Now(ctx)
	if err != nil {
		return p, err
	}
	ev, after, err := core.Seal(core.ProjectStream(project), head, now, w.actor, "", body)
	if err != nil {
		return p, err
	}
	if p, err = core.FoldProject(p, ev); err != nil {
		return p, err
	}
	p.Stream = after
	commit.After, commit.Events, commit.Standing, commit.Conversations = head.Seq, []core.Event{ev}, standing(p), conversationRows(p, body)
	if e.opts.Steward != nil {
		commit.DueAt = e.opts.Steward.Due(p)
	}
	if p.Name != name {
		commit.Acquire, commit.Release = []core.Claim{core.NameClaim(project, p.Name)}, []core.Claim{core.NameClaim(project, name)}
	}
	err = e.store.Commit(ctx, commit)
	var held *store.ClaimHeld
	var open *store.RunOpen
	switch {
	case errors.As(err, &held):
		return p, core.Errorf(core.CodeConflict, "another project is called %s", p.Name).WithHint("choose another name").Offer(core.Choice{Verb: core.VerbProjects})
	case errors.As(err, &open):
		return p, openRun(p, open.Alias)
	}
	if err == nil {
		e.live.publish(commit.Stream)
	}
	return p, err
}

// standing is the projection of what people decided about a project.
func standing(p *core.Project) *store.Standing {
	s := &store.Standing{Project: p.ID, Name: p.Name, Playbook: p.Playbook, Queued: len(p.Waiting()), At: p.Stream.At}
	s.Refused = len(p.Queue) - s.Queued
	if p.Pause != nil {
		s.Paused = p.Pause.Reason
		if s.Paused == "" {
			s.Paused = "paused by " + p.Pause.By
		}
	}
	if p.Archived != nil {
		s.ArchivedAt = &p.Archived.At
	}
	return s
}
