package playbook

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stellwerk-dev/stellwerk/internal/check"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/role"
)

const projectRules = "project-rules"

func TestParseRules(t *testing.T) {
	p, warnings := parseFile(t, "testdata/good/rules.yaml")
	if len(warnings) != 0 {
		t.Errorf("warnings: %v", warnings)
	}
	command := func(run string, timeout time.Duration) core.Check {
		return core.Check{Kind: core.CheckCommand, Run: run, Timeout: timeout}
	}
	files := func(globs ...string) core.Check { return core.Check{Kind: core.CheckFiles, Globs: globs} }
	want := &core.Management{
		Roles: map[core.TaskKind]string{core.KindPlan: "planner", core.KindCode: "developer", core.KindReview: "code-reviewer",
			core.KindFix: "mender", core.KindResolve: "merger"},
		Done: core.Check{Kind: core.CheckAll, Of: []core.Check{
			command("go build ./...", DefaultCommandTimeout),
			command("go test ./...", 20*time.Minute),
			command("tools/coverage.sh ${coverage}", DefaultCommandTimeout),
			files("go.mod", "internal/**/*.go"),
			{Kind: core.CheckAny, Of: []core.Check{
				command("make lint", DefaultCommandTimeout),
				{Kind: core.CheckAll, Of: []core.Check{files(".lintignore"), {Kind: core.CheckNot, Of: []core.Check{files("vendor/**")}}}},
			}},
		}},
		Review:   core.ReviewRule{When: core.ReviewPaths, Paths: []string{"**/*.sql", "internal/{auth,pay}/**"}},
		PlanGate: core.GateApproval, Push: core.PushStanding, Base: "release/2.x", Attempts: 4, Rounds: 3, Timeout: 90 * time.Minute,
	}
	if diff := cmp.Diff(want, p.Project); diff != "" {
		t.Error(diff)
	}
	if p.Kind != KindRules || len(p.Phases) != 0 || p.Setup != "npm ci" || len(p.Caches) != 1 {
		t.Errorf("kind %q, phases %v, setup %q, caches %v", p.Kind, p.Phases, p.Setup, p.Caches)
	}
	agents := map[string]string{}
	for name, r := range p.Roles {
		agents[name] = r.Agent
	}
	wantRoles := map[string]string{"planner": "claude", "developer": "mine", "code-reviewer": "claude", "mender": "mine", "merger": "played",
		"migrations": "mine", "test-engineer": "claude"}
	if diff := cmp.Diff(wantRoles, agents); diff != "" {
		t.Errorf("the roles that a plan can name, and who else there is: %s", diff)
	}
	if got := unassigned(p.Roles, p.Project); !slices.Equal(got, []string{"migrations", "test-engineer"}) {
		t.Errorf("specialists %v", got)
	}
}

// TestRulesDefaults holds what is in force where a playbook is silent.
func TestRulesDefaults(t *testing.T) {
	p, _, err := Parse("p.yaml", []byte(rules+"steps: {role: developer, reviewer: code-reviewer, done: {command: make}}\n"), options())
	if err != nil {
		t.Fatal(err)
	}
	want := &core.Management{
		Roles: map[core.TaskKind]string{core.KindCode: "developer", core.KindFix: "developer", core.KindResolve: "developer", core.KindReview: "code-reviewer"},
		Done: core.Check{Kind: core.CheckAll, Of: []core.Check{
			{Kind: core.CheckCommand, Run: "make", Timeout: DefaultCommandTimeout}}},
		Review: core.ReviewRule{When: core.ReviewAlways}, Push: core.PushAsk, Attempts: DefaultAttempts, Rounds: DefaultRounds, Timeout: DefaultTimeout,
	}
	if diff := cmp.Diff(want, p.Project); diff != "" {
		t.Error(diff)
	}
	p, _, err = Parse("p.yaml", []byte(rules+"plan: {role: planner}\nsteps: {role: developer, review: never, reviewer: code-reviewer}\n"), options())
	if err != nil {
		t.Fatal(err)
	}
	if m := p.Project; m.PlanGate != core.GateAuto || m.Review.When != core.ReviewNever || m.Roles[core.KindReview] != "code-reviewer" {
		t.Errorf("a plan that nobody approves, reviews where the plan asks for them: %+v", m)
	}
}

func TestProjectRules(t *testing.T) {
	p, warnings, err := Builtin(projectRules, options())
	if err != nil || len(warnings) != 0 {
		t.Fatalf("warnings %v, error %v", warnings, err)
	}
	var checks []string
	for _, c := range p.Project.Done.Of {
		checks = append(checks, check.Describe(c))
	}
	if diff := cmp.Diff([]string{"command: go build ./...", "command: go test ./..."}, checks); diff != "" {
		t.Error(diff)
	}
	if m := p.Project; m.Push != core.PushAsk || m.PlanGate != core.GateApproval || m.Review.When != core.ReviewAlways {
		t.Errorf("the built-in playbook decides for a person: %+v", m)
	}
	if files := RepositoryFiles(p, role.Builtin()); len(files) != 0 {
		t.Errorf("a built-in playbook rests on %v", files)
	}
	for _, name := range slices.Sorted(maps.Keys(p.Roles)) {
		if _, ok := role.Builtin()[name]; !ok {
			t.Errorf("%s is no built-in role", name)
		}
	}
}

