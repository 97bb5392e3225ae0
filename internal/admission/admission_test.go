package admission_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/admission"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func team() []admission.Role {
	return []admission.Role{{Name: "architect", Can: []string{"db", "design"}}, {Name: "dev", Can: []string{"code"}}}
}

func piece(id string, after ...string) admission.Piece {
	return admission.Piece{ID: id, Role: "dev", After: after}
}

// told is the answers as "id code members", in their order.
func told(verdicts []admission.Verdict) []string {
	var all []string
	for _, v := range verdicts {
		all = append(all, strings.TrimSpace(strings.Join(append([]string{v.Piece, string(v.Code)}, v.Members...), " ")))
	}
	return all
}

func TestJudge(t *testing.T) {
	needs := func(id, role string, needs ...string) admission.Piece {
		return admission.Piece{ID: id, Role: role, Needs: needs}
	}
	keyed := func(id, key string) admission.Piece { return admission.Piece{ID: id, Role: "dev", Key: key} }
	reads := func(id string, inputs []string, after ...string) admission.Piece {
		return admission.Piece{ID: id, Role: "dev", Requires: inputs, After: after}
	}
	writes := func(id, out string, after ...string) admission.Piece {
		return admission.Piece{ID: id, Role: "dev", Outputs: []string{out}, After: after}
	}
	past := admission.Known{Earlier: []admission.Earlier{
		{ID: "done", State: admission.Done, Key: "k-done"}, {ID: "open", State: admission.Open, Key: "k-open", Outputs: []string{"notes.md"}},
		{ID: "failed", State: admission.Failed, Key: "k-failed", Reason: "tests are red"}, {ID: "refused", State: admission.Refused, Key: "k-refused", Reason: "no role"},
	}}
	stock := admission.Known{
		Documents: []admission.Document{{ID: "d1", Name: "db_schema.md"}, {ID: "d2", Name: "db_schema_v2.md"}},
		Facts:     []string{"db_engine"}, Answers: []string{"q-1"},
	}
	tests := map[string]struct {
		q    admission.Request
		want []string
		says string // in the last refusal
	}{
		"nothing":           {admission.Request{}, nil, ""},
		"a diamond":         {admission.Request{Pieces: []admission.Piece{piece("d", "b", "c"), piece("b", "a"), piece("c", "a"), piece("a")}}, []string{"d", "b", "c", "a"}, ""},
		"no id":             {admission.Request{Pieces: []admission.Piece{piece("")}}, []string{"no_id"}, "give it one"},
		"an id twice":       {admission.Request{Pieces: []admission.Piece{piece("a"), piece("a")}}, []string{"a", "a duplicate_id a"}, "give this one its own"},
		"an id of before":   {admission.Request{Known: past, Pieces: []admission.Piece{piece("done")}}, []string{"done duplicate_id done"}, "earlier work"},
		"an id refused":     {admission.Request{Known: past, Pieces: []admission.Piece{piece("refused")}}, []string{"refused"}, ""},
		"the same twice":    {admission.Request{Pieces: []admission.Piece{keyed("a", "k"), keyed("b", "k")}}, []string{"a", "b duplicate a"}, "same work as a"},
		"the same as open":  {admission.Request{Known: past, Pieces: []admission.Piece{keyed("a", "k-open")}}, []string{"a duplicate open"}, "open is doing the same work already"},
		"the same as done":  {admission.Request{Known: past, Pieces: []admission.Piece{keyed("a", "k-done")}}, []string{"a duplicate done"}, "what should be different"},
		"failed, once more": {admission.Request{Known: past, Pieces: []admission.Piece{keyed("a", "k-failed"), keyed("b", "k-refused")}}, []string{"a", "b"}, ""},
		"no such role":      {admission.Request{Pieces: []admission.Piece{needs("a", "ghost")}}, []string{"a unknown_role ghost"}, `there is no role "ghost" to delegate to; there are architect, dev`},
		"no role":           {admission.Request{Pieces: []admission.Piece{{ID: "a"}}}, []string{"a unknown_role"}, "there are architect, dev"},
		"the engine's own":  {admission.Request{Pieces: []admission.Piece{{ID: "a", Act: true, Needs: []string{"code"}}}}, []string{"a"}, ""},
		"able":              {admission.Request{Pieces: []admission.Piece{needs("a", "architect", "db", "design")}}, []string{"a"}, ""},
		"another is able":   {admission.Request{Pieces: []admission.Piece{needs("a", "dev", "code", "db", "design")}}, []string{"a missing_capability db design"}, "no role has everything it needs"},
		"unable":            {admission.Request{Pieces: []admission.Piece{needs("a", "dev", "db")}}, []string{"a missing_capability db"}, "delegate it to a role that has them: architect"},
		"after itself":      {admission.Request{Pieces: []admission.Piece{piece("a", "a")}}, []string{"a self_dependency a"}, "it cannot depend on itself"},
		"after nothing":     {admission.Request{Pieces: []admission.Piece{piece("a", "x")}}, []string{"a unknown_dependency x"}, `it depends on "x", but there is no such delegation`},
		"after earlier":     {admission.Request{Known: past, Pieces: []admission.Piece{piece("a", "open", "done")}}, []string{"a"}, ""},
		"after a failure":   {admission.Request{Known: past, Pieces: []admission.Piece{piece("a", "failed")}}, []string{"a failed_dependency failed"}, "which failed (tests are red)"},
		"after a refusal":   {admission.Request{Known: past, Pieces: []admission.Piece{piece("a", "refused")}}, []string{"a refused_dependency refused"}, "which was refused (no role)"},
		"refusals go on": {admission.Request{Pieces: []admission.Piece{piece("c", "b"), piece("b", "a"), piece("a", "x"), piece("free")}},
			[]string{"c refused_dependency b", "b refused_dependency a", "a unknown_dependency x", "free"}, "it depends on a"},
		"two": {admission.Request{Pieces: []admission.Piece{piece("a", "b"), piece("b", "a")}}, []string{"a cycle a b", "b cycle a b"}, "a → b → a; remove one of these dependencies"},
		"a ring, named in its order": {admission.Request{Pieces: []admission.Piece{piece("c", "a"), piece("a", "b"), piece("b", "c"), piece("z", "b")}},
			[]string{"c cycle c a b", "a cycle c a b", "b cycle c a b", "z refused_dependency b"}, "which was refused"},
		"two rings with a knot": {admission.Request{Pieces: []admission.Piece{piece("hub", "a", "b"), piece("a", "hub"), piece("b", "hub")}},
			[]string{"hub cycle hub a", "a cycle hub a", "b cycle hub b"}, "hub → b → hub"},
		"a ring behind a ring": {admission.Request{Pieces: []admission.Piece{piece("r", "x"), piece("x", "r", "m"), piece("m", "x")}},
			[]string{"r cycle r x", "x cycle r x", "m cycle x m"}, "x → m → x"},
		"a ring beside another reason": {admission.Request{Pieces: []admission.Piece{{ID: "a", Role: "ghost", After: []string{"b"}}, piece("b", "a")}},
			[]string{"a unknown_role ghost", "b cycle a b"}, "a → b → a"},
		"inputs that are there": {admission.Request{Known: stock, Versions: true, Pieces: []admission.Piece{
			reads("a", []string{"db_schema", "db_schema_v2", "db_schema.md", "d1", "DB Engine", "q-1", "fact:db_engine", "answer:q-1", "detail:d2"})}}, []string{"a"}, ""},
		"names as they are":   {admission.Request{Known: stock, Pieces: []admission.Piece{reads("a", []string{"db_schema"})}}, []string{"a missing_input db_schema"}, ""},
		"no such version":     {admission.Request{Known: stock, Versions: true, Pieces: []admission.Piece{reads("a", []string{"db_schema_v3"})}}, []string{"a missing_input db_schema_v3"}, "what there is: db_schema_v2.md, db_schema.md, db_engine, q-1"},
		"not of that kind":    {admission.Request{Known: stock, Pieces: []admission.Piece{reads("a", []string{"fact:d1", "q-1", "detail:db_engine"})}}, []string{"a missing_input fact:d1 detail:db_engine"}, ""},
		"provided, not there": {admission.Request{Known: stock, Pieces: []admission.Piece{{ID: "a", Role: "dev", Provided: []string{"the goal", "detail:d9"}}}}, []string{"a missing_input detail:d9"}, `nothing provides "detail:d9"`},
		"from far before": {admission.Request{Versions: true, Pieces: []admission.Piece{reads("c", []string{"api", "detail:api"}, "b"), piece("b", "a"), writes("a", "api.md")}},
			[]string{"c", "b", "a"}, ""},
		"from nobody before": {admission.Request{Pieces: []admission.Piece{reads("b", []string{"x.md", "api.md"}), writes("a", "api.md")}},
			[]string{"b missing_input x.md api.md", "a"}, "nothing"},
		"from one beside":     {admission.Request{Pieces: []admission.Piece{reads("b", []string{"api.md"}), writes("a", "api.md")}}, []string{"b missing_input api.md", "a"}, "a will hand it in: make this depend on it"},
		"its own output":      {admission.Request{Pieces: []admission.Piece{{ID: "a", Role: "dev", Requires: []string{"api.md"}, Outputs: []string{"api.md"}}}}, []string{"a missing_input api.md"}, "what there is: nothing"},
		"from an open one":    {admission.Request{Known: past, Pieces: []admission.Piece{reads("a", []string{"notes.md"}, "open")}}, []string{"a"}, ""},
		"from an open beside": {admission.Request{Known: past, Pieces: []admission.Piece{reads("a", []string{"notes.md"})}}, []string{"a missing_input notes.md"}, "open will hand it in"},
		"from a refused one":  {admission.Request{Pieces: []admission.Piece{reads("b", []string{"api.md"}, "a"), writes("a", "api.md", "x")}}, []string{"b refused_dependency a", "a unknown_dependency x"}, ""},
		"limit, what is needed goes first": {admission.Request{Limits: admission.Limits{Left: 2, Bound: "a run has 9"}, Pieces: []admission.Piece{piece("b", "a"), piece("c"), piece("a"), piece("d", "c")}},
			[]string{"b", "c limit", "a", "d refused_dependency c"}, "a run has 9: no more work can begin"},
		"a bad name": {admission.Request{Pieces: []admission.Piece{{ID: "a", Role: "dev", Key: "k", Flaw: "it cannot be called so"}, keyed("b", "k"), piece("c", "a")}},
			[]string{"a bad_name", "b", "c refused_dependency a"}, "it cannot be called so"},
		"in the order of the request": {admission.Request{Pieces: []admission.Piece{reads("b", []string{"api.md", "x.md", "api.md"}), writes("a", "api.md")}},
			[]string{"b missing_input api.md x.md api.md", "a"}, "a will hand it in"},
		"the first reason": {admission.Request{Known: past, Pieces: []admission.Piece{{ID: "a", Role: "ghost", Needs: []string{"db"}, Requires: []string{"x.md"}, After: []string{"a", "x", "failed", "refused"}}}},
			[]string{"a unknown_role ghost"}, ""},
		"just as many": {admission.Request{Limits: admission.Limits{Pieces: 2, Left: 2, Bound: "enough"}, Pieces: []admission.Piece{piece("a"), piece("b")}}, []string{"a", "b"}, ""},
		"none left":    {admission.Request{Limits: admission.Limits{Bound: "enough"}, Pieces: []admission.Piece{piece("a")}}, []string{"a limit"}, "enough"},
		"refused, so free": {admission.Request{Limits: admission.Limits{Left: 1, Bound: "enough"}, Pieces: []admission.Piece{piece("a", "x"), reads("b", []string{"x.md"}), piece("c")}},
			[]string{"a unknown_dependency x", "b missing_input x.md", "c"}, ""},
		"too many": {admission.Request{Limits: admission.Limits{Pieces: 1}, Pieces: []admission.Piece{piece("a"), piece("b")}}, []string{"a too_many", "b too_many"}, "these are 2 delegations, and at most 1 can be made at once"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			test.q.Roles = team()
			verdicts := admission.Judge(test.q)
			if got := told(verdicts); !slices.Equal(got, test.want) {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
			said := ""
			for _, v := range verdicts {
				said += v.Text + "\n"
				if v.Admitted() != (v.Text == "") {
					t.Errorf("%+v", v)
				}
			}
			if !strings.Contains(said, test.says) {
				t.Errorf("%q is not said in %s", test.says, said)
			}
		})
	}
}

