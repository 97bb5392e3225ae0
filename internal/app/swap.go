package app

import (
	"context"
	"errors"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Swap implements api.Service. The other playbook is read, trusted and pinned as
// one is at the start of a run.
func (a *App) Swap(ctx context.Context, id string, req api.Swap) (api.Run, error) {
	run, err := a.find(ctx, id)
	if err != nil {
		return api.Run{}, err
	}
	project, err := a.engine.Project(ctx, run.Project)
	if err != nil {
		return api.Run{}, err
	}
	if project == nil {
		return api.Run{}, core.Errorf(core.CodeNotFound, "the project of run %s is not known here", run.Alias)
	}
	chosen, err := chooseForge(nil)
	if err != nil {
		return api.Run{}, err
	}
	g, err := a.ground(ctx, site{req.Dir, project.ID}, run.Base, chosen)
	if err != nil {
		return api.Run{}, err
	}
	settings, _, err := g.settings(ctx, nil)
	if err != nil {
		return api.Run{}, err
	}
	p, err := g.playbook(ctx, req.Playbook, settings)
	if err != nil {
		return api.Run{}, err
	}
	if err := a.trust(ctx, g, p, req.Trust); err != nil {
		return api.Run{}, err
	}
	p.limitAttempts(settings.Attempts)
	if err := p.settle(run.Options); err != nil {
		return api.Run{}, err
	}
	if err := errors.Join(g.ready(ctx, p.playbook, run.Isolation), g.up.keepsToken(p.playbook)); err != nil {
		return api.Run{}, err
	}
	return a.steer(ctx, run.ID, func(*core.Run) (core.Body, error) {
		return core.PlaybookSwapped{Playbook: *p.playbook}, nil
	})
}
