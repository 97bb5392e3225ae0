package core_test

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// said is a statement about "k" by who its first word names: worker, guess (a
// worker's assumption), planner, default, person.
func said(who, content string, sources ...string) core.Statement {
	s := core.Statement{Claimed: core.Claimed{Key: "k", Content: content, Sources: sources}, Source: who, Wave: 1}
	switch strings.TrimRight(who, "0123456789") {
	case "guess":
		s.Origin, s.Assumption = core.OriginDelegation, true
	case "planner":
		s.Origin = core.OriginPlanner
	case "suppose":
		s.Origin, s.Assumption = core.OriginPlanner, true
	case "default":
		s.Origin = core.OriginDefault
	case "person":
		s.Origin = core.OriginPerson
	default:
		s.Origin = core.OriginDelegation
	}
	return s
}

func about(key string, s core.Statement) core.Statement {
	s.Key = key
	return s
}

// shown is a pool as "id content origin [assumed] [by] [stale]".
func shown(p core.Pool) []string {
	var all []string
	for _, f := range p {
		line := fmt.Sprintf("%s %s %s", f.ID, f.Content, f.Origin)
		if f.Assumption {
			line += " assumed"
		}
		if f.SupersededBy != nil {
			line += " →" + *f.SupersededBy
		}
		if f.Stale != "" {
			line += " stale:" + f.Stale
		}
		all = append(all, line)
	}
	return all
}

