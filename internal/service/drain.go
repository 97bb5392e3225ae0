package service

import (
	"context"
	"os"

	"github.com/stellwerk-dev/stellwerk/internal/api"
)

// Drain implements api.Engines.
func (a *Service) Drain(ctx context.Context, req api.Drain) (api.Drained, error) {
	list, err := a.Engines(ctx)
	if err != nil {
		return api.Drained{}, err
	}
	d := api.Drained{PID: os.Getpid(), Alone: true}
	for _, e := range list.Engines {
		if e.Here {
			d.Projects, d.Attempts = len(e.Projects), e.Attempts
		} else if e.State == api.EngineWorking {
			d.Alone = false
		}
	}
	if d.Alone && !req.Alone {
		return d, nil
	}
	d.Projects, d.Attempts, err = a.drain(ctx, req.Within)
	d.Begun = err == nil
	return d, err
}
