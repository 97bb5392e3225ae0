package playbook

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/role"
)

const projectManager = "project-manager"

func TestParseManager(t *testing.T) {
	p, warnings := parseFile(t, "testdata/good/manager.yaml")
	if len(warnings) != 0 {
		t.Errorf("warnings: %v", warnings)
	}
	command := func(run string) core.Check {
		return core.Check{Kind: core.CheckCommand, Run: run, Timeout: DefaultCommandTimeout}
	}
	want := &core.Management{
		Roles: map[core.TaskKind]string{core.KindManage: projectManager, core.KindWork: "developer", core.KindCode: "developer",
			core.KindReview: "code-reviewer", core.KindFix: "mender", core.KindResolve: "merger"},
		Done:   core.Check{Kind: core.CheckAll, Of: []core.Check{command("go build ./..."), command("tools/coverage.sh ${coverage}")}},
		Review: core.ReviewRule{When: core.ReviewNever}, Push: core.PushStanding, Base: "release/2.x",
		Attempts: 4, Rounds: 1, Timeout: 90 * time.Minute, Watch: &core.Watch{Every: 90 * time.Second, Silent: time.Hour}, Reviews: 3,
	}
	if diff := cmp.Diff(want, p.Project); diff != "" {
		t.Error(diff)
	}
	if p.Kind != KindManager || len(p.Phases) != 0 || p.Setup != "npm ci" || len(p.Caches) != 1 {
		t.Errorf("kind %q, phases %v, setup %q, caches %v", p.Kind, p.Phases, p.Setup, p.Caches)
	}
	if got := p.Roles[projectManager]; got.Agent != "played" || got.Prompt != role.Builtin()[projectManager].Prompt {
		t.Errorf("the manager is %+v", got)
	}
	if got := unassigned(p.Roles, p.Project); !slices.Equal(got, []string{"migrations", "test-engineer"}) {
		t.Errorf("specialists %v", got)
	}
}

// TestManagerDefaults holds what is in force where a playbook is silent.
func TestManagerDefaults(t *testing.T) {
	p, warnings, err := Parse("p.yaml", []byte(byManager+"steps: {role: developer, done: {command: make}}\n"), options())
	if err != nil || len(warnings) != 0 {
		t.Fatalf("warnings %v, error %v", warnings, err)
	}
	want := &core.Management{
		Roles: map[core.TaskKind]string{core.KindManage: projectManager, core.KindWork: "developer", core.KindCode: "developer",
			core.KindFix: "developer", core.KindResolve: "developer"},
		Done:   core.Check{Kind: core.CheckAll, Of: []core.Check{{Kind: core.CheckCommand, Run: "make", Timeout: DefaultCommandTimeout}}},
		Review: core.ReviewRule{When: core.ReviewNever}, Push: core.PushAsk, Attempts: DefaultAttempts, Rounds: 1, Timeout: DefaultTimeout,
		Watch: &core.Watch{Every: 5 * time.Minute, Silent: 10 * time.Minute}, Reviews: 5,
	}
	if diff := cmp.Diff(want, p.Project); diff != "" {
		t.Error(diff)
	}
	p, _, err = Parse("p.yaml", []byte(managed+"manager: {role: project-manager, watchdog: {silent: 30m}}\nsteps: {role: developer}\n"), options())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&core.Watch{Every: 5 * time.Minute, Silent: 30 * time.Minute}, p.Project.Watch); diff != "" {
		t.Errorf("a watchdog of which half is said: %s", diff)
	}
}

// TestManagerIsPinned writes a playbook into a run and reads it back: the plain kind of work has an empty name.
func TestManagerIsPinned(t *testing.T) {
	p, _ := parseFile(t, "testdata/good/manager.yaml")
	data, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var again core.Playbook
	if err := json.Unmarshal(data, &again); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(*p, again); diff != "" {
		t.Error(diff)
	}
}

func TestProject(t *testing.T) {
	p, warnings, err := Builtin("project", options())
	if err != nil || len(warnings) != 0 {
		t.Fatalf("warnings %v, error %v", warnings, err)
	}
	byRules, _, err := Builtin(projectRules, options())
	if err != nil {
		t.Fatal(err)
	}
	m, r := p.Project, byRules.Project
	if m.Roles[core.KindManage] != projectManager || m.Push != core.PushAsk {
		t.Errorf("the built-in playbook is %+v", m)
	}
	if diff := cmp.Diff(r.Done, m.Done); diff != "" {
		t.Errorf("by rules (-) and by a manager (+), work is held to something else: %s", diff)
	}
	for _, kind := range []core.TaskKind{core.KindCode, core.KindReview, core.KindFix, core.KindResolve} {
		if m.Roles[kind] != r.Roles[kind] {
			t.Errorf("%s is done by %s, by rules by %s", kind, m.Roles[kind], r.Roles[kind])
		}
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

// TestProjectWithoutCommands says aloud that nothing will be checked.
func TestProjectWithoutCommands(t *testing.T) {
	_, warnings, err := Builtin("project", Options{Roles: role.Builtin()})
	if err != nil || len(warnings) != 3 {
		t.Fatalf("warnings %v, error %v", warnings, err)
	}
	if got := warnings[0].String(); !strings.Contains(got, "no check looks at a step's branch or at a merge") {
		t.Error(got)
	}
}

func TestSettleManager(t *testing.T) {
	p, _ := parseFile(t, "testdata/good/manager.yaml")
	settled, warnings, err := Settle(*p, core.Options{Coverage: 80, ModelTier: core.TierStrong})
	if err != nil || len(warnings) != 0 {
		t.Fatalf("warnings %v, error %v", warnings, err)
	}
	if got := settled.Project.Done.Of[1].Run; got != "tools/coverage.sh 80" {
		t.Errorf("the target is not in the check: %q", got)
	}
	if got := settled.Roles["code-reviewer"].Model; got != "large" {
		t.Errorf("the reviewer has the model %q", got)
	}
	if diff := cmp.Diff(p.Project.Watch, settled.Project.Watch); diff != "" {
		t.Error(diff)
	}
}

// TestTrustCoversTheManager asks again when the manager's own role changes.
func TestTrustCoversTheManager(t *testing.T) {
	hash := func(prompt string) string {
		t.Helper()
		r, err := role.Parse("roles/project-manager.md", []byte(prompt))
		if err != nil {
			t.Fatal(err)
		}
		o := options()
		o.Roles = role.Set{projectManager: r}.Over(role.Builtin())
		p, _, err := Parse("p.yaml", []byte(byManager+"steps: {role: developer, done: {command: make}}\n"), o)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"p.yaml", "roles/project-manager.md"}, RepositoryFiles(p, o.Roles)); diff != "" {
			t.Error(diff)
		}
		return p.Hash
	}
	if hash("One.") == hash("Two.") {
		t.Error("a changed manager does not change the hash")
	}
}