func TestMerge(t *testing.T) {
	tests := map[string]struct {
		say  []core.Statement
		want []string
	}{
		"the same":                    {[]core.Statement{said("w1", "A."), said("w2", " a ")}, []string{"f1 A. delegation"}},
		"two facts stand":             {[]core.Statement{said("w1", "A"), said("w2", "B")}, []string{"f1 A delegation", "f2 B delegation"}},
		"two guesses stand":           {[]core.Statement{said("guess1", "A"), said("guess2", "B")}, []string{"f1 A delegation assumed", "f2 B delegation assumed"}},
		"a fact over guesses":         {[]core.Statement{said("guess1", "A"), said("guess2", "B"), said("w1", "C")}, []string{"f1 A delegation assumed →f3", "f2 B delegation assumed →f3", "f3 C delegation"}},
		"a guess under a fact":        {[]core.Statement{said("w1", "A"), said("guess1", "B")}, []string{"f1 A delegation", "f2 B delegation assumed →f1"}},
		"a guess confirmed":           {[]core.Statement{said("guess1", "A"), said("guess2", "B"), said("w1", "a")}, []string{"f1 A delegation", "f2 B delegation assumed →f1"}},
		"a fact guessed":              {[]core.Statement{said("w1", "A"), said("guess1", "a")}, []string{"f1 A delegation"}},
		"the planner":                 {[]core.Statement{said("w1", "A"), said("w2", "B"), said("planner", "C")}, []string{"f1 A delegation →f3", "f2 B delegation →f3", "f3 C planner"}},
		"the planner takes a side":    {[]core.Statement{said("w1", "A"), said("w2", "B"), said("planner", "b")}, []string{"f1 A delegation →f2", "f2 B planner"}},
		"new evidence":                {[]core.Statement{said("planner", "A"), said("w1", "B")}, []string{"f1 A planner", "f2 B delegation"}},
		"the planner changes":         {[]core.Statement{said("planner1", "A"), said("planner2", "B")}, []string{"f1 A planner →f2", "f2 B planner"}},
		"the planner supposes":        {[]core.Statement{said("guess1", "A"), said("suppose", "B"), said("guess2", "C")}, []string{"f1 A delegation assumed →f2", "f2 B planner assumed", "f3 C delegation assumed"}},
		"the planner supposes a side": {[]core.Statement{said("w1", "A"), said("w2", "B"), said("suppose", "a")}, []string{"f1 A delegation", "f2 B delegation"}},
		"stale, two":                  {[]core.Statement{about("a", said("w1", "A")), about("b", said("w2", "B", "f1")), about("c", said("w3", "C", "f1")), about("a", said("planner", "Z"))}, []string{"f1 A delegation →f4", "f2 B delegation stale:f1", "f3 C delegation stale:f1", "f4 Z planner"}},
		"supposed against a fact":     {[]core.Statement{said("w1", "A"), said("suppose", "B")}, []string{"f1 A delegation", "f2 B planner assumed →f1"}},
		"a default":                   {[]core.Statement{said("guess1", "A"), said("default", "B"), said("w1", "C")}, []string{"f1 A delegation assumed →f2", "f2 B default assumed →f3", "f3 C delegation"}},
		"a person":                    {[]core.Statement{said("w1", "A"), said("planner", "B"), said("person", "C")}, []string{"f1 A delegation →f2", "f2 B planner →f3", "f3 C person"}},
		"against a person": {[]core.Statement{said("person", "A"), said("planner", "B"), said("w1", "C"), said("guess1", "D"), said("default", "E")},
			[]string{"f1 A person", "f2 B planner →f1", "f3 C delegation →f1", "f4 D delegation assumed →f1", "f5 E default assumed →f1"}},
		"a person twice":         {[]core.Statement{said("person", "A"), said("person", "B"), said("person", "a")}, []string{"f1 A person →f2", "f2 B person →f3", "f3 a person"}},
		"a person agrees":        {[]core.Statement{said("guess1", "A"), said("w1", "B"), said("w2", "C"), said("person", "b")}, []string{"f1 A delegation assumed →f2", "f2 B person", "f3 C delegation →f2"}},
		"repeated in vain":       {[]core.Statement{said("w1", "A"), said("planner", "B"), said("w1", "A"), said("w2", "A")}, []string{"f1 A delegation →f2", "f2 B planner", "f3 A delegation"}},
		"a guess is a fact now":  {[]core.Statement{said("w1", "A"), about("k", core.Statement{Claimed: core.Claimed{Content: "B"}, Origin: core.OriginDelegation, Source: "w2", Assumption: true}), said("w2", "B")}, []string{"f1 A delegation", "f2 B delegation assumed →f1", "f3 B delegation"}},
		"keys have one form":     {[]core.Statement{about("DB  Engine", said("w1", "A")), about("db_engine", said("planner", "B"))}, []string{"f1 A delegation →f2", "f2 B planner"}},
		"other keys":             {[]core.Statement{about("x", said("w1", "A")), about("y", said("person", "B"))}, []string{"f1 A delegation", "f2 B person"}},
		"no keys":                {[]core.Statement{about("", said("guess1", "A")), about("", said("person", "B")), about("", said("w1", "a"))}, []string{"f1 A delegation", "f2 B person"}},
		"stale":                  {[]core.Statement{about("a", said("w1", "A")), about("b", said("w2", "B", "f1")), about("c", said("w3", "C", "f2")), about("d", said("person", "D", "f1")), about("a", said("planner", "Z"))}, []string{"f1 A delegation →f5", "f2 B delegation stale:f1", "f3 C delegation stale:f1", "f4 D person", "f5 Z planner"}},
		"built on what was":      {[]core.Statement{about("a", said("w1", "A")), about("a", said("planner", "Z")), about("b", said("w2", "B", "f1")), about("c", said("w3", "C", "f3"))}, []string{"f1 A delegation →f2", "f2 Z planner", "f3 B delegation stale:f1", "f4 C delegation stale:f1"}},
		"no longer stale":        {[]core.Statement{about("a", said("w1", "A")), about("b", said("w2", "B", "f1")), about("a", said("planner", "Z")), about("b", said("w2", "B", "f1")), about("b", said("w3", "B", "f3"))}, []string{"f1 A delegation →f3", "f2 B delegation", "f3 Z planner"}},
		"stale as before":        {[]core.Statement{about("a", said("w1", "A")), about("b", said("w2", "B", "f1")), about("a", said("planner", "Z")), about("b", said("w2", "B")), about("b", said("w3", "B", "f1"))}, []string{"f1 A delegation →f3", "f2 B delegation stale:f1", "f3 Z planner"}},
		"the sides of its own":   {[]core.Statement{said("w1", "A"), said("w2", "B"), said("planner", "C", "f1", "f2")}, []string{"f1 A delegation →f3", "f2 B delegation →f3", "f3 C planner"}},
		"sources that go around": {[]core.Statement{about("a", said("w1", "A", "f2")), about("b", said("w2", "B", "f1", "f3")), about("c", said("w1", "C")), about("c", said("planner", "Z"))}, []string{"f1 A delegation stale:f3", "f2 B delegation stale:f3", "f3 C delegation →f4", "f4 Z planner"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := shown(core.Pool(nil).Merge(test.say...)); !slices.Equal(got, test.want) {
				t.Errorf("at once\n got %q\nwant %q", got, test.want)
			}
			var p core.Pool
			for _, s := range test.say {
				p = p.Merge(s)
			}
			if got := shown(p); !slices.Equal(got, test.want) {
				t.Errorf("one by one\n got %q\nwant %q", got, test.want)
			}
		})
	}
}

