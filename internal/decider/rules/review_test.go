package rules

import (
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestOnlyAPlanThatAPersonSawDoesWithoutReview: `Review: never` of a step is the
// plan's word, and a planner's plan that nobody approved does not have it.
func TestOnlyAPlanThatAPersonSawDoesWithoutReview(t *testing.T) {
	approved, passed := &core.Gate{Approved: true}, &core.Gate{}
	for name, c := range map[string]struct {
		step    string
		rule    core.ReviewWhen
		planned bool // by an agent
		gate    *core.Gate
		touches bool
		nobody  bool // reviews
		want    bool
	}{
		"never, a person's own plan":      {step: "never", rule: core.ReviewAlways},
		"never, approved":                 {step: "never", rule: core.ReviewAlways, planned: true, gate: approved},
		"never, nobody was asked":         {step: "never", rule: core.ReviewAlways, planned: true, want: true},
		"never, asked and not answered":   {step: "never", rule: core.ReviewAlways, planned: true, gate: passed, want: true},
		"never, nobody was asked, a path": {step: "never", rule: core.ReviewPaths, planned: true, touches: true, want: true},
		"never, as the playbook":          {step: "never", rule: core.ReviewNever, planned: true},
		"always, against the playbook":    {step: "always", rule: core.ReviewNever, planned: true, want: true},
		"as the playbook, always":         {rule: core.ReviewAlways, want: true},
		"as the playbook, a path":         {rule: core.ReviewPaths, touches: true, want: true},
		"as the playbook, no path":        {rule: core.ReviewPaths},
		"always, by nobody":               {step: "always", rule: core.ReviewAlways, nobody: true},
	} {
		r := &core.Run{Playbook: &core.Playbook{Project: &core.Management{
			Roles: map[core.TaskKind]string{core.KindReview: "reviewer"}, Review: core.ReviewRule{When: c.rule},
		}}}
		if c.planned {
			r.Stages = []*core.Stage{{ID: core.PlanStage, Status: core.StageDone, Gate: c.gate}}
		}
		if c.nobody {
			r.Playbook.Project.Roles = nil
		}
		task := &core.Task{Attempts: []*core.Attempt{{Touches: c.touches}}}
		if got := reviewed(r, &core.Step{Review: c.step}, task); got != c.want {
			t.Errorf("%s: reviewed is %v", name, got)
		}
	}
}
