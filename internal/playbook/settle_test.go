package playbook

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/check"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func models(p core.Playbook) map[string]string {
	all := map[string]string{}
	for name, r := range p.Roles {
		all[name] = r.Model
	}
	return all
}

func TestSettle(t *testing.T) {
	p, _ := parseFile(t, "testdata/good/full.yaml")
	before, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	settled, warnings, err := Settle(*p, core.Options{Coverage: 75, ModelTier: core.TierStrong, UIDesigner: true})
	if err != nil || len(warnings) != 0 {
		t.Fatalf("warnings %v, error %v", warnings, err)
	}
	// developer and designer are played by other programs; frontend has a tier of its own, the reviewer has none.
	want := map[string]string{"developer": "", "designer": "", "architect": "large", "backend": "large", "frontend": "opus", "code-reviewer": "large"}
	if diff := cmp.Diff(want, models(settled)); diff != "" {
		t.Errorf("models: %s", diff)
	}
	wantTeam := &core.Team{Spokes: []string{"backend", "frontend", "designer"}, Hub: "architect", Fallback: "developer"}
	if diff := cmp.Diff(wantTeam, settled.Phase("plan").Team); diff != "" {
		t.Errorf("team: %s", diff)
	}
	var checks []string
	for _, c := range settled.Phase("implement").Done.Of {
		checks = append(checks, check.Describe(c))
	}
	if text := strings.Join(checks, "\n"); !strings.Contains(text, "command: tools/coverage.sh 75\n") {
		t.Errorf("the target is not in the check:\n%s", text)
	}
	after, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(before), string(after)); diff != "" {
		t.Errorf("the playbook itself was changed: %s", diff)
	}
}

func TestSettleWithoutChoices(t *testing.T) {
	p, _ := parseFile(t, "testdata/good/full.yaml")
	settled, warnings, err := Settle(*p, core.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0], "the phase implement is not held to a test coverage") {
		t.Errorf("warnings: %q", warnings)
	}
	if diff := cmp.Diff(models(*p), models(settled)); diff != "" {
		t.Errorf("models: %s", diff)
	}
	if got := settled.Phase("plan").Team.Spokes; len(got) != 2 {
		t.Errorf("spokes: %v", got)
	}
	if n, all := len(settled.Phase("implement").Done.Of), len(p.Phase("implement").Done.Of); n != all-1 {
		t.Errorf("%d of %d checks are left", n, all)
	}
}

func TestSettleTiersOfFeature(t *testing.T) {
	p, _, err := Builtin(Feature, options())
	if err != nil {
		t.Fatal(err)
	}
	for tier, want := range DefaultTiers() {
		settled, warnings, err := Settle(*p, core.Options{ModelTier: tier})
		if err != nil || len(warnings) != 0 {
			t.Fatalf("%s: warnings %v, error %v", tier, warnings, err)
		}
		if got := settled.Roles["planner"].Model; got != want {
			t.Errorf("%s: the planner has the model %q, want %q", tier, got, want)
		}
	}
}

func TestChoicesWithoutEffect(t *testing.T) {
	text := head + "- {id: a, role: planner, outputs: [a.md]}\n"
	p, _, err := Parse("p.yaml", []byte(text), Options{Roles: options().Roles, Agent: "mine", Agents: map[string]core.Agent{"mine": {Use: "command", Run: []string{"x"}}}})
	if err != nil {
		t.Fatal(err)
	}
	_, warnings, err := Settle(*p, core.Options{ModelTier: core.TierFast, UIDesigner: true})
	if err != nil || len(warnings) != 2 || !strings.Contains(warnings[0], "tier fast has no effect") || !strings.Contains(warnings[1], "UI designer has nothing to do") {
		t.Errorf("warnings %q, error %v", warnings, err)
	}
}

func TestChoicesThatAreRefused(t *testing.T) {
	only, _, err := Parse("p.yaml", []byte(head+"- {id: a, role: developer, done: [{command: \"cover.sh ${coverage}\"}]}\n"), options())
	if err != nil {
		t.Fatal(err)
	}
	for want, c := range map[string]core.Options{
		"only its test coverage shows that the phase a is done": {},
		"a test coverage of 101 %":                              {Coverage: 101},
		"a test coverage of -1 %":                               {Coverage: -1},
		`there is no model tier "quick"`:                        {Coverage: 1, ModelTier: "quick"},
	} {
		if _, _, err := Settle(*only, c); core.CodeOf(err) != core.CodeInvalid || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: got %v, want %q", c, err, want)
		}
	}
}
