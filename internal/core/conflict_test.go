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

func TestUnmetCriteria(t *testing.T) {
	brief := func(id string, criteria ...string) core.Brief {
		b := core.Brief{ID: id}
		for _, c := range criteria {
			b.Criteria = append(b.Criteria, core.Criterion{Text: c})
		}
		return b
	}
	output := func(met, unmet []string) *core.WorkerOutput {
		return &core.WorkerOutput{Coverage: core.Coverage{Met: met, Unmet: unmet}}
	}
	heir := brief("b2", "It is fast.")
	heir.Replaces = []string{"b"}
	last := brief("b3")
	last.Replaces = []string{"b2"}
	same(t, core.UnmetCriteria([]core.Concluded{
		{Brief: brief("a", "Tests pass.", "Docs are there"), Output: output([]string{"tests  pass", "docs are there"}, nil)},
		{Brief: brief("b", "It runs", "It is fast", "It is small"), Output: output([]string{"it runs"}, []string{"It is fast", "it is small"})},
		{Brief: heir, Output: output([]string{"it is fast"}, nil)},
		{Brief: last, Output: output([]string{"It is small"}, nil)},
		{Brief: brief("c", "one", "two", "three", "four"), Output: output([]string{"one", "two"}, []string{"two", "four"}), Failed: []string{"one", "four"}},
		{Brief: brief("d", "one")},
	}),
		"criterion one: planner c is to see that it holds | c says that it is met, but its check does not hold",
		"criterion two: planner c is to see that it holds | c says both that it is met and that it is not",
		"criterion three: planner c is to see that it holds | c does not say whether it is met",
		"criterion four: planner c is to see that it holds | c its check does not hold",
		"criterion one: planner d is to see that it holds | d handed in no answer",
	)
}
