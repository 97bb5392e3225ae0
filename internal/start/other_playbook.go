package start

import (
	"context"
	"errors"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// OtherPlaybook is the playbook that a run is to go on with, for what is left of it.
func (a *Starter) OtherPlaybook(ctx context.Context, run *core.Run, req api.Swap) (*core.Playbook, error) {
	project, err := a.engine.Project(ctx, run.Project)
	if err != nil {
		return nil, err
	}
	if project == nil {
		return nil, core.Errorf(core.CodeNotFound, "the project of run %s is not known here", run.Alias)
	}
	chosen, err := chooseForge(nil)
	if err != nil {
		return nil, err
	}
	g, err := a.ground(ctx, site{req.Dir, project.ID}, run.Base, chosen)
	if err != nil {
		return nil, err
	}
	settings, _, err := g.settings(ctx, nil)
	if err != nil {
		return nil, err
	}
	p, err := g.playbook(ctx, req.Playbook, settings)
	if err != nil {
		return nil, err
	}
	if err := a.trust(ctx, g, p, req.Trust); err != nil {
		return nil, err
	}
	p.limitAttempts(settings.Attempts)
	if err := p.settle(run.Options); err != nil {
		return nil, err
	}
	if err := errors.Join(g.ready(ctx, p.playbook, run.Isolation), g.up.keepsToken(p.playbook)); err != nil {
		return nil, err
	}
	return p.playbook, nil
}