func TestTheSameBrief(t *testing.T) {
	b := core.Brief{ID: "1", Agent: "dev", Task: "Write the  schema.", Requires: []string{"a", "b"}, Criteria: []core.Criterion{{Text: "It is there"}}}
	same, other, checked := b, b, b
	same.ID, same.Task, same.Requires, same.Outputs = "2", "write the Schema", []string{"b", "a"}, []string{}
	other.DependsOn = []string{"x"}
	checked.Criteria = []core.Criterion{{Text: "It is there", Check: "test -f schema"}}
	if admission.Brief(b).Key != admission.Brief(same).Key {
		t.Error("the same brief is not recognised")
	}
	if admission.Brief(b).Key == admission.Brief(other).Key || admission.Brief(b).Key == admission.Brief(checked).Key {
		t.Error("another brief is taken for the same")
	}
	b.Needs, b.Provided, b.Outputs, b.DependsOn = []string{"n"}, []string{"p"}, []string{"o"}, []string{"d"}
	p := admission.Brief(b)
	p.Key = ""
	want := admission.Piece{ID: "1", Role: "dev", Needs: b.Needs, Requires: b.Requires, Provided: b.Provided, Outputs: []string{"o", "1"}, After: b.DependsOn}
	if !reflect.DeepEqual(p, want) {
		t.Errorf("%+v", p)
	}
}

