package service

import (
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/sqlitetest"
)

// TestWhoWaitsForAMachine: an attempt that was to begin, and came to a machine without a slot for it, says what it waits for
// until it is handed one. Its run is at work if another of its attempts is.
func TestWhoWaitsForAMachine(t *testing.T) {
	db := sqlitetest.New(t)
	limits := core.DefaultLimits()
	limits.Parallel, limits.Project.Parallel = 5, 1
	task := &core.Task{ID: "a.r1", Status: core.TaskRunning, Attempts: []*core.Attempt{{ID: "a.r1.a1", Status: core.AttemptPending}}}
	run := &core.Run{ID: "r1", Project: "p", Status: core.StatusActive, Limits: limits, Stages: []*core.Stage{{ID: "a", Tasks: []*core.Task{task}}}}
	commit := func(c store.Commit) {
		t.Helper()
		if err := db.Commit(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	turn := func() (string, string) {
		t.Helper()
		line, view := &turns{store: db}, api.Run{}
		text, _, err := line.task(t.Context(), run, task)
		if err == nil {
			err = line.run(t.Context(), run, &view)
		}
		if err != nil {
			t.Fatal(err)
		}
		return text, view.Turn
	}
	other := core.Slots{Holder: "run/r2/a", Project: "p", Pools: []core.SlotPool{{Key: core.ProjectSlots("p"), Limit: 1}}}
	commit(store.Commit{Stream: "run/r2", Take: []core.Slots{other}})
	commit(store.Commit{Stream: "run/r1", Queue: core.PendingSlots(run, "here")})
	want := "waits its turn: 1 of 1 attempts of this project at work, limits.project.parallel, next in line"
	if text, of := turn(); text != want || of != want {
		t.Errorf("in line: %q, and of the run %q", text, of)
	}
	beside := &core.Task{ID: "b.r1", Status: core.TaskRunning, Attempts: []*core.Attempt{{ID: "b.r1.a1", Status: core.AttemptRunning}}}
	run.Stages[0].Tasks = append(run.Stages[0].Tasks, beside)
	if text, of := turn(); text != want || of != "" {
		t.Errorf("beside another: %q, and of the run %q", text, of)
	}
	run.Stages[0].Tasks = run.Stages[0].Tasks[:1]
	commit(store.Commit{Stream: "run/r2", Free: []string{"run/r2/a"}})
	if text, of := turn(); text != "" || of != "" {
		t.Errorf("handed its slots: %q, and of the run %q", text, of)
	}
}

// TestWhoWaitsForSomethingElse, such as a branch, is not in line: what is said of it stays.
func TestWhoWaitsForSomethingElse(t *testing.T) {
	branch := core.Claim{Kind: core.ClaimBranch, Key: "main", Limit: 1}
	task := &core.Task{ID: "a.r1", Status: core.TaskWaiting, Blocked: &branch}
	run := &core.Run{ID: "r1", Project: "p", Status: core.StatusActive, Stages: []*core.Stage{{ID: "a", Tasks: []*core.Task{task}}}}
	const said = "waits for the branch"
	d := api.RunDetail{Stages: []api.Stage{{Tasks: []api.Task{{Blocked: said}}}}}
	s := &Service{store: sqlitetest.New(t)}
	if err := s.inLine(t.Context(), run, &d); err != nil || d.Stages[0].Tasks[0].Blocked != said || d.Turn != "" {
		t.Errorf("it says %+v, and of the run %q, %v", d.Stages[0].Tasks[0], d.Turn, err)
	}
}
