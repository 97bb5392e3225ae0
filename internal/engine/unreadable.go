package engine

import (
	"context"
	"errors"
	"sync"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// legible has the projects that were looked through for what this version cannot
// read, and why those with such a thing are left to others. Events do not change,
// so a project that is left stays left while this process lives.
type legible struct {
	mu     sync.Mutex
	looked map[string]bool  // by project
	left   map[string]error // by project

	looking lock // of who looks a project through
}

func (s *legible) has(project string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.looked[project]
}

// Left is why a project is left to engines of a newer version; nil if it is not.
// In such a project this engine decides and does nothing.
func (e *Engine) Left(project string) error {
	e.legible.mu.Lock()
	defer e.legible.mu.Unlock()
	return e.legible.left[project]
}

// readable makes sure, before anything is done for a project, that this version can
// read all of it that is open. It must not be called by who holds a stream. What is
// damaged rather than newer harms nobody but its own run.
func (e *Engine) readable(ctx context.Context, project string) error {
	if err := e.lookThrough(ctx, project); err != nil {
		return err
	}
	return e.Left(project)
}

// lookThrough reads what is open of a project, the first time that it is asked to.
func (e *Engine) lookThrough(ctx context.Context, project string) error {
	if e.legible.has(project) {
		return nil
	}
	e.legible.looking.Lock()
	defer e.legible.looking.Unlock()
	if e.legible.has(project) {
		return nil
	}
	open, err := e.store.Runs(ctx, store.Filter{Project: project, Open: true})
	if err != nil {
		return err
	}
	return e.readThrough(ctx, project, open)
}

// readThrough reads a project and its open runs as they are now.
func (e *Engine) readThrough(ctx context.Context, project string, open []store.RunRow) error {
	if _, err := e.Project(ctx, project); !settled(err) {
		return err
	}
	for _, row := range open {
		if err := e.renewed(ctx, row.ID); !settled(err) {
			return err
		}
	}
	e.legible.mu.Lock()
	defer e.legible.mu.Unlock()
	e.legible.looked[project] = true
	return nil
}

// renewed brings a run in memory up to date.
func (e *Engine) renewed(ctx context.Context, run string) error {
	s := e.streams.get(core.RunStream(run))
	s.mu.Lock()
	defer s.mu.Unlock()
	return e.refresh(ctx, s)
}

// settled reports that reading a history again would end the same: it was read, or
// its own events keep it from being read.
func settled(err error) bool {
	switch core.CodeOf(err) {
	case "", core.CodeInvalid, core.CodeForked, core.CodeNotFound, core.CodeUnsupported:
		return true
	case core.CodeConflict, core.CodeForbidden, core.CodeUnlawful, core.CodeUntrusted, core.CodeUnavailable, core.CodeInternal:
	}
	return false
}

// unread notes the project of a stream that this version cannot read. A run that is
// over asks for nothing any more, so its project goes on without it.
func (e *Engine) unread(ctx context.Context, stream string, cause error) {
	var why *core.Unreadable
	if !errors.As(cause, &why) {
		return
	}
	kind, id := core.StreamKind(stream)
	project, what := id, "the project"
	if kind == "run" {
		row, err := e.store.Run(ctx, id)
		if err != nil {
			e.log.Error("find the project of a run that cannot be read", "run", id, "error", err)
			return
		}
		if row.EndedAt != nil {
			return
		}
		project, what = row.Project, "run "+row.Alias
	}
	name := project
	if row, err := e.store.Project(ctx, project); err == nil {
		name = row.Name
	}
	e.leave(ctx, project, name, core.Errorf(core.CodeUnsupported, "project %s needs a newer version of Stellwerk: event %d of %s %s", name, why.Seq, what, why.What).
		Advise(core.AdviceOf(cause)).Because(why))
}

// leave gives a project up and says so, once. Its hints stay for others.
func (e *Engine) leave(ctx context.Context, project, name string, why error) {
	e.legible.mu.Lock()
	_, before := e.legible.left[project]
	if !before {
		e.legible.left[project] = why
	}
	e.legible.mu.Unlock()
	if before {
		return
	}
	e.log.Error("a project is left to engines of a newer version", "project", name, "error", why)
	if err := e.giveUp(ctx, project); err != nil {
		e.fault(ctx, "give a project back", err, "project", name)
	}
}

// readableAround is readable for the project that a stream belongs to.
func (e *Engine) readableAround(ctx context.Context, stream string) error {
	kind, id := core.StreamKind(stream)
	if kind == "run" {
		var err error
		if id, err = e.projectOf(ctx, id); err != nil || id == "" {
			return err
		}
	}
	return e.readable(ctx, id)
}

// projectOf is the project of a run; "" if there is no such run.
func (e *Engine) projectOf(ctx context.Context, run string) (string, error) {
	s := e.streams.get(core.RunStream(run))
	s.mu.Lock()
	state := s.run
	s.mu.Unlock()
	if state != nil {
		return state.Project, nil
	}
	row, err := e.store.Run(ctx, run)
	if errors.Is(err, store.ErrNotFound) {
		return "", nil
	}
	return row.Project, err
}
