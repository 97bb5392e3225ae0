package admission_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/stellwerk-dev/stellwerk/internal/admission"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// anySet is a random request over few names, so that they meet.
func anySet(t *rapid.T) admission.Request {
	names := func(what, prefix string, n, most int) []string {
		return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string { return fmt.Sprint(prefix, rapid.IntRange(0, n).Draw(t, what)) }), 0, most).Draw(t, what+"s")
	}
	q := admission.Request{
		Roles: []admission.Role{{Name: "r0", Can: []string{"c0", "c1"}}, {Name: "r1", Can: []string{"c1"}}},
		Known: admission.Known{Facts: names("fact", "f", 3, 2), Answers: names("answer", "q", 3, 2)}, Versions: rapid.Bool().Draw(t, "versions"),
	}
	for _, name := range names("document", "o", 6, 2) {
		q.Known.Documents = append(q.Known.Documents, admission.Document{ID: "d" + name, Name: name + "_v1.md"})
	}
	for i, state := range []admission.State{admission.Open, admission.Done, admission.Failed, admission.Refused} {
		q.Known.Earlier = append(q.Known.Earlier, admission.Earlier{ID: fmt.Sprint("e", i), State: state, Outputs: names("kept", "o", 6, 1), Key: fmt.Sprint("k", i)})
	}
	if rapid.Bool().Draw(t, "bounded") {
		q.Limits = admission.Limits{Left: rapid.IntRange(0, 8).Draw(t, "left"), Bound: "enough"}
	}
	n := rapid.IntRange(0, 12).Draw(t, "n")
	for i := range n {
		p := admission.Piece{
			ID: fmt.Sprint("p", i), Role: "r" + fmt.Sprint(rapid.IntRange(0, 9).Draw(t, "role")/4),
			After: names("after", "p", n, 2), Outputs: names("output", "o", 6, 2),
		}
		if rapid.IntRange(0, 3).Draw(t, "odd") == 0 {
			p.Needs, p.Requires = names("need", "c", 2, 2), names("input", rapid.SampledFrom([]string{"o", "f", "q", "detail:o"}).Draw(t, "kind"), 6, 2)
			p.After = append(p.After, names("earlier", "e", 4, 1)...)
			p.Key = fmt.Sprint("k", rapid.IntRange(0, 9).Draw(t, "key"))
		}
		if rapid.IntRange(0, 9).Draw(t, "again") == 0 {
			p.ID = "p0"
		}
		q.Pieces = append(q.Pieces, p)
	}
	return q
}

// waits says by brute force which pieces wait for which: the first of an id is
// the one that is meant.
func waits(q admission.Request) (at map[string]int, reach [][]bool) {
	at, reach = map[string]int{}, make([][]bool, len(q.Pieces))
	for i, p := range q.Pieces {
		if _, ok := at[p.ID]; !ok {
			at[p.ID] = i
		}
	}
	for i, p := range q.Pieces {
		reach[i] = make([]bool, len(q.Pieces))
		for _, id := range p.After {
			if k, ok := at[id]; ok {
				reach[i][k] = true
			}
		}
	}
	for k := range reach {
		for i := range reach {
			for l := range reach {
				reach[i][l] = reach[i][l] || reach[i][k] && reach[k][l]
			}
		}
	}
	return at, reach
}

func TestWhatIsAdmittedCanBeDone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := anySet(t)
		verdicts := admission.Judge(q)
		at, reach := waits(q)
		admitted := 0
		for i, v := range verdicts {
			p := q.Pieces[i]
			inCycle := at[p.ID] == i && reach[i][i]
			if v.Code == admission.Cycle {
				wellNamed(t, q, at, v)
			}
			if !v.Admitted() {
				continue
			}
			admitted++
			if inCycle || at[p.ID] != i {
				t.Fatalf("%s is admitted: %+v", p.ID, p)
			}
			role := slices.IndexFunc(q.Roles, func(r admission.Role) bool { return r.Name == p.Role })
			for _, need := range p.Needs {
				if !slices.Contains(q.Roles[role].Can, need) {
					t.Fatalf("%s cannot %s", p.Role, need)
				}
			}
			for _, id := range p.After {
				k, here := at[id]
				if here && !verdicts[k].Admitted() || !here && id != "e0" && id != "e1" {
					t.Fatalf("%s is admitted after %s", p.ID, id)
				}
			}
			for _, in := range p.Requires {
				if !provided(q, reach[i], p, in) {
					t.Fatalf("%s is admitted without %s", p.ID, in)
				}
			}
		}
		if q.Limits.Bound != "" && admitted > q.Limits.Left {
			t.Fatalf("%d admitted, %d allowed", admitted, q.Limits.Left)
		}
	})
}