// TestEveryWordOfABriefCounts: one that differs in anything but its id is other work.
func TestEveryWordOfABriefCounts(t *testing.T) {
	whole := func() core.Brief {
		return core.Brief{
			ID: "1", Agent: "dev", Task: "t", Criteria: []core.Criterion{{Text: "c"}}, Requires: []string{"a", "b"}, Provided: []string{"p"},
			DependsOn: []string{"d"}, Needs: []string{"n"}, Outputs: []string{"o"}, Replaces: []string{"r"},
		}
	}
	first := admission.Brief(whole())
	keys := map[string]string{first.Key: "the first"}
	for name, change := range map[string]func(*core.Brief){
		"agent": func(b *core.Brief) { b.Agent = "x" }, "task": func(b *core.Brief) { b.Task = "x" }, "criteria": func(b *core.Brief) { b.Criteria[0].Text = "x" },
		"check": func(b *core.Brief) { b.Criteria[0].Check = "x" }, "requires": func(b *core.Brief) { b.Requires[1] = "x" }, "provided": func(b *core.Brief) { b.Provided[0] = "x" },
		"depends on": func(b *core.Brief) { b.DependsOn[0] = "x" }, "needs": func(b *core.Brief) { b.Needs[0] = "x" }, "outputs": func(b *core.Brief) { b.Outputs[0] = "x" },
		"replaces": func(b *core.Brief) { b.Replaces[0] = "x" }, "a list cut elsewhere": func(b *core.Brief) { b.Requires, b.Provided = []string{"a"}, []string{"b", "p"} },
		"a word cut elsewhere": func(b *core.Brief) { b.Requires = []string{"ab"} }, "one more": func(b *core.Brief) { b.Criteria = append(b.Criteria, core.Criterion{Text: "d"}) },
	} {
		b := whole()
		change(&b)
		key := admission.Brief(b).Key
		if other, taken := keys[key]; taken {
			t.Errorf("%s is taken for %s", name, other)
		}
		keys[key] = name
	}
	bad := whole()
	bad.ID = "../x"
	if admission.Brief(bad).Flaw == "" || first.Flaw != "" {
		t.Errorf("what is wrong with a name is said as %q, and of none %q", admission.Brief(bad).Flaw, first.Flaw)
	}
}

