package service

import (
	"context"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/show"
)

// Outline implements api.Knowledge.
func (a *Service) Outline(ctx context.Context, id string) (api.Outline, error) {
	run, err := a.find.Run(ctx, id)
	if err != nil {
		return api.Outline{}, err
	}
	return show.Outline(run), nil
}

// Facts implements api.Knowledge.
func (a *Service) Facts(ctx context.Context, id string, history bool) ([]core.Fact, error) {
	run, err := a.find.Run(ctx, id)
	if err != nil {
		return nil, err
	}
	if !run.ByWaves() {
		return nil, core.Errorf(core.CodeUnsupported, "run %s keeps no facts: its playbook %s is of kind %s", run.Alias, run.Playbook.Name, run.Playbook.Kind).
			WithHint("those of kind waves do")
	}
	if history {
		return run.Waves.Pool, nil
	}
	return show.Holding(run.Waves), nil
}

// Conflicts implements api.Knowledge.
func (a *Service) Conflicts(ctx context.Context, id string) ([]core.Conflict, error) {
	run, err := a.find.Run(ctx, id)
	if err != nil || !run.ByWaves() {
		return nil, err
	}
	return run.Waves.Conflicts(), nil
}
