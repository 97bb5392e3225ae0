package runfolder

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// done is a stage that passed, with what it handed in and changed.
func done(id string, writes core.Writes, outputs, files []string) *core.Stage {
	d := &core.Delivery{}
	for _, name := range outputs {
		d.Artifacts = append(d.Artifacts, core.Artifact{Name: name})
	}
	return &core.Stage{ID: id, Status: core.StageDone, Round: 2, Tasks: []*core.Task{{
		ID: id + ".r2", Stage: id, Status: core.TaskDone, Writes: writes, Outputs: outputs,
		Attempts: []*core.Attempt{{Verdict: core.VerdictPassed, Delivery: d, Results: []core.CheckResult{{Kind: core.CheckChanged, Passed: true, Files: files}}}},
	}}}
}

// TestStateOfTheEightPhases: tools find each phase by the number, and each
// document by the name, that they have in bytA.
func TestStateOfTheEightPhases(t *testing.T) {
	ids := []string{"plan", "migrations", "backend", "frontend", "tests", "security", "review", "architecture", "publish"}
	book := &core.Playbook{Name: "fullstack"}
	for _, id := range ids {
		phase := core.Phase{ID: id}
		if id == "architecture" {
			phase.When = ".architecture.concern != null"
		}
		book.Phases = append(book.Phases, phase)
	}
	review := done("review", core.WritesArtifacts, []string{"review.json", "ph06.md"}, nil)
	review.Status, review.Gate = core.StageGated, &core.Gate{}
	review.Tasks[0].Attempts[0].Review = &core.Review{Status: core.ReviewChangesRequested, Findings: []core.Finding{{Type: "backend", File: "A.java", Issue: "Check it", Target: "backend"}}}
	tests := done("tests", core.WritesCode, []string{"ph04.md"}, nil)
	tests.Tasks[0].Attempts[0].Delivery.Context = []byte(`{"testResults": {"allPassed": true}, "backendImpl": {"specFile": "made up", "note": "kept"}}`)
	plan := done("plan", core.WritesArtifacts, []string{"plan-consolidated.md", "plan.json"}, nil)
	designed := done("plan", core.WritesArtifacts, []string{"plan-ui-designer.md"}, nil).Tasks[0]
	designed.Role = "ui-designer"
	plan.Tasks = append([]*core.Task{designed}, plan.Tasks...)
	r := &core.Run{
		ID: "1", Title: "User Dashboard", Status: core.StatusAwaiting, Playbook: book, PullRequest: &core.PullRequest{URL: "https://example.org/7"},
		Stages: []*core.Stage{
			plan,
			done("migrations", core.WritesCode, nil, []string{"db/V001.sql", "db/V002.sql"}),
			done("backend", core.WritesCode, []string{"ph02.md"}, nil),
			{ID: "frontend", Status: core.StageOmitted},
			tests,
			done("security", core.WritesArtifacts, []string{"review.json", "ph05.md"}, nil),
			review,
			{ID: "architecture", Status: core.StagePending},
			{ID: "publish", Status: core.StagePending, Tasks: []*core.Task{{Act: core.ActPullRequest}}},
		},
	}
	data, err := State(r)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		CurrentPhase int
		Phases       map[string]struct{ Name, PRURL string }
		Context      any
	}
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if got.CurrentPhase != 6 || got.Phases["7"].PRURL != "https://example.org/7" || got.Phases["6.1"].Name != "architecture" || got.Phases["2"].Name != "backend" {
		t.Errorf("the phases are %+v, at %d", got.Phases, got.CurrentPhase)
	}
	var want any
	if err := json.Unmarshal([]byte(`{
		"technicalSpec": {"specFile": "artifacts/plan.r2/plan-consolidated.md"},
		"wireframes": {"paths": ["artifacts/plan.r2/plan-ui-designer.md"]},
		"migrations": {"databaseFile": "db/V001.sql"},
		"backendImpl": {"specFile": "artifacts/backend.r2/ph02.md", "note": "kept"},
		"testReport": {"specFile": "artifacts/tests.r2/ph04.md"},
		"testResults": {"allPassed": true},
		"securityAudit": {"specFile": "artifacts/security.r2/ph05.md"},
		"reviewFeedback": {"specFile": "artifacts/review.r2/ph06.md", "status": "CHANGES_REQUESTED", "userApproved": false,
			"fixes": [{"type": "backend", "file": "A.java", "issue": "Check it"}]}}`), &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got.Context); diff != "" {
		t.Errorf("the context: %s", diff)
	}
	r.Status, r.Pause = core.StatusPaused, &core.Pause{Code: core.PauseSterile, Reason: "15 decisions"}
	var paused struct{ PauseReason, PauseMessage string }
	if data, err = State(r); err != nil || json.Unmarshal(data, &paused) != nil || paused.PauseReason != "stop_hook_loop_detected" || paused.PauseMessage != "15 decisions" {
		t.Errorf("%+v, %v", paused, err)
	}
}

// TestStateOfTheTenPhases: wireframes and the interface are phases of their own in
// the longer list, and tools find what they left beside the frontend's report.
func TestStateOfTheTenPhases(t *testing.T) {
	data, err := contextOf(&core.Run{ID: "1", Stages: []*core.Stage{
		done("wireframes", core.WritesCode, nil, []string{"wireframes/a.html", "wireframes/b.html"}),
		done("api", core.WritesArtifacts, []string{"ph02.md"}, nil),
		done("frontend", core.WritesCode, []string{"ph03.md"}, nil),
	}})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"apiDesign":{"apiDesignFile":"artifacts/api.r2/ph02.md"},"frontendImpl":{"specFile":"artifacts/frontend.r2/ph03.md"},` +
		`"wireframes":{"paths":["wireframes/a.html","wireframes/b.html"]}}`
	if diff := cmp.Diff(want, string(data)); diff != "" {
		t.Error(diff)
	}
}