// TestSentencesAreBounded: whoever reads them has a bounded place for it.
func TestSentencesAreBounded(t *testing.T) {
	many := func(n int) (words []string) {
		for i := range n {
			words = append(words, fmt.Sprintf("w%02d", i))
		}
		return words
	}
	says := func(q admission.Request) string {
		t.Helper()
		verdicts := admission.Judge(q)
		return verdicts[len(verdicts)-1].Text
	}
	after := func(reason string) string {
		return says(admission.Request{Roles: team(), Known: admission.Known{Earlier: []admission.Earlier{{ID: "x", State: admission.Failed, Reason: reason}}}, Pieces: []admission.Piece{piece("a", "x")}})
	}
	ring := func(n int) string {
		q := admission.Request{Roles: team()}
		for i, id := range many(n) {
			q.Pieces = append(q.Pieces, piece(id, fmt.Sprintf("w%02d", (i+1)%n)))
		}
		return says(q)
	}
	roles := func(n int) string {
		var all []admission.Role
		for _, name := range many(n) {
			all = append(all, admission.Role{Name: name})
		}
		return says(admission.Request{Roles: all, Pieces: []admission.Piece{{ID: "a", Role: "ghost"}}})
	}
	stock := func(documents, facts int) string {
		known := admission.Known{Documents: []admission.Document{{Name: "again"}, {Name: "again"}}, Facts: many(facts)}
		for _, name := range many(documents) {
			known.Documents = append(known.Documents, admission.Document{Name: "d" + name})
		}
		return says(admission.Request{Roles: team(), Known: known, Pieces: []admission.Piece{{ID: "a", Role: "dev", Requires: []string{"x"}}}})
	}
	for _, c := range []struct{ text, has, lacks string }{
		{after(strings.Repeat("é", 400)), "(" + strings.Repeat("é", 400) + "):", "…"},
		{after(strings.Repeat("é", 401)), "(" + strings.Repeat("é", 400) + " …):", strings.Repeat("é", 401)},
		{after(""), "which failed: ", "()"},
		{ring(20), "w18 → w19 → w00;", "more"},
		{ring(21), "w19 → … 1 more … → w00;", "w20"},
		{roles(30), "w28, w29", "and more"},
		{roles(31), "w29 and more", "w30"},
		{stock(29, 0), "dw28, dw27", "and more"},
		{stock(29, 0), "dw00, again", "again, again"},
		{stock(31, 5), "dw01 and more", "w00"},
		{stock(0, 29), "again, w00", "and more"},
		{stock(0, 30), "w28 and more", "w29"},
	} {
		if !strings.Contains(c.text, c.has) || strings.Contains(c.text, c.lacks) {
			t.Errorf("%q has not %q, or has %q", c.text, c.has, c.lacks)
		}
	}
}

