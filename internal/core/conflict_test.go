package core_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// told is conflicts as "kind subject: source text | source text".
func told(all []core.Conflict) []string {
	var lines []string
	for _, c := range all {
		var sides []string
		for _, s := range c.Sides {
			sides = append(sides, strings.TrimSpace(s.Fact+" "+s.Source+" "+s.Text))
		}
		lines = append(lines, fmt.Sprintf("%s %s: %s", c.Kind, c.Subject, strings.Join(sides, " | ")))
	}
	return lines
}

func same(t *testing.T, got []core.Conflict, want ...string) {
	t.Helper()
	if lines := told(got); !slices.Equal(lines, want) {
		t.Errorf("\n got %q\nwant %q", lines, want)
	}
	ids := map[string]bool{}
	for _, c := range got {
		ids[c.ID] = true
	}
	if len(ids) != len(got) {
		t.Errorf("two conflicts have one id: %+v", got)
	}
}

func TestConflictsOfAPool(t *testing.T) {
	p := core.Pool(nil).Merge(about("b", said("w1", "B")), about("a", said("w1", "A")), about("", said("w1", "X")), about("", said("w2", "Y")))
	same(t, p.Conflicts(1))
	p = p.Merge(about("a", said("w2", "Z")), about("b", said("w3", "b")), about("b", said("guess1", "C")), about("g", said("guess1", "G")), about("g", said("guess2", "H")))
	same(t, p.Conflicts(1), "values a: f2 w1 A | f5 w2 Z", "values g: f7 guess1 G | f8 guess2 H", "assumption b: f6 guess1 C | f1 w1 B")
	open := p.Conflicts(2)
	same(t, open, "values a: f2 w1 A | f5 w2 Z", "values g: f7 guess1 G | f8 guess2 H")

	kept := p.Merge(core.Resolution{Conflict: open[0].ID, Content: "a"}.Settles(open[0], "wave_02", 2))
	same(t, kept.Conflicts(2), "values g: f7 guess1 G | f8 guess2 H")
	if f := kept.Fact("f2"); f.Origin != core.OriginPlanner || !slices.Equal(f.Sources, []string{"f5", "w1"}) || *kept.Fact("f5").SupersededBy != "f2" || f.Stale != "" {
		t.Errorf("%+v", f)
	}
	other := p.Merge(core.Resolution{Content: "neither"}.Settles(open[0], "wave_02", 2))
	if f := other.Fact("f9"); f == nil || f.Stale != "" || f.Content != "neither" || *other.Fact("f2").SupersededBy != "f9" || *other.Fact("f5").SupersededBy != "f9" {
		t.Errorf("%q", shown(other))
	}
	guessed := p.Conflicts(1)[2]
	if again := p.Merge(core.Resolution{Content: "C"}.Settles(guessed, "wave_02", 2)); again.Fact("f9").Stale != "" || *again.Fact("f1").SupersededBy != "f9" {
		t.Errorf("%q", shown(again))
	}

	confirmed := about("g", said("w5", "g"))
	confirmed.Wave = 3
	same(t, p.Merge(confirmed).Conflicts(3), "values a: f2 w1 A | f5 w2 Z", "assumption g: f8 guess2 H | f7 w5 G")
}

// TestAConflictKeepsItsID while its sides do, whatever else is in the pool.
func TestAConflictKeepsItsID(t *testing.T) {
	p := core.Pool(nil).Merge(said("w1", "A"), said("w2", "B"))
	id := p.Conflicts(1)[0].ID
	p = p.Merge(about("x", said("w1", "X")), said("w3", "a"))
	if got := p.Conflicts(1); len(got) != 1 || got[0].ID != id {
		t.Errorf("%+v, it was %s", got, id)
	}
	if got := p.Merge(said("w4", "C")).Conflicts(1); len(got) != 1 || got[0].ID == id {
		t.Errorf("a third side leaves it as it is: %+v", got)
	}
}

func TestTwoOnOneFile(t *testing.T) {
	same(t, core.FileConflicts([]core.Written{
		{ID: "c", Paths: []string{"go.mod", "c.go"}},
		{ID: "a", Paths: []string{"./go.mod", "go.mod", "z.go"}},
		{ID: "b", Paths: []string{"b.go", "z.go"}, After: []string{"x", "a"}},
		{ID: "d", Paths: []string{"z.go", "b.go"}, After: []string{"b"}},
	}), "file go.mod: c wrote go.mod | a wrote go.mod")
	same(t, core.FileConflicts([]core.Written{ // only one of them saw the other
		{ID: "a", Paths: []string{"f"}}, {ID: "b", Paths: []string{"f"}, After: []string{"a"}}, {ID: "c", Paths: []string{"f"}, After: []string{"c"}},
	}), "file f: a wrote f | b wrote f | c wrote f")
}

// TestUnmetCriteria: each is shown with what its worker says about it, and what a worker
// says is met counts for nothing once the work failed.
func TestUnmetCriteria(t *testing.T) {
	output := func(status core.OutputStatus, met, unmet []string) *core.WorkerOutput {
		return &core.WorkerOutput{Status: status, Coverage: core.Coverage{Met: met, Unmet: unmet}}
	}
	work := func(id string, status core.DelegationStatus, answer *core.WorkerOutput, unmet ...string) *core.Delegated {
		return &core.Delegated{Brief: core.Brief{ID: id}, Wave: 1, Status: status, Reason: "no merge", Answer: answer, Unmet: unmet}
	}
	waves := &core.Waves{N: 2, Works: []*core.Delegated{
		work("a", core.DelegationDone, output(core.OutputCompleted, []string{"tests  pass", "docs are there"}, nil)),
		work("b", core.DelegationPartial, output(core.OutputPartial, []string{"it runs"}, []string{"It is fast", "it is small."}), "It is fast", "it is small"),
		work("c", core.DelegationPartial, output(core.OutputPartial, []string{"two"}, []string{"two"}), "two", "three"),
		work("d", core.DelegationFailed, nil, "one"),
		work("e", core.DelegationFailed, output(core.OutputCompleted, []string{"one"}, nil), "one"),
		work("f", core.DelegationFailed, output(core.OutputFailed, []string{"one"}, []string{"two"}), "one", "two"),
		work("g", core.DelegationOpen, output(core.OutputPartial, nil, []string{"one"}), "one"),
	}}
	same(t, waves.Conflicts(),
		"criterion It is fast: planner b is to see that it holds | b says that it is not met",
		"criterion it is small: planner b is to see that it holds | b says that it is not met",
		"criterion two: planner c is to see that it holds | c says both that it is met and that it is not",
		"criterion three: planner c is to see that it holds | c does not say whether it is met",
		"criterion one: planner d is to see that it holds | d handed in no answer",
		"criterion one: planner e is to see that it holds | e failed: no merge",
		"criterion one: planner f is to see that it holds | f says that it is met, and that the work failed",
		"criterion two: planner f is to see that it holds | f says that it is not met",
	)
}
