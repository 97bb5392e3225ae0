package manager_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// said has the agent at work hand in its work, with words of its own.
func (w *world) said(words string) {
	w.t.Helper()
	for _, s := range w.run.Stages {
		for _, t := range s.Tasks {
			if a := t.Last(); s.ID != core.ManagerStage && a != nil && a.Status.Active() {
				w.must(core.Engine(), core.AttemptStarted{Attempt: a.ID, Agent: "x"})
				w.must(core.Engine(), core.AttemptExited{Attempt: a.ID, Kind: core.ExitFinished, Summary: words, Delivery: w.deliver(t, a)})
				effect[core.Verify](w)
				return
			}
		}
	}
	w.t.Fatalf("nobody is at work\n%s", w.account())
}

// refuse has the merge that is under way refused.
func (w *world) refuse(files []string, failed ...string) {
	w.t.Helper()
	for _, a := range core.Effects(w.run) {
		if m, ok := a.(core.Merge); ok {
			body := core.MergeConcluded{Task: m.Task, Into: w.run.Head, From: w.run.Stage(m.Stage).Line, Conflicts: files}
			for _, check := range failed {
				body.Results = append(body.Results, core.CheckResult{Check: check})
			}
			if len(failed) > 0 {
				body.Commit = w.commit()
			}
			w.must(core.Engine(), body)
			return
		}
	}
	w.t.Fatalf("nothing is merged\n%s", w.account())
}

// TestTheManagerIsToldHowAMergeWent: what a worker said, which files both sides
// had changed, which checks the merged tree failed, and who put it right.
func TestTheManagerIsToldHowAMergeWent(t *testing.T) {
	w := steady(t)
	w.planned()
	w.propose(work(""))
	w.said("I wrote it.")
	w.refuse([]string{"a.go", "b.go"})
	w.said("I kept both.")
	w.refuse(nil, "test")
	w.said("I repaired it.")
	effect[core.Merge](w)
	got := w.run.Managing.Wakes[len(w.run.Managing.Wakes)-1]
	want := &core.MergeNote{
		Conflicts: true, Files: []string{"a.go", "b.go"}, Resolved: []string{"a.go", "b.go"}, Failed: []string{"test"},
		Build: core.VerdictPassed, Words: "I repaired it.",
	}
	if diff := cmp.Diff(want, got.Merge); diff != "" || got.Summary != "I wrote it." || got.Text != "merged into feature/x" || got.Status != "done" {
		t.Errorf("told %+v\n%s", got, diff)
	}

	w.rest()
	w.propose(core.Proposal{Prompt: "another"})
	w.said("I wrote that, too.")
	effect[core.Merge](w)
	got = w.run.Managing.Wakes[len(w.run.Managing.Wakes)-1]
	if diff := cmp.Diff(&core.MergeNote{Build: core.VerdictPassed}, got.Merge); diff != "" || got.Summary != "I wrote that, too." {
		t.Errorf("told %+v\n%s", got, diff)
	}
}

// TestTheManagerIsToldOfAMergeThatFailed: the conflict that nobody could resolve
// is part of what it hears.
func TestTheManagerIsToldOfAMergeThatFailed(t *testing.T) {
	w := steady(t)
	w.planned()
	w.propose(work(""))
	w.said("I wrote it.")
	for range w.run.Playbook.Project.Attempts {
		w.refuse([]string{"a.go"})
		w.said("I kept mine.")
	}
	w.refuse([]string{"a.go"})
	got := w.run.Managing.Wakes[len(w.run.Managing.Wakes)-1]
	if diff := cmp.Diff(&core.MergeNote{Conflicts: true, Files: []string{"a.go"}, Words: "I kept mine."}, got.Merge); diff != "" || got.Status != "failed" {
		t.Errorf("told %+v\n%s", got, diff)
	}
}

// TestTheManagerIsToldWhereThePullRequestIs: in a field of its own.
func TestTheManagerIsToldWhereThePullRequestIs(t *testing.T) {
	w := published(t)
	w.must(core.Person("me"), core.ApprovalGranted{Subject: w.run.Stage(core.PublishStage).Gate.Subject})
	const address = "https://forge.example/1"
	w.must(core.Engine(), core.PublishConcluded{Task: core.TaskID(core.PublishStage, 1, ""), OK: true, URL: address, Number: 1})
	if got := w.run.Manager().Turn.Wakes; len(got) != 1 || got[0].Request != address || got[0].Text != "the pull request is open" {
		t.Errorf("told %+v", got)
	}
}