// wellNamed: the members of a cycle wait for one another, each for the next.
func wellNamed(t *rapid.T, q admission.Request, at map[string]int, v admission.Verdict) {
	if len(v.Members) < 2 || !slices.Contains(v.Members, v.Piece) {
		t.Fatalf("%+v", v)
	}
	for i, id := range v.Members {
		next := v.Members[(i+1)%len(v.Members)]
		if !slices.Contains(q.Pieces[at[id]].After, next) || slices.Index(v.Members, id) != i {
			t.Fatalf("%s does not come after %s: %+v", id, next, v)
		}
	}
}

func provided(q admission.Request, before []bool, p admission.Piece, in string) bool {
	name := in
	if len(in) > 7 && in[:7] == "detail:" {
		name = in[7:]
	} else if slices.Contains(q.Known.Facts, in) || slices.Contains(q.Known.Answers, in) {
		return true
	}
	called := func(document string) bool {
		return document == name || q.Versions && (document == name+"_v1.md" || document == name+".md")
	}
	for _, d := range q.Known.Documents {
		if called(d.Name) {
			return true
		}
	}
	for i, other := range q.Pieces {
		if before[i] && slices.ContainsFunc(other.Outputs, called) {
			return true
		}
	}
	return slices.Contains(p.After, "e0") && slices.ContainsFunc(q.Known.Earlier[0].Outputs, called)
}

// TestAdmissionAndTheRunMeanTheSame: a document is there for admission where the run
// will find it when the work begins.
func TestAdmissionAndTheRunMeanTheSame(t *testing.T) {
	word := rapid.StringMatching(`(detail:|fact:)?[ab]([_-]v[1-3])?(\.md)?`)
	rapid.Check(t, func(t *rapid.T) {
		run := &core.Run{Waves: &core.Waves{}}
		var known admission.Known
		for i, name := range rapid.SliceOfN(word, 0, 4).Draw(t, "names") {
			id := fmt.Sprint("d", i)
			run.Waves.Documents = append(run.Waves.Documents, core.Document{Detail: core.Detail{ID: id}, Name: name})
			known.Documents = append(known.Documents, admission.Document{ID: id, Name: name})
		}
		wanted := word.Draw(t, "wanted")
		v := admission.Judge(admission.Request{Roles: team(), Versions: true, Known: known, Pieces: []admission.Piece{{ID: "a", Role: "dev", Requires: []string{wanted}}}})
		if v[0].Admitted() != run.Known(wanted) {
			t.Fatalf("%q of %+v: %+v", wanted, known, v)
		}
	})
}

// TestNothingIsRefusedWithoutReason: a set without a fault is admitted as a whole.
func TestNothingIsRefusedWithoutReason(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q admission.Request
		q.Roles = team()
		n := rapid.IntRange(1, 30).Draw(t, "n")
		for i := range n {
			p := piece(fmt.Sprint("p", i))
			p.Outputs = []string{fmt.Sprint("o", i)}
			for range rapid.IntRange(0, 3).Draw(t, "edges") {
				if i > 0 {
					before := rapid.IntRange(0, i-1).Draw(t, "before")
					p.After = append(p.After, fmt.Sprint("p", before))
					p.Requires = append(p.Requires, fmt.Sprint("o", before))
					p.Requires = append(p.Requires, q.Pieces[before].Requires...)
				}
			}
			q.Pieces = append(q.Pieces, p)
		}
		q.Pieces = rapid.Permutation(q.Pieces).Draw(t, "order")
		for _, v := range admission.Judge(q) {
			if !v.Admitted() {
				t.Fatalf("%+v", v)
			}
		}
	})
}

// TestTheSameRequestHasTheSameAnswer: nothing hangs on the order of a map.
func TestTheSameRequestHasTheSameAnswer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := anySet(t)
		first := admission.Judge(q)
		for range 5 {
			if again := admission.Judge(q); !reflect.DeepEqual(first, again) {
				t.Fatalf("%+v\n%+v", first, again)
			}
		}
	})
}
