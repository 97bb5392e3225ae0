package check

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
	"github.com/stellwerk-dev/stellwerk/internal/wave"
)

// output passes if a worker handed in an answer that can be read and that covers the criteria of its delegation, with the
// documents that a completed answer needs. For a criterion that the worker claims to have met, its command must succeed.
func (v *evaluation) output(ctx context.Context, c core.Check) (core.CheckResult, error) {
	data, missing, err := v.document(ctx, core.OutputArtifact)
	if err != nil || missing != "" {
		return fail("%s", missing), err
	}
	out, findings, err := wave.ReadOutput(data, c.Criteria)
	if err != nil {
		return unusable(core.OutputArtifact, err), nil
	}
	for _, name := range c.Names {
		if out.Status != core.OutputCompleted {
			break // a worker that is stuck hands in what it has
		}
		if r, err := v.artifact(ctx, core.Check{Kind: core.CheckArtifact, Name: name}); err != nil || !r.Passed {
			return fail("%s says completed, but: %s", core.OutputArtifact, r.Detail), err
		}
	}
	for _, criterion := range c.Criteria {
		if criterion.Check == "" || !slices.Contains(out.Coverage.Met, criterion.Text) {
			continue
		}
		r, err := v.command(ctx, core.Check{Kind: core.CheckCommand, Run: criterion.Check})
		if err != nil || !r.Passed {
			return fail("%s says that this criterion is met: %s\nIts check says otherwise: %s\n%s", core.OutputArtifact, criterion.Text, criterion.Check, r.Detail), err
		}
	}
	met, unmet := len(out.Coverage.Met), len(out.Coverage.Unmet)
	return pass("The worker says that it is %s, with %d of %d criteria met.%s", out.Status, met, met+unmet, remarks(findings)), nil
}

// decision passes if a planner handed in a decision that can be read.
func (v *evaluation) decision(ctx context.Context) (core.CheckResult, error) {
	data, missing, err := v.document(ctx, core.DecisionArtifact)
	if err != nil || missing != "" {
		return fail("%s", missing), err
	}
	d, findings, err := wave.ReadDecision(data)
	if err != nil {
		return unusable(core.DecisionArtifact, err), nil
	}
	with := ""
	if d.Decision == core.CourseContinue {
		with = ", with " + count(len(d.Delegations), "delegation")
	}
	return pass("The planner decides to %s%s.%s", d.Decision, with, remarks(findings)), nil
}

// document reads a document of a run in waves, or says why it cannot be read.
func (v *evaluation) document(ctx context.Context, name string) (data []byte, missing string, err error) {
	a := v.subject.Delivery.Artifact(name)
	switch {
	case a == nil:
		return nil, notHandedIn(name, v.subject.Delivery), nil
	case a.Size > wave.MaxBytes:
		return nil, fmt.Sprintf("%s is %d bytes; at most %d are read. Say it in fewer words, and hand in what is long as a document of its own.",
			name, a.Size, wave.MaxBytes), nil
	}
	data, err = v.read(ctx, *a, wave.MaxBytes)
	return data, "", err
}

// unusable lists everything that is wrong with a document.
func unusable(name string, err error) core.CheckResult {
	lines := []string{err.Error()}
	var refused *wave.Error
	if errors.As(err, &refused) {
		lines = refused.Lines()
	}
	for i, line := range lines {
		lines[i] = plain.Line(line, 500)
	}
	return fail("%s was handed in, but it cannot be used:\n%s", name, bullets(lines, len(lines)))
}

// remarks lists findings that did not make a document unusable.
func remarks(findings []wave.Finding) string {
	if len(findings) == 0 {
		return ""
	}
	lines := make([]string, len(findings))
	for i, f := range findings {
		lines[i] = plain.Line(f.String(), 300)
	}
	return "\nNoted:\n" + bullets(lines, shownPaths)
}
