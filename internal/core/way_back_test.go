package core_test

import (
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// judged is a run at the gate of a review, after a plan, two stages that write code and
// one that hands in a document.
func judged() *core.Run {
	r := phased()
	r.Playbook.Phases = []core.Phase{
		{ID: "plan", Writes: core.WritesArtifacts}, {ID: "api", Writes: core.WritesCode}, {ID: "web", Writes: core.WritesCode}, {ID: "merge", Writes: core.WritesCode, Act: core.ActMerge},
		{ID: "docs", Writes: core.WritesArtifacts}, {ID: "review", Writes: core.WritesArtifacts, Rollback: &core.Rollback{Default: "plan"}}, {ID: "after", Writes: core.WritesCode},
	}
	r.Stages = nil
	for _, p := range r.Playbook.Phases {
		r.Stages = append(r.Stages, &core.Stage{ID: p.ID, Status: core.StageDone})
	}
	s := r.Stage("review")
	s.Status, s.Gate = core.StageGated, &core.Gate{}
	s.Tasks = []*core.Task{{ID: "review.r1", Status: core.TaskDone, Attempts: []*core.Attempt{{}}}}
	return r
}

// TestWhereAPersonsWordsGo: to who can act on them.
func TestWhereAPersonsWordsGo(t *testing.T) {
	t.Parallel()
	found := func(targets ...string) func(*core.Run) {
		return func(r *core.Run) {
			review := &core.Review{Status: core.ReviewChangesRequested}
			for _, target := range targets {
				review.Findings = append(review.Findings, core.Finding{Target: target})
			}
			r.Task("review.r1").Attempts[0].Review = review
		}
	}
	phase := func(change func(*core.Phase)) func(*core.Run) {
		return func(r *core.Run) { change(r.Playbook.Phase("review")) }
	}
	nowhere := phase(func(p *core.Phase) { p.Rollback.Default = "" })
	stage := func(id string, status core.StageStatus) func(*core.Run) {
		return func(r *core.Run) { r.Stage(id).Status = status }
	}
	for name, test := range map[string]struct {
		changes []func(*core.Run)
		want    string
	}{
		"the playbook's default":            {nil, "plan"},
		"what the findings name":            {[]func(*core.Run){found("web")}, "web"},
		"the earliest that they name":       {[]func(*core.Run){found("docs", "api", "web")}, "api"},
		"not one that was left out":         {[]func(*core.Run){found("api", "web"), stage("api", core.StageOmitted)}, "web"},
		"not one that comes later":          {[]func(*core.Run){found("after")}, "plan"},
		"nor the review itself":             {[]func(*core.Run){found("review")}, "plan"},
		"what the gate suggests":            {[]func(*core.Run){found("web"), func(r *core.Run) { r.Stage("review").Gate.Suggestion = "api" }}, "api"},
		"the last that wrote code":          {[]func(*core.Run){nowhere}, "web"},
		"of those that were done":           {[]func(*core.Run){nowhere, stage("web", core.StageOmitted)}, "api"},
		"itself, where nobody wrote code":   {[]func(*core.Run){nowhere, stage("web", core.StageOmitted), stage("api", core.StageOmitted)}, "review"},
		"itself, where it is not asked":     {[]func(*core.Run){stage("review", core.StageOpen)}, "review"},
		"itself, where it writes the code":  {[]func(*core.Run){phase(func(p *core.Phase) { p.Writes = core.WritesCode })}, "review"},
		"itself, where it sends nobody":     {[]func(*core.Run){phase(func(p *core.Phase) { p.Rollback = nil })}, "review"},
		"itself, where no phase is known":   {[]func(*core.Run){phase(func(p *core.Phase) { p.ID = "x" })}, "review"},
		"the default, where no gate stands": {[]func(*core.Run){func(r *core.Run) { r.Stage("review").Gate = nil }}, "plan"},
	} {
		r := with(judged, test.changes...)()
		if got := r.Answerable(r.Stage("review")); got != test.want {
			t.Errorf("%s: they go to %s", name, got)
		}
	}
	r := judged()
	none := core.Phase{ID: "review"}
	if got := r.WayBack(&none, nil); got != "web" {
		t.Errorf("without a rollback they go to %s", got)
	}
}

// TestWhatAStageChanged counts only where the stage does.
func TestWhatAStageChanged(t *testing.T) {
	t.Parallel()
	state := with(phased, func(r *core.Run) {
		task := func(id string, status core.TaskStatus, files ...string) *core.Task {
			return &core.Task{ID: id, Status: status, Attempts: []*core.Attempt{{Results: []core.CheckResult{{Check: "no files"}, {Files: files}, {Files: files}}}}}
		}
		r.Stages[1].Tasks = []*core.Task{
			task("a", core.TaskDone, "a.go", "b.go"), task("b", core.TaskDone, "b.go", "c.go"), task("c", core.TaskVerifying, "d.go"), task("d", core.TaskDropped, "e.go"), {ID: "e", Status: core.TaskDone},
		}
	})
	for status, want := range map[core.StageStatus]int{
		core.StageOpen: 3, core.StageGated: 3, core.StageDone: 3, core.StagePending: 0, core.StageStale: 0, core.StageOmitted: 0,
	} {
		r := state()
		r.Stages[1].Status = status
		if got := r.Changed("write"); len(got) != want {
			t.Errorf("of a stage that is %s: %v", status, got)
		}
	}
	if got := state().Changed("nowhere"); got != nil {
		t.Errorf("of no stage: %v", got)
	}
}
