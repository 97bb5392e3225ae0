package engine

import (
	"context"
	"errors"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// refusals are what the store refused of a step, to be decided upon instead.
type refusals struct {
	slots map[string]store.Full // by who wanted them
	spent *core.ProjectSpent    // what the project's other runs have spent
	told  int                   // how often that was said
	still *core.RunPaused       // the run pauses with its project instead of going on
}

// refusedBy notes that slots are taken, or that the project has spent what it may. It reports
// false if the commit failed for another reason, or if the run did not pause although it was
// told the same before, or told too often.
func (r *refusals) refusedBy(err error) bool {
	var taken *store.SlotsTaken
	if errors.As(err, &taken) {
		return r.wait(taken.Full)
	}
	var budget *store.BudgetSpent
	if !errors.As(err, &budget) {
		return false
	}
	spent := core.ProjectSpent{Others: budget.Others, At: budget.At}
	if r.told == maxDecisions || r.spent != nil && *r.spent == spent {
		return false
	}
	r.spent, r.told = &spent, r.told+1
	return true
}

// limit holds a step to the limits of the project, and has the project's other runs looked at
// if the step spends, or begins to use up time beside them. A run that rests may always say
// so, unless an attempt that it left under way reserves more.
func (b *batch) limit(before *core.Run) {
	r := b.run
	if before != nil {
		was, now := before.Share(), r.Share()
		b.commit.Spends = now.CostUSD > was.CostUSD || now.Tokens > was.Tokens
	}
	active := r.Status == core.StatusActive
	if active && (before == nil || before.Status != core.StatusActive) {
		b.commit.Spends = true
	}
	step := core.Intent{Works: active, Starts: b.starts, Reserves: b.reserves}
	if r.Limits.Project != (core.ProjectLimits{}) && (active || step.Reserves) {
		b.commit.Budget = &store.Budget{Project: r.Project, Run: r.ID, Share: r.Share(), At: r.Now(), Intent: step, Limits: r.Limits.Project}
	}
}

// notes takes in what of an event the limits of the project can forbid.
func (b *batch) notes(body core.Body) {
	switch body := body.(type) {
	case core.AttemptRequested:
		b.starts, b.reserves = true, true
	case core.AllowanceReserved:
		b.reserves = b.reserves || !body.Refused && !body.Returned
	default:
	}
}

// retell tells an active run what the other runs of its project have spent, if that makes it
// stop, or look at another time.
func (e *Engine) retell(ctx context.Context, s *stream, fence int64) error {
	r := s.run
	if r.Status != core.StatusActive || r.Limits.Project == (core.ProjectLimits{}) {
		return nil
	}
	at, err := e.store.Now(ctx)
	if err != nil {
		return err
	}
	if at.Before(r.Now()) {
		at = r.Now()
	}
	others, err := e.store.Spent(ctx, r.Project, r.ID, at)
	if err != nil || !r.MustHear(others, at) {
		return err
	}
	_, err = e.attempt(ctx, s, input{core.Engine(), core.ProjectSpent{Others: others, At: at}, fence})
	return err
}
