package start

import (
	"context"
	"errors"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// OtherPlaybook is the playbook that a run is to go on with, for what is left of it.
func (a *Starter) OtherPlaybook(ctx context.Context, run *core.Run, req api.Swap) (*core.Playbook, error) {
	project, err := a.Engine.Project(ctx, run.Project)
	if err != nil {
		return nil, err
	}
	if project == nil {
		return nil, core.Errorf(core.CodeNotFound, "the project of run %s is not known here", run.Alias)
	}
	g, err := a.ground(ctx, site{req.Dir, project.ID}, run.Base, nil)
	if err != nil {
		return nil, err
	}
	p, err := g.load(ctx, req.Playbook, nil)
	if err != nil {
		return nil, err
	}
	if err := a.trust(ctx, g, p, req.Trust); err != nil {
		return nil, err
	}
	if err := p.settle(run.Options); err != nil {
		return nil, err
	}
	if err := errors.Join(g.ready(ctx, p.playbook, run.Isolation), g.up.keepsToken(p.playbook)); err != nil {
		return nil, err
	}
	return p.playbook, nil
}
