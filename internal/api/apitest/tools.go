package apitest

import (
	"context"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Delegate implements [api.Tools].
func (s *Service) Delegate(ctx context.Context, run string, req core.Proposal) (api.Delegated, error) {
	return api.Delegated{ID: "t1", Status: core.DelegationOpen}, s.word(ctx, "delegate", run, req)
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

// Detail implements [api.Tools].
func (s *Service) Detail(ctx context.Context, run string, req api.FetchDetail) (api.FetchedDetail, error) {
	content := "the content of " + req.Name
	return api.FetchedDetail{ID: req.Name, Title: req.Name, Content: content, Size: int64(len(content))}, s.word(ctx, "detail", run, req)
}

// Details implements [api.Tools].
func (s *Service) Details(ctx context.Context, run string) (api.DetailIndex, error) {
	return api.DetailIndex{
		Details: []api.IndexedDetail{{Detail: core.Detail{ID: "d1", Title: "schema.md", Summary: "three tables", Tags: []string{}}, Wave: 1}},
		Waves:   []string{"wave_01_compact.md"}, Facts: []core.Fact{}, Answers: []core.PastAnswer{},
	}, s.word(ctx, "details", run, nil)
}

// Plan answers with Known.Plan.
func (s *Service) Plan(ctx context.Context, run string) (api.Plan, error) {
	err := s.word(ctx, "show plan", run, nil)
	if s.Known.Plan == nil {
		return api.Plan{}, err
	}
	return *s.Known.Plan, err
}