func TestMergedFactsKnowTheirSources(t *testing.T) {
	first, second, third := said("w1", "A", "d1"), said("w2", "a", "d2", "d1", "f1"), said("planner", "A")
	first.Confidence, second.Confidence, third.Confidence = 0.9, 0.3, math.NaN()
	third.Wave = 2
	before := core.Pool(nil).Merge(first)
	p := before.Merge(second, third)
	want := core.Fact{ID: "f1", Key: "k", Content: "A", Origin: core.OriginPlanner, Source: "planner", Confidence: 0.9,
		Sources: []string{"d1", "d2", "w2", "w1"}, Wave: 2}
	if !reflect.DeepEqual(p[0], want) {
		t.Errorf("%+v", p[0])
	}
	if !slices.Equal(before[0].Sources, []string{"d1"}) || before[0].Origin != core.OriginDelegation {
		t.Errorf("the pool before was changed: %+v", before[0])
	}
}

// TestPoolsDoNotShare: two that were made from one do not write into each other.
func TestPoolsDoNotShare(t *testing.T) {
	p := core.Pool(nil).Merge(said("w1", "A", "d1", "d2", "d3"))
	one, other := p.Merge(said("w2", "A")), p.Merge(said("w3", "A"))
	if one[0].Sources[3] != "w2" || other[0].Sources[3] != "w3" {
		t.Errorf("%q, %q", one[0].Sources, other[0].Sources)
	}
}

func TestConfidence(t *testing.T) {
	for who, want := range map[string]float64{"w1": core.FactConfidence, "guess1": core.AssumptionConfidence, "default": core.AssumptionConfidence, "person": 1} {
		for _, odd := range []float64{0, -1, math.NaN()} {
			s := said(who, "A")
			s.Confidence = odd
			if got := core.Pool(nil).Merge(s)[0].Confidence; got != want {
				t.Errorf("%s, %v: %v", who, odd, got)
			}
		}
	}
	s := said("w1", "A")
	s.Confidence = 7
	if got := core.Pool(nil).Merge(s)[0].Confidence; got != 1 {
		t.Errorf("%v", got)
	}
}

// valid are the entries that hold.
func valid(p core.Pool) []core.Fact {
	return slices.DeleteFunc(slices.Clone(p), func(f core.Fact) bool { return !f.Valid() })
}

func TestPoolViews(t *testing.T) {
	p := core.Pool(nil).Merge(about("a", said("w1", "A")), about("b", said("guess1", "B", "f1")), about("", said("w1", "C")), about("a", said("planner", "Z")), about("d", said("w1", "D")), about("d", said("w2", "E")))
	ids := func(all []core.Fact) string {
		var s []string
		for _, f := range all {
			s = append(s, f.ID)
		}
		return strings.Join(s, " ")
	}
	if got := ids(valid(p)) + "|" + ids(p.Stale()); got != "f2 f3 f4 f5 f6|f2" {
		t.Error(got)
	}
	if p.Fact("f3") != &p[2] || p.Fact("f7") != nil || p.Fact("f0") != nil || p.Fact("3") != nil || p.Fact("f03") != nil || p.Fact("f+3") != nil {
		t.Error("entries are not found by their ids, or by something else")
	}
}

// anyStatement is about one of few keys, so that claims meet.
func anyStatement(t *rapid.T, origins ...string) core.Statement {
	who := rapid.SampledFrom(origins).Draw(t, "who") + fmt.Sprint(rapid.IntRange(0, 3).Draw(t, "n"))
	s := said(who, rapid.SampledFrom([]string{"A", "B", "C"}).Draw(t, "content"))
	s.Key = rapid.SampledFrom([]string{"", "a", "b", "c"}).Draw(t, "key")
	s.Wave = rapid.IntRange(1, 3).Draw(t, "wave")
	s.Confidence = rapid.SampledFrom([]float64{0, 0.2, 0.9}).Draw(t, "confidence")
	if rapid.Bool().Draw(t, "refers") {
		s.Sources = []string{fmt.Sprint("f", rapid.IntRange(1, 9).Draw(t, "ref"))}
	}
	return s
}

