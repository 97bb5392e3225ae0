package dispatch

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/shim/shimtest"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// TestATrialLeavesNothingBehind: it runs on the commit that the run would begin with, tells what was said without
// secrets, ends what it runs with who waits for it, and gives the run what it cached, as long as there is to be one.
func TestATrialLeavesNothingBehind(t *testing.T) {
	s := newSurf(t)
	s.withWorkers(t)
	started := core.RunStarted{
		Run: "run-9", Project: "p", BaseCommit: s.run.BaseCommit, Isolation: "none",
		Playbook: core.Playbook{Setup: "mkdir deps && echo made > deps/made", Caches: []core.Cache{{Path: "deps", Key: []string{"kept.txt"}}}},
	}
	trial, err := s.NewTrial(t.Context(), started)
	if err != nil {
		t.Fatal(err)
	}
	got, err := trial.Run(t.Context(), "cat old.txt deps/made; echo "+hiddenWord+"; exit 3", waittest.Limit)
	if err != nil || got.ExitCode != 3 || got.Output != "one\nmade\n[redacted]\n" {
		t.Errorf("it said %+v, %v", got, err)
	}
	if got, err := trial.Run(t.Context(), "sleep 1000", 50*time.Millisecond); err != nil || !got.TimedOut {
		t.Errorf("past its time: %+v, %v", got, err)
	}
	ready := filepath.Join(t.TempDir(), "ready")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { _, err := trial.Run(ctx, "echo >"+ready+"; exec sleep 1000", waittest.Limit); done <- err }()
	shimtest.Await(t, "the command", func() bool { return shimtest.Exists(t, ready) })
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}
	if err := trial.Keep(); err != nil {
		t.Fatal(err)
	}
	if err := trial.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left, err := filepath.Glob(filepath.Join(s.Layout.State, "*", trialPrefix+"*")); err != nil || len(left) > 0 {
		t.Errorf("left are %q, %v", left, err)
	}
	if kept := contents(t, s.Layout.Caches("run-9")); len(kept) != 1 || kept[0] != "made\n" {
		t.Errorf("kept is %q", kept)
	}
	if err := trial.Disown(); err != nil || shimtest.Exists(t, s.Layout.Work("run-9")) {
		t.Errorf("a run that has not begun has a folder: %v", err)
	}
	started.Playbook.Setup = "echo no " + hiddenWord + "; exit 4"
	if trial, err = s.NewTrial(t.Context(), started); err != nil {
		t.Fatal(err)
	}
	var failed *SetupFailed
	for range 2 { // nothing runs where the setup failed
		if _, err := trial.Run(t.Context(), "true", waittest.Limit); !errors.As(err, &failed) || failed.ExitCode != 4 || failed.Output != "no [redacted]\n" {
			t.Errorf("a setup that fails: %v", err)
		}
	}
	if err := trial.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
