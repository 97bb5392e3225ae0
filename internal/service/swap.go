package service

import (
	"context"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Swap implements api.Service. The other playbook is read, trusted and pinned as
// one is at the start of a run.
func (a *Service) Swap(ctx context.Context, id string, req api.Swap) (api.Run, error) {
	run, err := a.find.Run(ctx, id)
	if err != nil {
		return api.Run{}, err
	}
	p, err := a.start.OtherPlaybook(ctx, run, req)
	if err != nil {
		return api.Run{}, err
	}
	return a.steer(ctx, run.ID, func(*core.Run) (core.Body, error) {
		return core.PlaybookSwapped{Playbook: *p}, nil
	})
}
