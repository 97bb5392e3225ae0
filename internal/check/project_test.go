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
		"# Plan\n\n## Steps\n\n### [x] 1. Say hello\n\nDo it.\n":   "no step that is still to be done",
		"# Plan\n\n## Steps\n\n### [ ] 1. a\nAfter: 7\n\nDo it.\n": "7",
		"# Plan\n\nJust words.\n":                                  "no plan that can be followed",
		"<<<<<<< ours\n# Plan\n=======\n# Plans\n>>>>>>> theirs\n": "no plan that can be followed",
	} {
		got := w.evaluate(c, w.subject(w.head(), w.blob("plan.md", text)))
		if !strings.Contains(got.Detail, want) || got.Passed != strings.HasPrefix(want, "A plan") {
			t.Errorf("%q: %+v", text, got)
		}
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
