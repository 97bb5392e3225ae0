package runfolder

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func TestArtifacts(t *testing.T) {
	f := openTemp(t)
	for round, content := range map[int]string{1: "first", 2: "second"} {
		if err := f.Artifact("plan", round, "plan.md", strings.NewReader(content)); err != nil {
			t.Fatal(err)
		}
		wantFile(t, f, "artifacts/latest/plan.md", []byte(content))
	}
	wantFile(t, f, "artifacts/plan.r1/plan.md", []byte("first"))
	wantFile(t, f, "artifacts/plan.r2/plan.md", []byte("second"))
	entries, err := os.ReadDir(f.at("artifacts/latest"))
	if err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
	for _, name := range []string{"", "../x", "/etc/passwd", "a/../b", ".hidden", "a\x00b", "a\nb", `a\b`, "a//b", "."} {
		if err := f.Artifact("plan", 1, name, strings.NewReader("x")); core.CodeOf(err) != core.CodeInvalid {
			t.Errorf("%q: %v", name, err)
		}
	}
	if err := f.Artifact("../plan", 1, "x", strings.NewReader("x")); core.CodeOf(err) != core.CodeInvalid {
		t.Errorf("stage: %v", err)
	}
}

// TestLinkOutOfTheFolder plants a link where an artifact is to go.
func TestLinkOutOfTheFolder(t *testing.T) {
	f := openTemp(t)
	outside := t.TempDir()
	if err := os.Symlink(outside, f.at(ArtifactsDir)); err != nil {
		t.Fatal(err)
	}
	if err := f.Artifact("plan", 1, "plan.md", strings.NewReader("x")); err == nil {
		t.Error("written through a link")
	}
	if entries, err := os.ReadDir(outside); err != nil || len(entries) != 0 {
		t.Errorf("outside: %v, %v", entries, err)
	}
}

func TestTranscripts(t *testing.T) {
	f := openTemp(t)
	if err := f.Transcript("plan.r1.a1", strings.NewReader("{}\n")); err != nil {
		t.Fatal(err)
	}
	wantFile(t, f, "transcripts/plan.r1.a1.jsonl", []byte("{}\n"))
	for _, bad := range []string{"../x", "a/b", "", "/x"} {
		if err := f.Transcript(bad, strings.NewReader("")); core.CodeOf(err) != core.CodeInvalid {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestState(t *testing.T) {
	r := &core.Run{
		ID: "0198", Title: "User Dashboard", Issue: "https://example.org/o/r/issues/42", Sterile: 4, Branch: "feature/x", Base: "develop",
		Status: core.StatusPaused, Pause: &core.Pause{Code: core.PauseAttempts, Reason: "three attempts"}, StartedAt: time.Unix(100, 0).UTC(),
		Options: core.Options{Coverage: 70, ModelTier: "fast", UIDesigner: true}, Session: "abc-123",
		Playbook: &core.Playbook{Name: "feature", Phases: []core.Phase{{ID: "plan", Title: "Planning"}}},
		Stages: []*core.Stage{
			{ID: "plan", Status: core.StageDone, Round: 1, Commit: "c1", ClosedAt: time.Unix(200, 0).UTC(), Tasks: []*core.Task{{
				Counted: 1, Attempts: []*core.Attempt{{Delivery: &core.Delivery{Context: []byte(`{"technicalSpec":{"specFile":"plan.md"}}`)}}},
			}}},
			{ID: "backend", Status: core.StageOpen, Round: 2, Tasks: []*core.Task{{Counted: 3}}},
			{ID: "publish", Status: core.StagePending, Gate: &core.Gate{Approved: true},
				Tasks: []*core.Task{{Act: core.ActPullRequest}}},
		},
		PullRequest: &core.PullRequest{URL: "https://example.org/1"},
	}
	f := openTemp(t)
	if err := f.WriteState(r); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(f.at(StateFile))
	if err != nil {
		t.Fatal(err)
	}
	var got, want map[string]any
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(`{
		"workflow": "feature", "status": "paused", "issue": {"number": 42, "url": "https://example.org/o/r/issues/42", "title": "User Dashboard"},
		"branch": "feature/x", "fromBranch": "develop", "targetCoverage": 70, "modelTier": "fast", "uiDesigner": true,
		"ownerSessionId": "abc-123", "currentPhase": 1, "startedAt": "1970-01-01T00:01:40Z",
		"phases": {
			"0": {"name": "Planning", "status": "completed", "round": 1, "commit": "c1",
				"completedAt": "1970-01-01T00:03:20Z"},
			"1": {"name": "backend", "status": "active", "round": 2},
			"2": {"name": "publish", "status": "pending", "prUrl": "https://example.org/1"}},
		"context": {"technicalSpec": {"specFile": "plan.md"}},
		"recovery": {"phase_0_attempts": 1, "phase_1_attempts": 3},
		"stopHookBlockCount": 4, "pushApproved": true, "pauseReason": "max_retries_phase_1", "pauseMessage": "three attempts"}`), &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	again, err := State(r)
	if err != nil || !bytes.Equal(again, data) {
		t.Errorf("not a pure function: %v", err)
	}
	if idle, err := State(&core.Run{}); err != nil || !bytes.Contains(idle, []byte(`"status": "idle"`)) {
		t.Errorf("idle: %s, %v", idle, err)
	}
}

// TestAStateThatSaysTheSameStays: an engine that starts looks at all open runs, and most have not moved.
func TestAStateThatSaysTheSameStays(t *testing.T) {
	f := openTemp(t)
	r := &core.Run{Title: "a", Playbook: &core.Playbook{}}
	write := func() os.FileInfo {
		t.Helper()
		if err := f.WriteState(r); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(f.at(StateFile))
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	first := write()
	if !os.SameFile(first, write()) {
		t.Error("the file was replaced by one that says the same")
	}
	r.Title = "b"
	if os.SameFile(first, write()) {
		t.Error("the file was not replaced although the run has changed")
	}
}