func TestRoles(t *testing.T) {
	all := map[string]core.Role{"b": {Capabilities: []string{"x"}}, "a": {}, "boss": {}}
	if got := admission.Roles(all, "boss"); !reflect.DeepEqual(got, []admission.Role{{Name: "a"}, {Name: "b", Can: []string{"x"}}}) {
		t.Errorf("%+v", got)
	}
}

// TestTenThousand: however a set of that size is knotted, it is answered.
func TestTenThousand(t *testing.T) {
	const n = 10_000
	id := func(i int) string { return fmt.Sprintf("p%d", i%n) }
	shapes := map[string]struct {
		after func(i int) []string
		code  admission.Code
	}{
		"chain": {func(i int) []string {
			if i == n-1 {
				return nil
			}
			return []string{id(i + 1)}
		}, ""},
		"ring": {func(i int) []string { return []string{id(i + 1)} }, admission.Cycle},
		"star of rings": {func(i int) []string {
			if i > 0 {
				return []string{id(0)}
			}
			var all []string
			for k := 1; k < n; k++ {
				all = append(all, id(k))
			}
			return all
		}, admission.Cycle},
		"a long way and many ends": {func(i int) []string { // half a ring whose last link is any of the rest
			switch {
			case i < n/2-1:
				return []string{id(i + 1)}
			case i == n/2-1:
				var all []string
				for k := n / 2; k < n; k++ {
					all = append(all, id(k))
				}
				return all
			}
			return []string{id(0)}
		}, admission.Cycle},
		"dense": {func(i int) []string { return []string{id(i * 7), id(i * 31), id(i + 1), id(i + n/2), id(i * 3)} }, admission.Cycle},
	}
	for name, shape := range shapes {
		t.Run(name, func(t *testing.T) {
			q := admission.Request{Roles: team()}
			for i := range n {
				p := piece(id(i), shape.after(i)...)
				p.After = slices.DeleteFunc(p.After, func(other string) bool { return other == p.ID })
				p.Outputs, p.Requires = []string{id(i) + ".md"}, []string{id(n-1) + ".md"}
				if i == n-1 {
					p.Requires = nil
				}
				q.Pieces = append(q.Pieces, p)
			}
			named, seen := 0, map[*string]bool{} // cycles that several are in are held once
			for i, v := range admission.Judge(q) {
				if v.Code != shape.code {
					t.Fatalf("%d: %+.300v", i, v)
				}
				if v.Code == admission.Cycle && !seen[&v.Members[0]] {
					seen[&v.Members[0]] = true
					named += len(v.Members)
				}
			}
			if named > 9*n {
				t.Errorf("%d members are named", named)
			}
		})
	}
}
