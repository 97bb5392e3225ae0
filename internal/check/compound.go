package check

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// flatten takes `all` apart, nested ones included: each member gets a result of its own.
func flatten(c core.Check) []core.Check {
	if c.Kind != core.CheckAll {
		return []core.Check{c}
	}
	var parts []core.Check
	for _, member := range c.Of {
		parts = append(parts, flatten(member)...)
	}
	return parts
}

// implied makes a check of each output that c does not mention.
func implied(c core.Check, outputs []string) []core.Check {
	var parts []core.Check
	for _, name := range outputs {
		if !c.Mentions(name) {
			parts = append(parts, core.Check{Kind: core.CheckArtifact, Name: name})
		}
	}
	return parts
}

// cheapFirst orders the indices of checks by what they cost to evaluate, otherwise as written.
func cheapFirst(checks []core.Check) []int {
	order := make([]int, len(checks))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cost(checks[a]) - cost(checks[b]) })
	return order
}

func cost(c core.Check) int {
	switch c.Kind {
	case core.CheckState, core.CheckArtifact, core.CheckPlan, core.CheckDecision:
		return 0
	case core.CheckOutput:
		if slices.ContainsFunc(c.Criteria, func(k core.Criterion) bool { return k.Check != "" }) {
			return 2
		}
		return 0
	case core.CheckChanged, core.CheckFiles, core.CheckGit, core.CheckMerge, core.CheckAlone:
		return 1
	case core.CheckCommand:
		return 2
	case core.CheckAll, core.CheckAny, core.CheckNot:
		most := 0
		for _, m := range c.Of {
			most = max(most, cost(m))
		}
		return most
	}
	return 2
}

// all is a conjunction inside another compound; at the top it is flattened.
func (v *evaluation) all(ctx context.Context, c core.Check) (core.CheckResult, error) {
	members, err := v.each(ctx, c.Of)
	if err != nil {
		return core.CheckResult{}, err
	}
	failed := slices.DeleteFunc(members, func(r core.CheckResult) bool { return r.Passed })
	if len(failed) == 0 {
		return pass("All %d parts hold.", len(c.Of)), nil
	}
	r := fail("Not all parts hold.\n%s", list(failed))
	r.Output = outputOf(failed)
	return r, nil
}

// any tries the cheap parts first, and stops at the first one that holds.
func (v *evaluation) any(ctx context.Context, c core.Check) (core.CheckResult, error) {
	failed := make([]core.CheckResult, 0, len(c.Of))
	for _, i := range cheapFirst(c.Of) {
		r, err := v.one(ctx, c.Of[i])
		if err != nil {
			return r, err
		}
		if r.Passed {
			return pass("This part holds: %s", r.Check), nil
		}
		failed = append(failed, r)
	}
	r := fail("None of the parts holds.\n%s", list(failed))
	r.Output = outputOf(failed)
	return r, nil
}

func (v *evaluation) not(ctx context.Context, c core.Check) (core.CheckResult, error) {
	member, err := v.one(ctx, c.Of[0])
	if err != nil {
		return member, err
	}
	if member.Passed && c.Of[0].Kind == core.CheckAlone {
		return fail("Nothing was changed there, but something must be."), nil
	}
	if member.Passed {
		r := fail("This must not hold, but it does: %s\n%s", member.Check, member.Detail)
		r.Output = member.Output
		return r, nil
	}
	if c.Of[0].Kind == core.CheckAlone {
		return pass("Something was changed there."), nil
	}
	return pass("As required, this does not hold: %s", member.Check), nil
}

// list shows the results of a compound's parts, each in an equal share of the space.
func list(results []core.CheckResult) string {
	share := maxDetail / max(1, len(results))
	var b strings.Builder
	for _, r := range results {
		fmt.Fprintf(&b, "- %s\n", r.Check)
		if detail := clip(r, share); detail != "" {
			b.WriteString("  " + strings.ReplaceAll(detail, "\n", "\n  ") + "\n")
		}
	}
	return b.String()
}

// outputOf is the digest of the first output kept.
func outputOf(results []core.CheckResult) string {
	for _, r := range results {
		if r.Output != "" {
			return r.Output
		}
	}
	return ""
}
