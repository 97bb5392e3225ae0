package engine

import (
	"context"
	"errors"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// refusals are what the store refused of a step, to be decided upon instead.
type refusals struct {
	claims map[string]*store.ClaimHeld // by attempt
	others *core.Spent                 // what the project's other runs have spent
}

// spent takes in that the project has spent what it may. It reports false
// where that was not why the commit failed, or the run was told just this
// before and did not pause.
func (r *refusals) spent(err error) bool {
	var budget *store.BudgetSpent
	if !errors.As(err, &budget) || r.others != nil && *r.others == budget.Others {
		return false
	}
	r.others = &budget.Others
	return true
}

// limit holds a step to the limits of the project, and has the project's other
// runs looked at where it spends. A run that rests may always say so.
func (b *batch) limit(before *core.Run) {
	r := b.run
	if before != nil {
		was, now := before.Share(), r.Share()
		b.commit.Spends = now.CostUSD > was.CostUSD || now.Tokens > was.Tokens
	}
	if r.Status == core.StatusActive && r.Limits.Project != (core.ProjectLimits{}) {
		starts := slices.ContainsFunc(b.commit.Events, func(ev core.Event) bool { return ev.Type == core.TypeAttemptRequested })
		b.commit.Budget = &store.Budget{Project: r.Project, Run: r.ID, Share: r.Share(), Starts: starts, Limits: r.Limits.Project}
	}
}

// retell tells an active run of what the others of its project have spent,
// where that means that it has to stop.
func (e *Engine) retell(ctx context.Context, s *stream) error {
	r := s.run
	if r.Status != core.StatusActive || r.Limits.Project == (core.ProjectLimits{}) {
		return nil
	}
	others, err := e.store.Spent(ctx, r.Project, r.ID)
	if err != nil || r.Limits.Project.Allows(others.Add(r.Share()), false) {
		return err
	}
	_, err = e.attempt(ctx, s, input{core.Engine(), core.ProjectSpent{Others: others}})
	return err
}
