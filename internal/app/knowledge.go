package app

import (
	"context"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Outline implements api.Knowledge.
func (a *App) Outline(ctx context.Context, id string) (api.Outline, error) {
	run, err := a.find(ctx, id)
	if err != nil {
		return api.Outline{}, err
	}
	return outline(run), nil
}

// Facts implements api.Knowledge.
func (a *App) Facts(ctx context.Context, id string, history bool) ([]core.Fact, error) {
	run, err := a.find(ctx, id)
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
	return holding(run.Waves), nil
}

// Conflicts implements api.Knowledge.
func (a *App) Conflicts(ctx context.Context, id string) ([]core.Conflict, error) {
	run, err := a.find(ctx, id)
	if err != nil || !run.ByWaves() {
		return nil, err
	}
	return run.Waves.Conflicts(), nil
}
