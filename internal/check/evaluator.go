package check

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// maxDetail bounds the evidence of one result in bytes.
const maxDetail = 6 << 10

// Evaluator evaluates checks. Its fields are set once; it may be used concurrently.
type Evaluator struct {
	Tree        Tree
	Artifacts   Artifacts
	Runner      Runner
	Memory      Memory // nil: every check is run again
	Environment string // names everything else that a command's verdict depends on, beyond tree, artifacts and check
}

// Evaluate says whether a delivery passes a check, with one result for each part in the order it was written. It evaluates
// every part even after a failure, commands last, so that a retry has all the evidence. It also checks for artifacts that the
// task must hand in and the check does not mention. A check that asks for nothing never passes.
//
// An error means that no verdict could be reached: the check is malformed (core.CodeInvalid) or the world failed.
func (e *Evaluator) Evaluate(ctx context.Context, c core.Check, s Subject) (bool, []core.CheckResult, error) {
	if c.Kind == "" {
		c = core.Check{Kind: core.CheckAll}
	}
	if err := validate(c, 0, new(int)); err != nil {
		return false, nil, err
	}
	var results []core.CheckResult
	reason, final := s.refuse()
	if reason != "" {
		results = append(results, core.CheckResult{Check: "delivery", Kind: core.CheckGit, Detail: reason})
	}
	if final {
		return false, results, nil
	}
	v := evaluation{Evaluator: e, subject: s}
	parts := append(flatten(c), implied(c, s.Outputs)...)
	rest, err := v.each(ctx, parts)
	if err != nil {
		return false, nil, err
	}
	results = append(results, rest...)
	if len(results) == 0 {
		results = append(results, core.CheckResult{
			Check: "all", Kind: core.CheckAll, Detail: "The task has no check, so nothing can show that it is done.",
		})
	}
	passed := !slices.ContainsFunc(results, func(r core.CheckResult) bool { return !r.Passed })
	return passed, results, nil
}

// evaluation is one call of Evaluate. It lists a commit once, however many checks look at it.
type evaluation struct {
	*Evaluator
	subject Subject
	files   []yard.File
	changes []yard.Change
	listed  bool
	diffed  bool
}

// each evaluates checks, the cheap ones first, and returns their results in the given order.
func (v *evaluation) each(ctx context.Context, checks []core.Check) ([]core.CheckResult, error) {
	results := make([]core.CheckResult, len(checks))
	for _, i := range cheapFirst(checks) {
		r, err := v.one(ctx, checks[i])
		if err != nil {
			return nil, err
		}
		results[i] = r
	}
	return results, nil
}

// one evaluates a check to a single result.
func (v *evaluation) one(ctx context.Context, c core.Check) (core.CheckResult, error) {
	started := time.Now()
	r, err := v.kind(ctx, c)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return r, fmt.Errorf("evaluate check %q: %w", Describe(c), err)
	}
	r.Check, r.Kind = Describe(c), c.Kind
	if r.Detail = plain.Text(r.Detail); len(r.Detail) > maxDetail {
		r.Detail = plain.Head(r.Detail, maxDetail)
	}
	if !r.Reused {
		r.Elapsed = time.Since(started)
	}
	return r, nil
}

func (v *evaluation) kind(ctx context.Context, c core.Check) (core.CheckResult, error) {
	switch c.Kind {
	case core.CheckAll:
		return v.all(ctx, c)
	case core.CheckAny:
		return v.any(ctx, c)
	case core.CheckNot:
		return v.not(ctx, c)
	case core.CheckChanged:
		return v.changed(ctx, c)
	case core.CheckFiles:
		return v.inTree(ctx, c)
	case core.CheckCommand:
		return v.command(ctx, c)
	case core.CheckArtifact:
		return v.artifact(ctx, c)
	case core.CheckState:
		return v.state(ctx, c)
	case core.CheckGit:
		return v.git(ctx, c)
	case core.CheckPlan:
		return v.plan(ctx, c)
	case core.CheckMerge:
		return v.merge(ctx, c)
	case core.CheckAlone:
		return v.alone(ctx, c)
	case core.CheckOutput:
		return v.output(ctx, c)
	case core.CheckDecision:
		return v.decision(ctx)
	}
	return core.CheckResult{}, core.Errorf(core.CodeUnsupported, "unknown kind of check %q", c.Kind)
}

// fail and pass make a result with its evidence.
func fail(format string, args ...any) core.CheckResult {
	return core.CheckResult{Detail: fmt.Sprintf(format, args...)}
}

func pass(format string, args ...any) core.CheckResult {
	return core.CheckResult{Passed: true, Detail: fmt.Sprintf(format, args...)}
}

const noCommit = "There is no commit to look at."
