package rules_test

import (
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// checkStep holds what must be true of a single event.
func checkStep(w *world, before *core.Run, body core.Body) {
	t := w.t
	switch b := body.(type) {
	case core.MergeConcluded:
		if b.Passed {
			w.merged = append(w.merged, w.run.Task(b.Task).Stage)
			if w.run.Head != b.Commit || w.run.Verified != b.Commit {
				t.Fatalf("a merge left the head at %s", w.run.Head)
			}
		} else if w.run.Head != before.Head {
			t.Fatalf("a merge that was refused moved the branch")
		}
	case core.StageOpened:
		if b.Branch == "" || !strings.HasPrefix(b.Stage, "step-") {
			break
		}
		for _, id := range before.Driving.Plan.Step(strings.TrimPrefix(b.Stage, "step-")).After {
			if step := before.Driving.Plan.Step(id); !step.Done && !before.Stage("step-"+id).Status.Closed() {
				t.Fatalf("%s begins before %s is merged", b.Stage, id)
			}
		}
	case core.VerifyConcluded, core.AttemptExited, core.AttemptStarted, core.StageDiscarded:
		if before.Head != w.run.Head {
			t.Fatalf("%s moved the run's branch", core.TypeOf(body))
		}
	case core.PublishRequested:
		if len(before.Driving.Changes) > 0 || b.Subject.Commit != before.Head {
			t.Fatalf("published is not what was merged last")
		}
	default:
	}
}

// checkState holds the promises of a managed run in every reachable state.
func checkState(t *rapid.T, r *core.Run) {
	branches := map[string]string{}
	merging := 0
	for _, s := range r.Stages {
		if s.Status == core.StageDone && s.Branch != "" && s.Merged == "" {
			t.Fatalf("stage %s passed and is not merged", s.ID)
		}
		writers := 0
		for _, task := range s.Tasks {
			if task.Act == core.ActMerge && task.Status == core.TaskVerifying {
				merging++
			}
			if a := task.Last(); a != nil && a.Status.Active() {
				writers++
			}
			if task.Counted > task.Limit && task.Act == "" {
				t.Fatalf("task %s: %d attempts of %d", task.ID, task.Counted, task.Limit)
			}
		}
		if writers > 1 {
			t.Fatalf("stage %s has %d agents at once", s.ID, writers)
		}
		if other := branches[s.Branch]; s.Branch != "" && other != "" {
			t.Fatalf("%s and %s work on one branch", s.ID, other)
		}
		branches[s.Branch] = s.ID
		if s.Branch != "" && (r.Driving.Plan == nil || r.Driving.Plan.Digest == "") {
			t.Fatalf("stage %s works without a plan", s.ID)
		}
	}
	if merging > 1 {
		t.Fatalf("%d merges at once", merging)
	}
	if merging > 0 && r.Driving.PlanWrite != nil {
		t.Fatalf("the plan is written during a merge")
	}
	if r.Status == core.StatusPaused && (r.Pause == nil || r.Pause.Reason == "" || r.Pause.Hint == "" && len(r.Pause.Choices) == 0) {
		t.Fatalf("paused without a reason and a next step: %+v", r.Pause)
	}
}

// complete holds what a completed project promises: every step is merged once,
// or a person left it out.
func (w *world) complete() {
	for _, step := range w.run.Driving.Plan.Steps {
		s := w.run.Stage("step-" + step.ID)
		n := len(w.merged) - len(slices.DeleteFunc(slices.Clone(w.merged), func(id string) bool { return id == "step-"+step.ID }))
		switch {
		case s == nil && !step.Done:
			w.t.Fatalf("step %s was never begun", step.ID)
		case s != nil && s.Status == core.StageDone && n != 1:
			w.t.Fatalf("step %s was merged %d times", step.ID, n)
		}
	}
	if len(w.run.Driving.Changes) > 0 {
		w.t.Fatalf("completed with open wishes: %+v", w.run.Driving.Changes)
	}
}
