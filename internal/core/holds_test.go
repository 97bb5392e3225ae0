package core

import (
	"encoding/json"
	"testing"
)

// said is a stage with one task that handed a document in and reported something.
func said(id string, status StageStatus, task TaskStatus, digest string) *Stage {
	d := &Delivery{Artifacts: []Artifact{{Name: "a.md", Digest: digest}}, Context: json.RawMessage(`{"by":{"` + id + `":"` + digest + `"},"last":"` + digest + `"}`)}
	return &Stage{ID: id, Status: status, Tasks: []*Task{{Status: task, Outputs: []string{"a.md"}, Attempts: []*Attempt{{Status: AttemptEnded, Verdict: VerdictPassed, Delivery: d}}}}}
}

// TestWhichDocumentHolds: the latest of a stage that holds, by who was asked for it.
func TestWhichDocumentHolds(t *testing.T) {
	t.Parallel()
	unasked := said("two", StageDone, TaskDone, "2")
	unasked.Tasks[0].Outputs = nil
	line := said("two", StageDone, TaskDone, "2")
	line.Branch = "x-two-1"
	empty := said("two", StageDone, TaskDone, "2")
	empty.Tasks[0].Attempts[0].Delivery.Artifacts = nil
	for name, c := range map[string]struct {
		second  *Stage
		managed bool
		want    string
	}{
		"done":                       {said("two", StageDone, TaskDone, "2"), false, "2"},
		"of the open round":          {said("two", StageOpen, TaskDone, "2"), false, "2"},
		"not verified":               {said("two", StageOpen, TaskDelivered, "2"), false, "1"},
		"of a stage to be done anew": {said("two", StageStale, TaskDone, "2"), false, "1"},
		"of one not begun":           {said("two", StagePending, TaskDone, "2"), false, "1"},
		"of one that was left out":   {said("two", StageOmitted, TaskDone, "2"), false, "1"},
		"handed in unasked":          {unasked, false, "1"},
		"asked for, not handed in":   {empty, false, "1"},
		"of a step's branch":         {line, false, "2"},
		"of a line that is filed":    {line, true, "1"},
	} {
		r := &Run{Stages: []*Stage{said("one", StageDone, TaskDone, "1"), c.second}, Managing: Managing{Documents: []Artifact{{Name: "z.md", Digest: "filed"}}}}
		if c.managed {
			r.Playbook = lasting().Playbook
		}
		if a := r.Artifact("a.md"); a == nil || a.Digest != c.want {
			t.Errorf("%s: %+v holds, want %s", name, a, c.want)
		}
		if a := r.Artifact("z.md"); (a != nil) != c.managed {
			t.Errorf("%s: of what is filed, %+v holds", name, a)
		}
		if a := r.Artifact("none.md"); a != nil {
			t.Errorf("%s: what nobody handed in is %+v", name, a)
		}
	}
}

// TestWhatAgentsReportedIsMerged: in the order of the stages that hold, and further
// reports on top.
func TestWhatAgentsReportedIsMerged(t *testing.T) {
	t.Parallel()
	further := &Delivery{Context: json.RawMessage(`{"last":"3"}`)}
	for status, want := range map[StageStatus]string{
		StageDone: `{"by":{"one":"1","two":"2"},"last":"2"}`, StageOpen: `{"by":{"one":"1","two":"2"},"last":"2"}`,
		StageStale: `{"by":{"one":"1"},"last":"1"}`, StagePending: `{"by":{"one":"1"},"last":"1"}`,
	} {
		r := &Run{Stages: []*Stage{said("one", StageDone, TaskDone, "1"), said("two", status, TaskDone, "2")}}
		if got := string(r.Context(nil, &Delivery{})); got != want {
			t.Errorf("%s: %s, want %s", status, got, want)
		}
	}
	r := &Run{Stages: []*Stage{said("one", StageDone, TaskDone, "1")}}
	if got := string(r.Context(further)); got != `{"by":{"one":"1"},"last":"3"}` {
		t.Errorf("with a further report: %s", got)
	}
}

// TestWhatARunWaitsFor: a pause says why, and a gate names its stage.
func TestWhatARunWaitsFor(t *testing.T) {
	t.Parallel()
	stages := []*Stage{{ID: "plan", Status: StageDone}, {ID: "docs", Status: StageGated, Gate: &Gate{}}}
	for name, c := range map[string]struct {
		run  Run
		want string
	}{
		"a pause":         {Run{Status: StatusPaused, Pause: &Pause{Reason: "no network"}, Stages: stages}, "no network"},
		"a gate":          {Run{Status: StatusAwaiting, Stages: stages}, "stage docs waits for an approval"},
		"nothing":         {Run{Status: StatusActive, Stages: stages}, ""},
		"no stage at all": {Run{Status: StatusAwaiting}, ""},
	} {
		if got := c.run.Waits(); got != c.want {
			t.Errorf("%s: it waits for %q, want %q", name, got, c.want)
		}
	}
}
