package gate_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/gate"
)

func team() []gate.Role {
	return []gate.Role{{Name: "architect", Can: []string{"db", "design"}}, {Name: "dev", Can: []string{"code"}}}
}

func piece(id string, after ...string) gate.Piece {
	return gate.Piece{ID: id, Role: "dev", After: after}
}

// told is the answers as "id code members", in their order.
func told(verdicts []gate.Verdict) []string {
	var all []string
	for _, v := range verdicts {
		all = append(all, strings.TrimSpace(strings.Join(append([]string{v.Piece, string(v.Code)}, v.Members...), " ")))
	}
	return all
}

func TestJudge(t *testing.T) {
	needs := func(id, role string, needs ...string) gate.Piece { return gate.Piece{ID: id, Role: role, Needs: needs} }
	keyed := func(id, key string) gate.Piece { return gate.Piece{ID: id, Role: "dev", Key: key} }
	reads := func(id string, inputs []string, after ...string) gate.Piece {
		return gate.Piece{ID: id, Role: "dev", Requires: inputs, After: after}
	}
	writes := func(id, out string, after ...string) gate.Piece {
		return gate.Piece{ID: id, Role: "dev", Outputs: []string{out}, After: after}
	}
	past := gate.Known{Earlier: []gate.Earlier{
		{ID: "done", State: gate.Done, Key: "k-done"}, {ID: "open", State: gate.Open, Key: "k-open", Outputs: []string{"notes.md"}},
		{ID: "failed", State: gate.Failed, Key: "k-failed", Reason: "tests are red"}, {ID: "refused", State: gate.Refused, Key: "k-refused", Reason: "no role"},
	}}
	stock := gate.Known{
		Documents: []gate.Document{{ID: "d1", Name: "db_schema.md"}, {ID: "d2", Name: "db_schema_v2.md"}},
		Facts:     []string{"db_engine"}, Answers: []string{"q-1"},
	}
	tests := map[string]struct {
		q    gate.Request
		want []string
		says string // in the last refusal
	}{
		"nothing":           {gate.Request{}, nil, ""},
		"a diamond":         {gate.Request{Pieces: []gate.Piece{piece("d", "b", "c"), piece("b", "a"), piece("c", "a"), piece("a")}}, []string{"d", "b", "c", "a"}, ""},
		"no id":             {gate.Request{Pieces: []gate.Piece{piece("")}}, []string{"no_id"}, "give it one"},
		"an id twice":       {gate.Request{Pieces: []gate.Piece{piece("a"), piece("a")}}, []string{"a", "a duplicate_id a"}, "an id of its own"},
		"an id of before":   {gate.Request{Known: past, Pieces: []gate.Piece{piece("done")}}, []string{"done duplicate_id done"}, "earlier work"},
		"an id refused":     {gate.Request{Known: past, Pieces: []gate.Piece{piece("refused")}}, []string{"refused"}, ""},
		"the same twice":    {gate.Request{Pieces: []gate.Piece{keyed("a", "k"), keyed("b", "k")}}, []string{"a", "b duplicate a"}, "same work as a"},
		"the same as open":  {gate.Request{Known: past, Pieces: []gate.Piece{keyed("a", "k-open")}}, []string{"a duplicate open"}, "is being done already as open"},
		"the same as done":  {gate.Request{Known: past, Pieces: []gate.Piece{keyed("a", "k-done")}}, []string{"a duplicate done"}, "what is to be different"},
		"failed, once more": {gate.Request{Known: past, Pieces: []gate.Piece{keyed("a", "k-failed"), keyed("b", "k-refused")}}, []string{"a", "b"}, ""},
		"no such role":      {gate.Request{Pieces: []gate.Piece{needs("a", "ghost")}}, []string{"a unknown_role ghost"}, `there is no role "ghost" to delegate to; there are architect, dev`},
		"no role":           {gate.Request{Pieces: []gate.Piece{{ID: "a"}}}, []string{"a unknown_role"}, "there are architect, dev"},
		"the engine's own":  {gate.Request{Pieces: []gate.Piece{{ID: "a", Act: true, Needs: []string{"code"}}}}, []string{"a"}, ""},
		"able":              {gate.Request{Pieces: []gate.Piece{needs("a", "architect", "db", "design")}}, []string{"a"}, ""},
		"another is able":   {gate.Request{Pieces: []gate.Piece{needs("a", "dev", "code", "db", "design")}}, []string{"a missing_capability db design"}, "nobody has all that it needs"},
		"unable":            {gate.Request{Pieces: []gate.Piece{needs("a", "dev", "db")}}, []string{"a missing_capability db"}, "delegate it to one that has: architect"},
		"after itself":      {gate.Request{Pieces: []gate.Piece{piece("a", "a")}}, []string{"a self_dependency a"}, "cannot come after itself"},
		"after nothing":     {gate.Request{Pieces: []gate.Piece{piece("a", "x")}}, []string{"a unknown_dependency x"}, `after "x", and there is no such delegation`},
		"after earlier":     {gate.Request{Known: past, Pieces: []gate.Piece{piece("a", "open", "done")}}, []string{"a"}, ""},
		"after a failure":   {gate.Request{Known: past, Pieces: []gate.Piece{piece("a", "failed")}}, []string{"a failed_dependency failed"}, "which failed (tests are red)"},
		"after a refusal":   {gate.Request{Known: past, Pieces: []gate.Piece{piece("a", "refused")}}, []string{"a refused_dependency refused"}, "which was refused (no role)"},
		"refusals go on": {gate.Request{Pieces: []gate.Piece{piece("c", "b"), piece("b", "a"), piece("a", "x"), piece("free")}},
			[]string{"c refused_dependency b", "b refused_dependency a", "a unknown_dependency x", "free"}, "after a"},
		"two": {gate.Request{Pieces: []gate.Piece{piece("a", "b"), piece("b", "a")}}, []string{"a cycle a b", "b cycle a b"}, "a → b → a; take one of these dependencies out"},
		"a ring, named in its order": {gate.Request{Pieces: []gate.Piece{piece("c", "a"), piece("a", "b"), piece("b", "c"), piece("z", "b")}},
			[]string{"c cycle c a b", "a cycle c a b", "b cycle c a b", "z refused_dependency b"}, "which was refused"},
		"two rings with a knot": {gate.Request{Pieces: []gate.Piece{piece("hub", "a", "b"), piece("a", "hub"), piece("b", "hub")}},
			[]string{"hub cycle hub a", "a cycle hub a", "b cycle hub b"}, "hub → b → hub"},
		"a ring behind a ring": {gate.Request{Pieces: []gate.Piece{piece("r", "x"), piece("x", "r", "m"), piece("m", "x")}},
			[]string{"r cycle r x", "x cycle r x", "m cycle x m"}, "x → m → x"},
		"a ring beside another reason": {gate.Request{Pieces: []gate.Piece{{ID: "a", Role: "ghost", After: []string{"b"}}, piece("b", "a")}},
			[]string{"a unknown_role ghost", "b cycle a b"}, "a → b → a"},
		"inputs that are there": {gate.Request{Known: stock, Versions: true, Pieces: []gate.Piece{
			reads("a", []string{"db_schema", "db_schema_v2", "db_schema.md", "d1", "DB Engine", "q-1", "fact:db_engine", "answer:q-1", "detail:d2"})}}, []string{"a"}, ""},
		"names as they are":   {gate.Request{Known: stock, Pieces: []gate.Piece{reads("a", []string{"db_schema"})}}, []string{"a missing_input db_schema"}, ""},
		"no such version":     {gate.Request{Known: stock, Versions: true, Pieces: []gate.Piece{reads("a", []string{"db_schema_v3"})}}, []string{"a missing_input db_schema_v3"}, "what there is: db_schema_v2.md, db_schema.md, db_engine, q-1"},
		"not of that kind":    {gate.Request{Known: stock, Pieces: []gate.Piece{reads("a", []string{"fact:d1", "q-1", "detail:db_engine"})}}, []string{"a missing_input fact:d1 detail:db_engine"}, ""},
		"provided, not there": {gate.Request{Known: stock, Pieces: []gate.Piece{{ID: "a", Role: "dev", Provided: []string{"the goal", "detail:d9"}}}}, []string{"a missing_input detail:d9"}, `nothing provides "detail:d9"`},
		"from far before": {gate.Request{Versions: true, Pieces: []gate.Piece{reads("c", []string{"api", "detail:api"}, "b"), piece("b", "a"), writes("a", "api.md")}},
			[]string{"c", "b", "a"}, ""},
		"from nobody before": {gate.Request{Pieces: []gate.Piece{reads("b", []string{"x.md", "api.md"}), writes("a", "api.md")}},
			[]string{"b missing_input x.md api.md", "a"}, "nothing"},
		"from one beside":     {gate.Request{Pieces: []gate.Piece{reads("b", []string{"api.md"}), writes("a", "api.md")}}, []string{"b missing_input api.md", "a"}, "a is to hand it in: let this come after that"},
		"its own output":      {gate.Request{Pieces: []gate.Piece{{ID: "a", Role: "dev", Requires: []string{"api.md"}, Outputs: []string{"api.md"}}}}, []string{"a missing_input api.md"}, "what there is: nothing"},
		"from an open one":    {gate.Request{Known: past, Pieces: []gate.Piece{reads("a", []string{"notes.md"}, "open")}}, []string{"a"}, ""},
		"from an open beside": {gate.Request{Known: past, Pieces: []gate.Piece{reads("a", []string{"notes.md"})}}, []string{"a missing_input notes.md"}, "open is to hand it in"},
		"from a refused one":  {gate.Request{Pieces: []gate.Piece{reads("b", []string{"api.md"}, "a"), writes("a", "api.md", "x")}}, []string{"b refused_dependency a", "a unknown_dependency x"}, ""},
		"limit, what is needed goes first": {gate.Request{Limits: gate.Limits{Left: 2, Bound: "a run has 9"}, Pieces: []gate.Piece{piece("b", "a"), piece("c"), piece("a"), piece("d", "c")}},
			[]string{"b", "c limit", "a", "d refused_dependency c"}, "a run has 9: nothing more can be begun"},
		"too many": {gate.Request{Limits: gate.Limits{Pieces: 1}, Pieces: []gate.Piece{piece("a"), piece("b")}}, []string{"a too_many", "b too_many"}, "2 pieces of work were wished for at once, at most 1 can be"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			test.q.Roles = team()
			verdicts := gate.Judge(test.q)
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
	if gate.Brief(b).Key != gate.Brief(same).Key {
		t.Error("the same brief is not recognised")
	}
	if gate.Brief(b).Key == gate.Brief(other).Key || gate.Brief(b).Key == gate.Brief(checked).Key {
		t.Error("another brief is taken for the same")
	}
	b.Needs, b.Provided, b.Outputs, b.DependsOn = []string{"n"}, []string{"p"}, []string{"o"}, []string{"d"}
	p := gate.Brief(b)
	p.Key = ""
	want := gate.Piece{ID: "1", Role: "dev", Needs: b.Needs, Requires: b.Requires, Provided: b.Provided, Outputs: []string{"o", "1"}, After: b.DependsOn}
	if !reflect.DeepEqual(p, want) {
		t.Errorf("%+v", p)
	}
}

func TestRoles(t *testing.T) {
	all := map[string]core.Role{"b": {Capabilities: []string{"x"}}, "a": {}, "boss": {}}
	if got := gate.Roles(all, "boss"); !reflect.DeepEqual(got, []gate.Role{{Name: "a"}, {Name: "b", Can: []string{"x"}}}) {
		t.Errorf("%+v", got)
	}
}

// TestTenThousand: however a set of that size is knotted, it is answered.
func TestTenThousand(t *testing.T) {
	const n = 10_000
	id := func(i int) string { return fmt.Sprintf("p%d", i%n) }
	shapes := map[string]struct {
		after func(i int) []string
		code  gate.Code
	}{
		"chain": {func(i int) []string {
			if i == n-1 {
				return nil
			}
			return []string{id(i + 1)}
		}, ""},
		"ring": {func(i int) []string { return []string{id(i + 1)} }, gate.Cycle},
		"star of rings": {func(i int) []string {
			if i > 0 {
				return []string{id(0)}
			}
			var all []string
			for k := 1; k < n; k++ {
				all = append(all, id(k))
			}
			return all
		}, gate.Cycle},
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
		}, gate.Cycle},
		"dense": {func(i int) []string { return []string{id(i * 7), id(i * 31), id(i + 1), id(i + n/2), id(i * 3)} }, gate.Cycle},
	}
	for name, shape := range shapes {
		t.Run(name, func(t *testing.T) {
			q := gate.Request{Roles: team()}
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
			for i, v := range gate.Judge(q) {
				if v.Code != shape.code {
					t.Fatalf("%d: %+.300v", i, v)
				}
				if v.Code == gate.Cycle && !seen[&v.Members[0]] {
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
