package engine

import (
	"context"
	"errors"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// Steward is the pure code that decides about projects; see decider/project.
type Steward interface {
	Decide(p *core.Project, f core.ProjectFacts) core.ProjectActions
	// Due is when the project is to be looked at again; nil for not before
	// something happens.
	Due(p *core.Project) *time.Time
	// Failed says what becomes of an epic whose run could not be started; nil for
	// nothing.
	Failed(p *core.Project, f core.StartFailure) core.Body
}

// Tend looks at a project and does what its state asks for: its runs pause and
// go on with it, and the epic whose turn it is begins. It may be called at any
// time and any number of times, and does nothing in an engine that does not own the
// project. What is decided by a state that has passed, the
// store refuses; whoever changed it has had the project looked at again.
func (e *Engine) Tend(ctx context.Context, project string) error {
	if err := e.readable(ctx, project); err != nil {
		return err
	}
	// One after the other, so that nothing begins or ends by a state that another has
	// seen pass.
	tended := e.streams.get(core.ProjectStream(project))
	tended.mu.Lock()
	defer tended.mu.Unlock()
	for e.opts.Steward != nil {
		fence, mine := e.owned.fence(project)
		if !mine {
			return nil
		}
		p, err := e.Project(ctx, project)
		if err != nil || p == nil {
			return err
		}
		facts, err := e.facts(ctx, p)
		if err != nil {
			return err
		}
		actions := e.opts.Steward.Decide(p, facts)
		aligned := e.align(ctx, p, fence, actions)
		if actions.Taken == nil {
			e.dispatcher.StartEpic(p, fence, actions.Start)
			return aligned
		}
		_, err = e.tell(ctx, project, word{actor: core.Engine(), fence: fence}, func(*core.Project) (core.Body, error) { return *actions.Taken, nil })
		if !passed(err) {
			return errors.Join(aligned, err)
		}
	}
	return nil
}

// passed reports that something was recorded, or that somebody else was quicker.
func passed(err error) bool {
	code := core.CodeOf(err)
	return code == "" || code == core.CodeConflict || code == core.CodeNotFound
}

// facts are what decisions about a project depend on in addition to its state.
func (e *Engine) facts(ctx context.Context, p *core.Project) (f core.ProjectFacts, err error) {
	if f.Now, err = e.store.Now(ctx); err != nil {
		return f, err
	}
	if waiting := p.Waiting(); len(waiting) > 0 {
		// Noted before it is looked whether the project is free, so that no end of
		// a run is missed.
		if err := e.store.Await(ctx, core.ProjectStream(p.ID), core.ProjectClaim(p.ID, "")); err != nil {
			return f, err
		}
		head, err := e.store.Head(ctx, core.RunStream(waiting[0].Run))
		if err != nil {
			return f, err
		}
		f.Begun = head.Seq > 0
	}
	if f.Driver, err = e.Driver(ctx, p.ID); err != nil {
		return f, err
	}
	rows, err := e.store.Runs(ctx, store.Filter{Project: p.ID, Open: true})
	if err != nil {
		return f, err
	}
	for _, row := range rows {
		run, err := e.Load(ctx, row.ID)
		if err != nil { // nobody can pause it, and nothing begins in it
			e.log.Error("read a run of a project", "project", p.Name, "run", row.Alias, "error", err)
			continue
		}
		open := core.OpenRun{ID: run.ID}
		if run.Pause != nil {
			open.Pause = run.Pause.Code
		}
		f.Open = append(f.Open, open)
	}
	return f, nil
}

// Driver is the id of the run that drives a project; "" while none does.
func (e *Engine) Driver(ctx context.Context, project string) (string, error) {
	holders, err := e.store.Holders(ctx, core.ClaimProject, project)
	if err != nil || len(holders) == 0 {
		return "", err
	}
	_, run := core.StreamKind(holders[0])
	return run, nil
}

// align pauses runs with their project, and lets go on those that were.
func (e *Engine) align(ctx context.Context, p *core.Project, fence int64, a core.ProjectActions) error {
	var errs []error
	for _, run := range a.Pause {
		if _, err := e.Conclude(ctx, run, fence, p.PausedWith()); !passed(err) {
			errs = append(errs, err)
		}
	}
	for _, run := range a.Resume {
		if _, err := e.Submit(ctx, run, core.Policy("the project was resumed by "+p.Resumed), core.RunResumed{}); !passed(err) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// StartFailed records, under the fence that the start was asked for with, that an epic's run
// could not be started, and reports whether the epic was refused for that. Otherwise it is tried again, or somebody
// else has settled it.
func (e *Engine) StartFailed(ctx context.Context, project string, fence int64, f core.StartFailure) (p *core.Project, refused bool, err error) {
	p, err = e.tell(ctx, project, word{actor: core.Engine(), fence: fence}, func(p *core.Project) (core.Body, error) {
		body := e.opts.Steward.Failed(p, f)
		_, refused = body.(core.EpicRefused)
		return body, nil
	})
	if err != nil && passed(err) {
		return p, false, nil
	}
	return p, refused && err == nil, err
}
