package waves_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func asks(b core.Brief, criteria ...string) core.Brief {
	b.Criteria = nil
	for _, text := range criteria {
		text, check, _ := strings.Cut(text, ": ")
		b.Criteria = append(b.Criteria, core.Criterion{Text: text, Check: check})
	}
	return b
}

func replacing(b core.Brief, of ...string) core.Brief {
	b.Replaces = of
	return b
}

// partly is a worker of whom delegations meet nothing, by their ids, and all else
// is done.
func partly(status core.OutputStatus, ids ...string) func(*world, *core.Delegated) core.WorkerOutput {
	return func(_ *world, d *core.Delegated) core.WorkerOutput {
		var all []string
		for _, c := range d.Brief.Criteria {
			all = append(all, c.Text)
		}
		if slices.Contains(ids, d.Brief.ID) {
			return core.WorkerOutput{Status: status, Coverage: core.Coverage{Unmet: all}}
		}
		return core.WorkerOutput{Status: core.OutputCompleted, Coverage: core.Coverage{Met: all}}
	}
}

// sees are the criteria that a delegation was admitted with, with their checks.
func (w *world) sees(id string) string {
	var all []string
	for _, c := range w.run.Waves.Work(id).Brief.Criteria {
		all = append(all, strings.TrimSuffix(c.Text+": "+c.Check, ": "))
	}
	return strings.Join(all, ", ")
}

// TestWhoReplacesTakesTheCriteriaOver: they are not gone by replacing the work with
// something easier, and their checks go with them.
func TestWhoReplacesTakesTheCriteriaOver(t *testing.T) {
	tests := map[string]struct {
		briefs []core.Brief
		want   map[string]string
	}{
		"something easier": {[]core.Brief{replacing(asks(brief("b"), "looks nice"), "a")}, map[string]string{"b": "looks nice, is fast: make bench, works"}},
		"the same words":   {[]core.Brief{replacing(asks(brief("b"), "Works.", "is fast"), "a")}, map[string]string{"b": "Works., is fast: make bench"}},
		"another check":    {[]core.Brief{replacing(asks(brief("b"), "is fast: go test -bench ."), "a")}, map[string]string{"b": "is fast: go test -bench ., works"}},
		"shared among two": {[]core.Brief{replacing(asks(brief("b"), "works"), "a"), replacing(asks(brief("c"), "is fast: true"), "a")}, map[string]string{"b": "works", "c": "is fast: true"}},
		"shared in part":   {[]core.Brief{replacing(asks(brief("b"), "x"), "a"), replacing(asks(brief("c"), "works"), "a")}, map[string]string{"b": "x, is fast: make bench", "c": "works"}},
		"beside it":        {[]core.Brief{asks(brief("b"), "x"), replacing(asks(brief("c"), "y"), "a")}, map[string]string{"b": "x", "c": "y, is fast: make bench, works"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			first := asks(brief("a"), "is fast: make bench", "works")
			w := steady(t, core.WritesArtifacts, further(first), further(test.briefs...), finish())
			w.work = partly(core.OutputPartial, "a")
			if w.play(); w.run.Status != core.StatusCompleted {
				t.Fatalf("%s\n%s", w.run.Status, w.account())
			}
			for id, want := range test.want {
				if got := w.sees(id); got != want {
					t.Errorf("%s: %q, not %q", id, got, want)
				}
			}
		})
	}
}

// TestWhatNobodyTookOverStaysUnmet: if admission refused who would have, the
// planner cannot finish.
func TestWhatNobodyTookOverStaysUnmet(t *testing.T) {
	flawed := replacing(asks(brief("c"), "is fast"), "a")
	flawed.Agent = "nobody"
	w := steady(t, core.WritesArtifacts, further(asks(brief("a"), "works", "is fast")), further(replacing(brief("b"), "a"), flawed), finish(), finish(), finish())
	w.work = partly(core.OutputPartial, "a")
	w.play()
	if got := w.run.Waves.Unmet(); w.run.Pause == nil || w.run.Pause.Code != core.PauseBarren || !slices.Equal(got, []string{"a: is fast"}) {
		t.Errorf("%v is unmet\n%s", got, w.account())
	}
	if c := w.run.Waves.Conflicts(); len(c) != 1 || c[0].Kind != core.ConflictCriterion || c[0].Subject != "is fast" {
		t.Errorf("the planner is shown %+v", c)
	}
}

// TestWhoReplacesAReplacement meets what both were asked for.
func TestWhoReplacesAReplacement(t *testing.T) {
	w := steady(t, core.WritesArtifacts, further(asks(brief("a"), "works")), further(replacing(asks(brief("b"), "x"), "a")), further(replacing(asks(brief("c"), "y"), "b")), finish())
	w.work = partly(core.OutputPartial, "a", "b")
	if w.play(); w.run.Status != core.StatusCompleted || w.sees("c") != "y, x, works" {
		t.Errorf("c is to see to %s\n%s", w.sees("c"), w.account())
	}
}

// TestAReplacementThatCannotBeMergedMetNothing: dropping it does not drop what it
// had taken over.
func TestAReplacementThatCannotBeMergedMetNothing(t *testing.T) {
	give := finish()
	give.Dropped = []core.Dropped{{ID: "b", Reason: "too difficult"}}
	w := steady(t, core.WritesCode, further(brief("a")), further(replacing(asks(brief("b"), "x"), "a")), give, finish(), finish())
	w.work, w.unmergeable = partly(core.OutputPartial, "a"), "b"
	w.play()
	if got := w.run.Waves.Unmet(); w.run.Pause == nil || w.run.Pause.Code != core.PauseBarren || !slices.Equal(got, []string{"a: works"}) {
		t.Errorf("%v is unmet: %+v\n%s", got, w.run.Pause, w.account())
	}
}

// TestWhatWasDroppedIsNotTakenOver: it is not wanted any more.
func TestWhatWasDroppedIsNotTakenOver(t *testing.T) {
	other := further(replacing(asks(brief("b"), "x"), "a"))
	other.Dropped = []core.Dropped{{ID: "a", Reason: "in another way"}}
	w := steady(t, core.WritesArtifacts, further(brief("a")), other, finish())
	w.work = partly(core.OutputFailed, "a")
	if w.play(); w.run.Status != core.StatusCompleted || w.sees("b") != "x" {
		t.Errorf("b is to see to %s\n%s", w.sees("b"), w.account())
	}
}

// TestNobodyTakesOverTooMuch: a worker could not speak of all the criteria.
func TestNobodyTakesOverTooMuch(t *testing.T) {
	var many []string
	for i := range core.MaxCriteria {
		many = append(many, fmt.Sprint("criterion ", i))
	}
	w := steady(t, core.WritesArtifacts, further(asks(brief("a"), many...)), further(replacing(brief("b"), "a")), further(replacing(asks(brief("c"), many[0]), "a")), finish())
	w.work = partly(core.OutputPartial, "a")
	w.play()
	if no := w.refusals(); len(no) != 1 || no[0].ID != "b" || no[0].Code != "bad_name" || !strings.Contains(no[0].Reason, "51 criteria") {
		t.Errorf("%+v", no)
	}
	if w.run.Status != core.StatusCompleted {
		t.Errorf("%s\n%s", w.run.Status, w.account())
	}
}
