package service

import (
	"context"
	"errors"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/engine"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

var _ engine.Steward = (*Service)(nil)

// Tend implements engine.Steward. The engine calls it when something happened in
// a project, and when a run that drove it has ended.
func (a *Service) Tend(ctx context.Context, project string) error {
	return errors.Join(a.align(ctx, project), a.next(ctx, project))
}

// lookAtProjects tends those that have something to be seen to when an engine
// starts. It does not wait for them.
func (a *Service) LookAtProjects(ctx, running context.Context) error {
	rows, err := a.store.Projects(ctx, 0)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if row.Queued == 0 && row.Paused == "" {
			continue
		}
		a.work.Go(func() {
			if err := a.Tend(running, row.ID); err != nil && running.Err() == nil {
				a.log.Error("look at a project", "project", row.Name, "error", err)
			}
		})
	}
	return nil
}

// align pauses the runs of a project that stands still, and lets go on those
// that were paused with it.
func (a *Service) align(ctx context.Context, project string) error {
	a.standing.Lock()
	defer a.standing.Unlock()
	p, err := a.engine.Project(ctx, project)
	if err != nil || p == nil {
		return err
	}
	open, err := a.store.Runs(ctx, store.Filter{Project: project, Open: true})
	if err != nil {
		return err
	}
	var errs []error
	for _, row := range open {
		run, err := a.engine.Load(ctx, row.ID)
		if err == nil {
			err = a.alignRun(ctx, p, run)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

func (a *Service) alignRun(ctx context.Context, p *core.Project, run *core.Run) error {
	var err error
	switch {
	case p.Pause != nil && (run.Pause == nil || run.Pause.Code == core.PauseQuestion): // which a default answer would end
		_, err = a.engine.Submit(ctx, run.ID, core.Engine(), core.RunPaused{
			Code: core.PauseProject, Reason: p.Still().Error(), Next: "`stellwerk projects resume " + p.Name + "`",
		})
	case p.Pause == nil && run.Pause != nil && run.Pause.Code == core.PauseProject:
		_, err = a.engine.Submit(ctx, run.ID, core.Policy("the project was resumed by "+p.Resumed), core.RunResumed{})
	}
	if core.CodeOf(err) == core.CodeConflict {
		return nil // it has ended, or was paused by somebody else, this moment
	}
	return err
}
