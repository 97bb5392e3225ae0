package check_test

import (
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func TestAPlanHasStepsToDo(t *testing.T) {
	w := newWorld(t)
	c := core.Check{Kind: core.CheckPlan, Name: "plan.md"}
	for text, want := range map[string]string{
		"# Plan\n\n## Steps\n\n### [ ] 1. Say hello\n\nDo it.\n":   "A plan with 1 step to do.",
		"# Plan\n\n## Steps\n\n### [x] 1. Say hello\n\nDo it.\n":   "nothing is done yet",
		"# Plan\n\n## Steps\n\n### [ ] 1. a\nAfter: 7\n\nDo it.\n": "7",
		"# Plan\n\nJust words.\n":                                  "cannot follow the plan",
		"<<<<<<< ours\n# Plan\n=======\n# Plans\n>>>>>>> theirs\n": "cannot follow the plan",
	} {
		got := w.evaluate(c, w.subject(w.head(), w.blob("plan.md", text)))
		if !strings.Contains(got.Detail, want) || got.Passed != strings.HasPrefix(want, "A plan") {
			t.Errorf("%q: %+v", text, got)
		}
	}
	role := w.blob("plan.md", "# Plan\n\n## Steps\n\n### [ ] 1. a\nRole: wizard\n\nDo it.\n")
	if got := w.evaluate(c, w.subject(w.head(), role)); got.Passed || !strings.Contains(got.Detail, "wizard") {
		t.Errorf("a role that there is not: %+v", got)
	}
	c.Names = []string{"wizard"}
	if got := w.evaluate(c, w.subject(w.head(), role)); !got.Passed {
		t.Errorf("a role that there is: %+v", got)
	}
	if got := w.evaluate(c, w.subject(w.head())); got.Passed || !strings.Contains(got.Detail, "not handed in") {
		t.Errorf("a plan that is missing: %+v", got)
	}
}

func TestAMergeTakesBothSidesIn(t *testing.T) {
	w := newWorld(t)
	base := w.head()
	w.git("checkout", "-q", "-b", "other")
	w.write("other.txt", "other\n")
	into := w.commit("Other side")
	w.git("checkout", "-q", "main")
	w.write("own.txt", "own\n")
	from := w.commit("Own side")
	c := core.Check{Kind: core.CheckMerge, Into: into, From: from}
	if got := w.evaluate(c, w.subject(base)); got.Passed || !strings.Contains(got.Detail, into) {
		t.Errorf("a delivery without the other side: %+v", got)
	}
	w.git("merge", "-q", "--no-edit", "other")
	if got := w.evaluate(c, w.subject(base)); !got.Passed {
		t.Errorf("a merge: %+v", got)
	}
}

// TestLeftAloneMeansInNoWay: not added, modified, deleted, renamed away or turned into a link.
func TestLeftAloneMeansInNoWay(t *testing.T) {
	c := core.LeavesPlan("")
	for name, change := range map[string]func(w *world){
		"added":    func(w *world) { w.write(".ai/memo.md", "x\n") },
		"modified": func(w *world) { w.write(".ai/plan.md", "other\n") },
		"deleted":  func(w *world) { w.git("rm", "-q", ".ai/plan.md") },
		"renamed":  func(w *world) { w.git("mv", ".ai/plan.md", "plan.md") },
		"link":     func(w *world) { w.git("rm", "-q", ".ai/plan.md"); w.link("README.md", ".ai/plan.md") },
		"gone":     func(w *world) { w.git("rm", "-q", "-r", ".ai"); w.write(".ai", "a file\n") },
	} {
		w := newWorld(t)
		w.write(".ai/plan.md", "the plan\n")
		base := w.commit("Plan")
		w.write("own.txt", "x\n")
		w.commit("Work")
		if got := w.evaluate(c, w.subject(base)); !got.Passed {
			t.Fatalf("%s: work beside it: %+v", name, got)
		}
		change(w)
		w.commit("Touch")
		if got := w.evaluate(c, w.subject(base)); got.Passed {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestADeletionIsAChange: work may consist of taking something away.
func TestADeletionIsAChange(t *testing.T) {
	w := newWorld(t)
	base := w.head()
	c := core.ChangesSomething("")
	w.commit("Nothing")
	if got := w.evaluate(c, w.subject(base)); got.Passed {
		t.Errorf("an empty commit: %+v", got)
	}
	w.git("rm", "-q", "README.md")
	w.commit("Take it away")
	if got := w.evaluate(c, w.subject(base)); !got.Passed {
		t.Errorf("a deletion: %+v", got)
	}
}
