package phases_test

import (
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/phases"
)

// reviewed is a run at the end of its third stage, a review, with the first two done.
func reviewed(p core.Phase, status core.ReviewStatus, autoRounds int) *core.Run {
	p.ID, p.Role, p.Writes = "review", "dev", core.WritesArtifacts
	limits := core.DefaultLimits()
	limits.AutoRounds = 3
	verdict := &core.Review{Status: status, Findings: []core.Finding{{Issue: "x", Target: "code"}}}
	done := &core.Task{ID: "review.r1", Stage: "review", Status: core.TaskDone, Attempts: []*core.Attempt{
		{ID: "review.r1.a1", Status: core.AttemptEnded, Verdict: core.VerdictPassed, Delivery: &core.Delivery{}, Review: verdict},
	}}
	return &core.Run{
		Status: core.StatusActive, Limits: limits, AutoRounds: autoRounds, Head: "c1",
		Playbook: &core.Playbook{Kind: "phases", Phases: []core.Phase{{ID: "spec"}, {ID: "code", Writes: core.WritesCode}, p}},
		Stages: []*core.Stage{
			{ID: "spec", Status: core.StageDone}, {ID: "code", Status: core.StageDone},
			{ID: "review", Status: core.StageOpen, Round: 1, Tasks: []*core.Task{done}},
		},
	}
}

// TestWhatFollowsAReview: findings send the run back by themselves where the playbook
// says so, as often as it and the run's limits allow; then a person is asked.
func TestWhatFollowsAReview(t *testing.T) {
	passes, asks, back := core.TypeStagePassed, core.TypeApprovalRequested, core.TypeRolledBack
	auto := core.Phase{Findings: core.FindingsAuto, Gate: core.GateAuto}
	bounded := func(rounds int) core.Phase {
		p := auto
		p.FindingsRounds = rounds
		return p
	}
	for name, c := range map[string]struct {
		phase  core.Phase
		status core.ReviewStatus
		rounds int // that went back without asking before
		want   core.Type
	}{
		"approved":                    {auto, core.ReviewApproved, 0, passes},
		"approved, at a gate":         {core.Phase{Findings: core.FindingsAuto, Gate: core.GateApproval}, core.ReviewApproved, 0, asks},
		"changes, a person is asked":  {core.Phase{Findings: core.FindingsAsk, Gate: core.GateAuto}, core.ReviewChangesRequested, 0, asks},
		"changes":                     {auto, core.ReviewChangesRequested, 0, back},
		"changes, the last time":      {auto, core.ReviewChangesRequested, 2, back},
		"changes, once too often":     {auto, core.ReviewChangesRequested, 3, asks},
		"its own bound":               {bounded(1), core.ReviewChangesRequested, 0, back},
		"its own bound, reached":      {bounded(1), core.ReviewChangesRequested, 1, asks},
		"a bound above the run's":     {bounded(9), core.ReviewChangesRequested, 2, back},
		"a bound above it, too often": {bounded(9), core.ReviewChangesRequested, 3, asks},
	} {
		t.Run(name, func(t *testing.T) {
			bodies := (phases.Decider{}).Decide(reviewed(c.phase, c.status, c.rounds))
			if len(bodies) != 1 || core.TypeOf(bodies[0]) != c.want {
				t.Fatalf("decided %+v, want %s", bodies, c.want)
			}
			switch b := bodies[0].(type) {
			case core.RolledBack:
				if b.Target != "code" || b.From != "review" || !b.Auto || len(b.Findings) != 1 {
					t.Errorf("it goes back as %+v", b)
				}
			case core.ApprovalRequested:
				if objected := c.status == core.ReviewChangesRequested; (b.Suggestion == "code") != objected || (len(b.Findings) == 1) != objected {
					t.Errorf("the person is shown %+v", b)
				}
			default:
			}
		})
	}
}

// TestWhoHandsInWhatIsMissing: the run goes back to the last stage before that was to
// hand the document in, and a person is asked where there is none or it was left out.
func TestWhoHandsInWhatIsMissing(t *testing.T) {
	const doc = "api.md"
	writes := func(id string) core.Phase { return core.Phase{ID: id, Role: "dev", Outputs: []string{doc}} }
	reads := core.Phase{ID: "s", Role: "dev", Inputs: []core.Input{{Name: doc}}}
	for name, c := range map[string]struct {
		list   []core.Phase
		status core.StageStatus // of what comes before s
		rounds int
		target string // "" where a person is asked
	}{
		"one stage":                {[]core.Phase{writes("a"), reads}, core.StageDone, 0, "a"},
		"the last of two":          {[]core.Phase{writes("a"), writes("b"), reads}, core.StageDone, 0, "b"},
		"none that comes after it": {[]core.Phase{writes("a"), reads, writes("z")}, core.StageDone, 0, "a"},
		"not who hands in another": {[]core.Phase{writes("a"), {ID: "b", Role: "dev", Outputs: []string{"b.md"}}, reads}, core.StageDone, 0, "a"},
		"nor another team":         {[]core.Phase{writes("a"), {ID: "b", Team: &core.Team{Hub: "dev", Spokes: []string{"x"}}}, reads}, core.StageDone, 0, "a"},
		"for the last time":        {[]core.Phase{writes("a"), reads}, core.StageDone, 2, "a"},
		"only one after it":        {[]core.Phase{reads, writes("z")}, core.StageDone, 0, ""},
		"one that was left out":    {[]core.Phase{writes("a"), reads}, core.StageOmitted, 0, ""},
		"once too often":           {[]core.Phase{writes("a"), reads}, core.StageDone, 3, ""},
		"a team's member": {[]core.Phase{{ID: "api", Team: &core.Team{Hub: "dev", Spokes: []string{"x"}}}, {ID: "s", Role: "dev", Inputs: []core.Input{{Name: "api-x.md"}}}},
			core.StageDone, 0, "api"},
	} {
		t.Run(name, func(t *testing.T) {
			limits := core.DefaultLimits()
			limits.AutoRounds = 3
			run := &core.Run{
				Status: core.StatusActive, Limits: limits, AutoRounds: c.rounds,
				Playbook: &core.Playbook{Kind: "phases", Roles: map[string]core.Role{"dev": {}, "x": {}}, Phases: c.list},
			}
			status := c.status
			for _, p := range c.list {
				if p.ID == "s" {
					status = core.StagePending
				}
				run.Stages = append(run.Stages, &core.Stage{ID: p.ID, Status: status})
			}
			bodies := (phases.Decider{}).Decide(run)
			if len(bodies) != 1 {
				t.Fatalf("decided %+v", bodies)
			}
			switch b := bodies[0].(type) {
			case core.RolledBack:
				if b.Target != c.target || !b.Auto {
					t.Errorf("it goes back to %q, want %q", b.Target, c.target)
				}
			case core.RunPaused:
				if c.target != "" || b.Code != core.PauseInput || strings.Contains(b.Reason, "was skipped") != (c.status == core.StageOmitted) {
					t.Errorf("it pauses: %+v", b)
				}
			default:
				t.Errorf("decided %+v", b)
			}
		})
	}
}
