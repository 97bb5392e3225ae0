package apitest

import (
	"context"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Delegate implements [api.Tools].
func (s *Service) Delegate(ctx context.Context, run string, req core.Proposal) (api.Delegated, error) {
	return api.Delegated{ID: "t1", Status: string(core.DelegationOpen)}, s.word(ctx, "delegate", run, req)
}

// Tell implements [api.Tools].
func (s *Service) Tell(ctx context.Context, run string, req api.Tell) (api.Told, error) {
	return api.Told{Event: "e1"}, s.word(ctx, "message", run, req)
}

// Ask implements [api.Tools].
func (s *Service) Ask(ctx context.Context, run string, req api.Ask) (api.Asked, error) {
	return api.Asked{ID: core.QuestionID(run, req.Text)}, s.word(ctx, "question", run, req)
}

// UpdatePlan implements [api.Tools].
func (s *Service) UpdatePlan(ctx context.Context, run string, req api.UpdatePlan) (api.Plan, error) {
	return api.Plan{Files: req.Files}, s.word(ctx, "plan", run, req)
}

// Plan implements [api.Tools].
func (s *Service) Plan(ctx context.Context, run string) (api.Plan, error) {
	return api.Plan{}, s.word(ctx, "show plan", run, nil)
}
