package service

import (
	"context"
	"fmt"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// adviseMerge makes the advice to merge fit the person's repository as it is: the
// base may be checked out, in conflict or gone, or they have merged by hand. Nobody
// watches for that once a run is over, so who looks at the run has it recorded.
func (a *Service) adviseMerge(ctx context.Context, run *core.Run, d *api.RunDetail) error {
	if !wording.MergesHere(run) {
		return nil
	}
	m, _, err := a.mergeable(ctx, run)
	if err != nil {
		a.log.Warn("whether a run can be merged is not known", "run", run.Alias, "error", err)
		d.Next = fmt.Sprintf("look at it: `stellwerk diff %s`. Whether it can be merged cannot be told now: %v", run.Alias, err)
		return ctx.Err()
	}
	advice := fmt.Sprintf("look at it: `stellwerk diff %s`; then ", run.Alias)
	switch {
	case m.Merged:
		a.noteMerged(ctx, run, m, d)
		return ctx.Err()
	case m.Can:
		return nil
	case m.Tree != "":
		advice += fmt.Sprintf("`stellwerk merge %s --fast-forward`, since %s is checked out in %s", run.Alias, m.Base, m.Tree)
	default:
		advice += instead(m)
	}
	if run.Status == core.StatusReview {
		advice += fmt.Sprintf("; or say what is to change: `stellwerk feedback %s \"…\"`", run.Alias)
	}
	d.Next = advice
	return nil
}

// noteMerged records that the base of a run that is over holds its work. Of one that
// is not over, who watches the branch is about to say so.
func (a *Service) noteMerged(ctx context.Context, run *core.Run, m api.Mergeable, d *api.RunDetail) {
	d.MergesHere, d.Next = false, ""
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
	*d = a.detail(run)
}