// TestProjectRulesWithoutCommands says aloud that nothing will be checked.
func TestProjectRulesWithoutCommands(t *testing.T) {
	p, warnings, err := Builtin(projectRules, Options{Roles: role.Builtin()})
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, w := range warnings {
		texts = append(texts, w.String())
	}
	want := []string{
		"the built-in playbook project-rules: no check looks at a step's branch or at a merge; `stellwerk init --playbook project-rules` puts it into your repository to be changed",
		"the built-in playbook project-rules: no command was found for ${build}; the check is left out; `stellwerk init --playbook project-rules` puts it into your repository to be changed",
		"the built-in playbook project-rules: no command was found for ${test}; the check is left out; `stellwerk init --playbook project-rules` puts it into your repository to be changed",
	}
	if diff := cmp.Diff(want, texts); diff != "" {
		t.Error(diff)
	}
	if p.Project.Done.Kind != core.CheckAll || len(p.Project.Done.Of) != 0 {
		t.Errorf("done is %+v", p.Project.Done)
	}
}

func TestSettleRules(t *testing.T) {
	p, _ := parseFile(t, "testdata/good/rules.yaml")
	settled, warnings, err := Settle(*p, core.Options{Coverage: 80, ModelTier: core.TierStrong})
	if err != nil || len(warnings) != 0 {
		t.Fatalf("warnings %v, error %v", warnings, err)
	}
	if got := settled.Project.Done.Of[2].Run; got != "tools/coverage.sh 80" {
		t.Errorf("the target is not in the check: %q", got)
	}
	if got := settled.Roles["test-engineer"].Model; got != "large" {
		t.Errorf("a specialist has the model %q", got)
	}
	if got := p.Project.Done.Of[2].Run; got != "tools/coverage.sh ${coverage}" {
		t.Errorf("the playbook itself was changed: %q", got)
	}
	settled, warnings, err = Settle(*p, core.Options{UIDesigner: true})
	if err != nil || len(settled.Project.Done.Of) != len(p.Project.Done.Of)-1 {
		t.Fatalf("%d checks are left, error %v", len(settled.Project.Done.Of), err)
	}
	want := []string{
		"a step is not held to a test coverage: the run has no target for it (--coverage)",
		"the UI designer has nothing to do: no team of the playbook shop has an optional place for one",
	}
	if diff := cmp.Diff(want, warnings); diff != "" {
		t.Error(diff)
	}
}

func TestSettleRulesRefuses(t *testing.T) {
	p, _, err := Parse("p.yaml", []byte(rules+"steps: {role: developer, review: never, done: {command: \"cover.sh ${coverage}\"}}\n"), options())
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = Settle(*p, core.Options{})
	if core.CodeOf(err) != core.CodeInvalid || !strings.Contains(err.Error(), "only its test coverage shows that a step is done") {
		t.Errorf("error %v", err)
	}
}

// TestTrustCoversSpecialists asks again when a role changes that only a plan can name.
func TestTrustCoversSpecialists(t *testing.T) {
	const text = rules + "steps: {role: x, review: never, specialists: [y], done: {command: make}}\n"
	parse := func(prompt string) (*core.Playbook, role.Set) {
		t.Helper()
		set := role.Set{}
		for name, prompt := range map[string]string{"x": "Work.", "y": prompt, "unused": prompt} {
			r, err := role.Parse("roles/"+name+".md", []byte(prompt))
			if err != nil {
				t.Fatal(err)
			}
			set[name] = r
		}
		p, _, err := Parse("p.yaml", []byte(text), Options{Roles: set})
		if err != nil {
			t.Fatal(err)
		}
		return p, set
	}
	one, set := parse("One.")
	two, _ := parse("Two.")
	if one.Hash == two.Hash {
		t.Error("a changed specialist does not change the hash")
	}
	if diff := cmp.Diff([]string{"p.yaml", "roles/x.md", "roles/y.md"}, RepositoryFiles(one, set)); diff != "" {
		t.Error(diff)
	}
}

func TestBranchNames(t *testing.T) {
	for _, name := range []string{"main", "release/2.x", "feature/a-b_c", "müller", "a@b", "x.lockfile"} {
		p, _, err := Parse("p.yaml", []byte(rules+"steps: {role: developer, review: never}\npublish: {base: \""+name+"\"}\n"), options())
		if err != nil || p.Project.Base != name {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"a b", "-x", "a..b", "a/", "/a", "a//b", ".a", "a/.b", "a.", "a.lock", "a.lock/b", "a~1", "a^", "a:b", "a?", "a*",
		"a[", `a\\b`, "a@{1}", "@", "HEAD", "refs/heads/a"} {
		if _, _, err := Parse("p.yaml", []byte(rules+"steps: {role: developer, review: never}\npublish: {base: \""+name+"\"}\n"), options()); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}
