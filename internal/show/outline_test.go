package show

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

var at = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func inWaves() *core.Run {
	later := "f2"
	return &core.Run{
		ID: "0198", Alias: "brisk-otter", Project: "p",
		Playbook: &core.Playbook{Name: "research", Kind: "waves", Project: &core.Management{
			Roles: map[core.TaskKind]string{core.KindWave: "wave-planner"}, Waves: &core.WaveRules{Writes: core.WritesArtifacts, Waves: 6, Delegations: 8},
		}},
		Stages: []*core.Stage{{ID: core.PlannerStage, Status: core.StageDone}, {ID: "compare", Status: core.StageOpen, Branch: "feature/x-compare-1"}},
		Questions: []core.Question{
			{ID: "q-1", Text: "Which?", From: "compare", Blocking: true, Due: at.Add(time.Hour), Default: "this", At: at},
			{ID: "q-2", Text: "Loud?", From: "survey", At: at},
			{ID: "q-3", Text: "How much?", At: at},
		},
		Waves: &core.Waves{
			N: 1, Open: true, Since: at,
			Works: []*core.Delegated{
				{Brief: core.Brief{ID: "survey", Agent: "researcher", Task: "See what is there.\nAll of it."}, Wave: 1, Status: core.DelegationDone},
				{Brief: core.Brief{ID: "compare", Agent: "examiner", Task: "Compare.", DependsOn: []string{"survey"}}, Wave: 1, Status: core.DelegationBlocked, Waits: []string{"q-1"}},
			},
			Pool: []core.Fact{{ID: "f1", SupersededBy: &later}, {ID: "f2"}},
		},
	}
}

func TestOutlineOfWaves(t *testing.T) {
	want := api.Outline{Run: "brisk-otter", Kind: "waves", Wave: 1, Open: true, Pieces: []api.Piece{
		{ID: "survey", Title: "See what is there.", Role: "researcher", Wave: 1, Status: "done"},
		{ID: "compare", Title: "Compare.", Role: "examiner", Wave: 1, Status: "blocked", After: []string{"survey"}, Waits: []string{"q-1"}, Branch: "feature/x-compare-1"},
	}}
	if diff := cmp.Diff(want, Outline(inWaves())); diff != "" {
		t.Error(diff)
	}
}

func TestOutlineOfPlansAndPhases(t *testing.T) {
	r := &core.Run{
		Alias: "calm-heron", Playbook: &core.Playbook{Kind: "rules", Project: &core.Management{}},
		Driving: core.Driving{Plan: &core.Plan{Steps: []core.Step{{ID: "1", Title: "One", Done: true}, {ID: "2", Title: "Two", Role: "developer", After: []string{"1"}}, {ID: "3"}}}},
		Stages:  []*core.Stage{{ID: "step-1", Status: core.StageOpen}, {ID: "step-2", Status: core.StageStale, Branch: "feature/x-step-2-1", Trouble: "why"}},
	}
	want := []api.Piece{
		{ID: "1", Title: "One", Status: "done"},
		{ID: "2", Title: "Two", Role: "developer", Status: "stale", After: []string{"1"}, Branch: "feature/x-step-2-1", Reason: "why"},
		{ID: "3", Status: "waiting"},
	}
	if diff := cmp.Diff(want, Outline(r).Pieces); diff != "" {
		t.Error(diff)
	}
	r.Driving.Plan = nil
	if got := Outline(r).Pieces; len(got) != 0 {
		t.Errorf("without a plan: %v", got)
	}
	r = &core.Run{
		Playbook: &core.Playbook{Kind: "phases", Phases: []core.Phase{
			{ID: "plan", Title: "Plan", Team: &core.Team{Hub: "architect"}}, {ID: "build", Role: "developer"}, {ID: "publish", Act: core.ActPullRequest},
		}},
		Stages: []*core.Stage{{ID: "plan", Status: core.StageDone}, {ID: "build", Status: core.StageGated}, {ID: "publish", Status: core.StagePending}},
	}
	want = []api.Piece{
		{ID: "plan", Title: "Plan", Role: "architect", Status: "done"},
		{ID: "build", Role: "developer", Status: "gated", After: []string{"plan"}},
		{ID: "publish", Role: "pull-request", Status: "waiting", After: []string{"build"}},
	}
	if diff := cmp.Diff(want, Outline(r).Pieces); diff != "" {
		t.Error(diff)
	}
}

// TestViewWaves says who asks what, and until when the run waits: only what somebody cannot do without counts.
func TestViewWaves(t *testing.T) {
	r := inWaves()
	w := waves(r)
	if w.N != 1 || w.Most != 6 || !w.Open || w.Planning || w.Facts != 1 || w.Asks || !w.Due.Equal(at.Add(time.Hour)) {
		t.Errorf("%+v", w)
	}
	var askers []string
	for _, q := range w.Questions {
		askers = append(askers, q.Asker)
	}
	if diff := cmp.Diff([]string{"delegation compare", "delegation survey", "the planner"}, askers); diff != "" {
		t.Error(diff)
	}
	r.Questions[2].Blocking = true
	r.Pause = &core.Pause{Code: core.PauseQuestion}
	if w := waves(r); !w.Asks || !w.Due.IsZero() {
		t.Errorf("%+v", w)
	}
}

// TestWhatIsStuckIsNotCalledOpen: a person is to see which step waits for them.
func TestWhatIsStuckIsNotCalledOpen(t *testing.T) {
	stuck := &core.Task{ID: "step-3.r1", Status: core.TaskWaiting, Limit: 3, Counted: 3}
	for want, r := range map[string]*core.Run{
		"stuck: step-3.r1 has no try left": {Stages: []*core.Stage{{ID: "step-3", Status: core.StageOpen, Tasks: []*core.Task{stuck}}}},
		"stuck: why":                       {Stages: []*core.Stage{{ID: "step-3", Status: core.StageOpen}}, Pause: &core.Pause{Stage: "step-3", Reason: "why"}},
		"open: ":                           {Stages: []*core.Stage{{ID: "step-3", Status: core.StageOpen}}, Pause: &core.Pause{Stage: "step-2", Reason: "why"}},
	} {
		r.Playbook, r.Driving.Plan = &core.Playbook{Kind: "rules", Project: &core.Management{}}, &core.Plan{Steps: []core.Step{{ID: "3"}}}
		if got := Outline(r).Pieces[0]; string(got.Status)+": "+got.Reason != want {
			t.Errorf("%+v, want %s", got, want)
		}
	}
}