func statements(t *rapid.T, origins ...string) []core.Statement {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) core.Statement { return anyStatement(t, origins...) }), 0, 25).Draw(t, "statements")
}

// TestPoolsAreSound: whatever is said, in whatever portions.
func TestPoolsAreSound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := statements(t, "w", "guess", "planner", "suppose", "default", "person")
		var p core.Pool
		for _, s := range all {
			before := slices.Clone(p)
			next := p.Merge(s)
			if !reflect.DeepEqual(p, before) {
				t.Fatal("the pool that was merged into is another now")
			}
			lostNothing(t, p, next, s)
			if again := next.Merge(s); !reflect.DeepEqual(again, next) {
				t.Fatalf("said twice:\n%q\n%q", shown(next), shown(again))
			}
			p = next
			sound(t, p)
		}
		if at := rapid.IntRange(0, len(all)).Draw(t, "cut"); !reflect.DeepEqual(core.Pool(nil).Merge(all[:at]...).Merge(all[at:]...), p) && len(p) > 0 {
			t.Fatalf("in two portions it is another pool than %q", shown(p))
		}
	})
}

// lostNothing: entries stay, what was superseded stays so, and what was said is there.
func lostNothing(t *rapid.T, before, after core.Pool, s core.Statement) {
	for i, f := range before {
		g := after[i]
		if f.ID != g.ID || f.Content != g.Content || f.Key != g.Key || f.SupersededBy != nil && (g.SupersededBy == nil || *g.SupersededBy != *f.SupersededBy) ||
			g.Confidence < f.Confidence || len(g.Sources) < len(f.Sources) || f.Assumption != g.Assumption && g.Assumption {
			t.Fatalf("%+v became %+v", f, g)
		}
	}
	there := func(f core.Fact) bool {
		return f.Key == s.Key && core.Plain(f.Content) == core.Plain(s.Content) && (f.Source == s.Source || slices.Contains(f.Sources, s.Source))
	}
	if !slices.ContainsFunc(after, there) {
		t.Fatalf("%+v is not in %q", s, shown(after))
	}
	if s.Origin == core.OriginPerson && !slices.ContainsFunc(after, func(f core.Fact) bool { return there(f) && f.SupersededBy == nil }) {
		t.Fatalf("a person's %+v does not hold in %q", s, shown(after))
	}
}

func sound(t *rapid.T, p core.Pool) {
	held := map[string][]core.Fact{}
	for i, f := range p {
		if f.ID != fmt.Sprint("f", i+1) || f.Sources == nil || slices.Contains(f.Sources, f.ID) {
			t.Fatalf("%+v", f)
		}
		if f.SupersededBy != nil {
			if by := p.Fact(*f.SupersededBy); by == nil || by == &p[i] || by.Key != f.Key || f.Key == "" {
				t.Fatalf("%+v was superseded by %+v", f, by)
			}
			continue
		}
		if f.Stale != "" && (p.Fact(f.Stale) == nil || p.Fact(f.Stale).SupersededBy == nil) {
			t.Fatalf("%+v is stale for what holds", f)
		}
		if f.Key != "" {
			held[f.Key] = append(held[f.Key], f)
		}
	}
	for key, facts := range held {
		contents := map[string]bool{}
		persons, assumed := 0, 0
		for _, f := range facts {
			contents[core.Plain(f.Content)] = true
			if f.Origin == core.OriginPerson {
				persons++
			}
			if f.Assumption {
				assumed++
			}
		}
		if len(contents) != len(facts) || persons > 0 && len(facts) > 1 || assumed > 0 && assumed < len(facts) {
			t.Fatalf("%s: %q", key, shown(p))
		}
	}
}

// TestTheOrderOfDelegationsDoesNotMatter for what holds in the end.
func TestTheOrderOfDelegationsDoesNotMatter(t *testing.T) {
	holds := func(p core.Pool) []string {
		var all []string
		for _, f := range valid(p) {
			all = append(all, fmt.Sprint(f.Key, " ", core.Plain(f.Content), " ", f.Assumption))
		}
		slices.Sort(all)
		return all
	}
	rapid.Check(t, func(t *rapid.T) {
		all := statements(t, "w", "guess")
		one := holds(core.Pool(nil).Merge(all...))
		if other := holds(core.Pool(nil).Merge(rapid.Permutation(all).Draw(t, "order")...)); !slices.Equal(one, other) {
			t.Fatalf("%q\n%q", one, other)
		}
	})
}
