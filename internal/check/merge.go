package check

import (
	"context"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// merge passes if the delivery merges both sides and drops nothing of either.
func (v *evaluation) merge(ctx context.Context, c core.Check) (core.CheckResult, error) {
	if v.subject.Delivery == nil || v.subject.Delivery.Commit == "" {
		return fail(noCommit), nil
	}
	wrong, err := v.Tree.Resolved(ctx, c.Into, c.From, v.subject.Delivery.Commit)
	if err != nil {
		return core.CheckResult{}, err
	}
	if len(wrong) > 0 {
		return fail("It does not merge %s:\n%s", short(c.Into), bullets(wrong, shownPaths)), nil
	}
	return pass("It takes in %s.", short(c.Into)), nil
}
