package service

import (
	"context"
	"fmt"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// adviseMerge makes the advice to merge fit the person's repository as it is: the base may be
// checked out, in conflict or gone, or they have merged by hand. Nobody watches for that once
// a run is over, so it is recorded when somebody looks at the run.
func (a *Service) adviseMerge(ctx context.Context, run *core.Run, d *api.RunDetail) error {
	if !run.MergesHere() {
		return nil
	}
	m, _, err := a.mergeable(ctx, run)
	if err != nil {
		a.log.Warn("whether a run can be merged is not known", "run", run.Alias, "error", err)
		setAdvice(d, core.Advice{Hint: fmt.Sprintf("whether it can be merged cannot be told now: %v", err), Choices: run.Choices(core.VerbDiff)})
		return ctx.Err()
	}
	advice := core.Advice{Hint: instead(m), Choices: run.Choices(core.VerbDiff)}
	switch {
	case m.Merged:
		a.noteMerged(ctx, run, m, d)
		return ctx.Err()
	case m.Can:
		return nil
	case m.Tree != "":
		advice = core.Advice{Hint: m.Base + " is checked out in " + m.Tree, Choices: run.Choices(core.VerbDiff, core.VerbFastForward)}
	}
	if run.Status == core.StatusReview {
		advice.Choices = append(advice.Choices, run.Choices(core.VerbFeedback)...)
	}
	setAdvice(d, advice)
	return nil
}

func setAdvice(d *api.RunDetail, advice core.Advice) {
	d.Advice, d.Next = advice, wording.Advice("", advice)
}

// noteMerged records that the base of a run that is over holds its work. For one that is not
// over, the watch of its branch is about to say so.
func (a *Service) noteMerged(ctx context.Context, run *core.Run, m api.Mergeable, d *api.RunDetail) {
	d.MergesHere = false
	setAdvice(d, core.Advice{})
	if run.Status != core.StatusCompleted {
		return
	}
	_, err := a.mergeSeen(ctx, run, a.granted(ctx, run, m.Tip), m.Tip)
	if err == nil {
		run, err = a.engine.Load(ctx, run.ID)
	}
	if err != nil {
		a.log.Warn("a merge was seen and cannot be recorded", "run", run.Alias, "error", err)
		return
	}
	*d = a.detail(ctx, run)
}
