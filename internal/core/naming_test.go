package core_test

import (
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestHowALineCanBeCalled: a line's name becomes that of a branch, a stage and files, so
// it must be neither another's nor one of Stellwerk's own.
func TestHowALineCanBeCalled(t *testing.T) {
	t.Parallel()
	forty := strings.Repeat("a", 40)
	type called struct {
		name string
		ok   bool
	}
	for name, want := range map[string]called{
		"": {"", true}, "feature/x": {"", true}, "api": {"api", true}, "feature/x-api-1": {"api", true}, "web": {"web", true}, "team/web": {"web", true},
		"a-z09": {"a-z09", true}, "0": {"0", true}, "9z": {"9z", true}, forty: {forty, true}, "t": {"t", true}, "t01": {"t01", true}, "tx": {"tx", true}, "changes": {"changes", true},
		"manager": {}, "plan": {}, "publish": {}, "step-1": {}, "change-1": {}, "x/manager": {}, "t1": {}, "t99": {}, "-a": {}, "a_b": {}, "A": {}, "a b": {}, "a{": {}, "a`": {}, "a:": {}, "a.": {}, "ä": {}, forty + "a": {}, "x/": {},
	} {
		got, ok := managed().LineName(name)
		if ok != want.ok || ok && got != want.name {
			t.Errorf("%q is called %q, %t", name, got, ok)
		}
	}
	r := managed()
	for name, want := range map[string]string{"api": "api", "feature/x-api-1": "api", "manager": "", "": "", "web": ""} {
		got := ""
		if s := r.LineOf(name); s != nil {
			got = s.ID
		}
		if got != want {
			t.Errorf("the line of %q is %q", name, got)
		}
	}
	r.Managing.Delegated = 2
	for id, want := range map[string]bool{"t1": true, "t2": true, "t0": false, "t3": false, "t-1": false, "t01": false, "1": false, "x": false, "": false} {
		if r.Was(id) != want {
			t.Errorf("whether %q was a delegation: %t", id, !want)
		}
	}
}

// TestHowABriefCanNameThings: its id and its outputs become names of files.
func TestHowABriefCanNameThings(t *testing.T) {
	t.Parallel()
	ids := map[string]bool{
		"a": true, "z": true, "0": true, "9": true, "a-b_c": true, "az09": true, strings.Repeat("a", 40): true,
		"": false, "-a": false, "_a": false, "A": false, "a`": false, "a{": false, "a/": false, "a:": false, "a.b": false, "ä": false, strings.Repeat("a", 41): false,
		core.PlannerStage: false, core.ManagerStage: false, core.PlanStage: false, core.PublishStage: false,
	}
	for id, fine := range ids {
		if flaw := (core.Brief{ID: id}).Flaw(); (flaw == "") != fine {
			t.Errorf("id %q: %q", id, flaw)
		}
	}
	outputs := map[string]bool{
		"a.md": true, "A.md b.md": true, "a-b_c.md": true, "z": true, "Z": true, "0": true, "9": true, strings.Repeat("a", 80): true,
		".a": false, "a/b": false, "a{": false, "a@": false, "a[": false, "a`": false, "a:": false, strings.Repeat("a", 81): false, "a.md A.md": false, "goal.md": false, "x.schema.json": false,
		core.OutputArtifact: false, core.DecisionArtifact: false, core.CompactArtifact: false, strings.ToUpper(core.DetailedArtifact): false,
	}
	for names, fine := range outputs {
		if flaw := (core.Brief{ID: "a", Outputs: strings.Fields(names)}).Flaw(); (flaw == "") != fine {
			t.Errorf("outputs %q: %q", names, flaw)
		}
	}
	for n, fine := range map[int]bool{0: true, 1: false} {
		if flaw := (core.Brief{ID: "a", Requires: make([]string, core.MaxRequired+n)}).Flaw(); (flaw == "") != fine {
			t.Errorf("%d inputs: %q", core.MaxRequired+n, flaw)
		}
		if flaw := (core.Brief{ID: "a", Criteria: make([]core.Criterion, core.MaxCriteria+n)}).Flaw(); (flaw == "") != fine {
			t.Errorf("%d criteria: %q", core.MaxCriteria+n, flaw)
		}
	}
}

// TestWhatIsShownOfASecret: where it is, never what it is; and who was shown one was
// not shown another.
func TestWhatIsShownOfASecret(t *testing.T) {
	t.Parallel()
	commit := "0123456789abcdef"
	for want, leak := range map[string]core.Leak{
		"a.go:3: key":                      {Rule: "key", File: "a.go", Line: 3},
		"a.go:1 in commit 0123456789: key": {Rule: "key", File: "a.go", Line: 1, Commit: commit},
		"a.go (its name): key":             {Rule: "key", File: "a.go"},
		"and 4 more":                       {Rule: core.LeakMore, Count: 4},
		"and more places":                  {Rule: core.LeakMore},
		"not all of it could be searched for secrets: there is too much": {Rule: core.LeakUnsearched},
		"the message, author or committer of commit 0123456789: key":     {Rule: "key", Commit: commit},
		"the message, author or committer of commit 0123: key":           {Rule: "key", Commit: "0123"},
	} {
		if leak.String() != want {
			t.Errorf("%+v is shown as %q", leak, leak)
		}
	}
	key, more := core.Leak{Rule: "key", File: "a"}, func(n int) core.Leak { return core.Leak{Rule: core.LeakMore, Count: n} }
	for _, test := range []struct {
		leak, shown core.Leak
		want        bool
	}{
		{key, key, true}, {key, core.Leak{Rule: "key", File: "b"}, false}, {more(2), more(2), true}, {more(1), more(2), true}, {more(3), more(2), false},
		{key, more(9), false}, {more(1), key, false},
	} {
		if got := test.leak.IsNamedBy(test.shown); got != test.want {
			t.Errorf("%v is named by %v: %t", test.leak, test.shown, got)
		}
	}
}

// TestWhichDocumentACheckWants: itself, or one of its parts.
func TestWhichDocumentACheckWants(t *testing.T) {
	t.Parallel()
	all := func(parts ...core.Check) core.Check { return core.Check{Kind: core.CheckAll, Of: parts} }
	for name, test := range map[string]struct {
		check core.Check
		want  bool
	}{
		"the document":       {core.Check{Kind: core.CheckArtifact, Name: "a.md"}, true},
		"another":            {core.Check{Kind: core.CheckArtifact, Name: "b.md"}, false},
		"a plan":             {core.Check{Kind: core.CheckPlan, Name: "a.md"}, true},
		"a part of it":       {all(core.Check{Kind: core.CheckFiles, Name: "x"}, all(core.Check{Kind: core.CheckArtifact, Name: "a.md"})), true},
		"no part of it":      {all(core.Check{Kind: core.CheckFiles, Name: "a.md"}), false},
		"with an answer":     {core.Check{Kind: core.CheckOutput, Names: []string{"b.md", "a.md"}}, true},
		"roles, no document": {core.Check{Kind: core.CheckPlan, Name: "b.md", Names: []string{"a.md"}}, false},
	} {
		if got := test.check.Mentions("a.md"); got != test.want {
			t.Errorf("%s: %t", name, got)
		}
	}
	if !(core.Check{Kind: core.CheckOutput}).Mentions(core.OutputArtifact) || !(core.Check{Kind: core.CheckDecision}).Mentions(core.DecisionArtifact) {
		t.Error("an answer or a decision is not wanted")
	}
}

// TestWhatCanBeChosen has the bounds of what a run is started with.
func TestWhatCanBeChosen(t *testing.T) {
	t.Parallel()
	for coverage, fine := range map[int]bool{-1: false, 0: true, 1: true, 100: true, 101: false} {
		if err := (core.Options{Coverage: coverage}).Check(); (err == nil) != fine {
			t.Errorf("a coverage of %d: %v", coverage, err)
		}
	}
	for tier, fine := range map[core.Tier]bool{"": true, core.TierFast: true, core.TierBalanced: true, core.TierStrong: true, "huge": false} {
		if err := (core.Options{ModelTier: tier}).Check(); (err == nil) != fine {
			t.Errorf("the tier %q: %v", tier, err)
		}
	}
}

// TestADeliveryIsWhatIsInIt: the same documents in another order are the same, anything
// else is another delivery.
func TestADeliveryIsWhatIsInIt(t *testing.T) {
	t.Parallel()
	a, b, c := core.Artifact{Name: "a", Digest: "1"}, core.Artifact{Name: "b", Digest: "2"}, core.Artifact{Name: "c", Digest: "3"}
	same := core.Delivery{Commit: "x", Tree: "y", Artifacts: []core.Artifact{a, b, c}, Context: []byte(`{"k":1}`)}
	for _, order := range [][]core.Artifact{{b, a, c}, {c, b, a}, {c, a, b}, {b, c, a}} {
		other := same
		other.Artifacts = order
		if other.Digest() != same.Digest() {
			t.Errorf("in the order %v it is another delivery", order)
		}
	}
	for what, change := range map[string]func(*core.Delivery){
		"commit":   func(d *core.Delivery) { d.Commit = "z" },
		"tree":     func(d *core.Delivery) { d.Tree = "z" },
		"document": func(d *core.Delivery) { d.Artifacts = []core.Artifact{a, b, {Name: "c", Digest: "9"}} },
		"name":     func(d *core.Delivery) { d.Artifacts = []core.Artifact{a, b, {Name: "d", Digest: "3"}} },
		"fewer":    func(d *core.Delivery) { d.Artifacts = []core.Artifact{a, b} },
		"report":   func(d *core.Delivery) { d.Context = []byte(`{"k":2}`) },
	} {
		other := same
		change(&other)
		if other.Digest() == same.Digest() {
			t.Errorf("with another %s it is the same delivery", what)
		}
	}
	if (*core.Delivery)(nil).Digest() != "" {
		t.Error("nothing is a delivery")
	}
}
