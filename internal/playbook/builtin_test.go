package playbook

import (
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stellwerk-dev/stellwerk/internal/check"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/role"
)

const fullstack = "fullstack"

// What fullstack has and phases.conf has no word for: a phase that is opened only where somebody doubts the
// architecture, and the plan of a designer who was called in.
const (
	escalation = "architecture"
	wireframes = "plan-ui-designer.md"
)

// TestFullstackIsPhasesConf imports bytA's eight phases and finds the built-in playbook: the same phases, roles, gates,
// done criteria, documents and ways back. What fullstack has besides is taken away first, and is TestFullstackAddsOnly's.
func TestFullstackIsPhasesConf(t *testing.T) {
	conf, err := os.ReadFile("testdata/import/eight.conf")
	if err != nil {
		t.Fatal(err)
	}
	text, _, err := Import("phases.conf", conf)
	if err != nil {
		t.Fatal(err)
	}
	imported, _, err := Parse("phases.yaml", text, Options{Roles: role.Builtin()})
	if err != nil {
		t.Fatal(err)
	}
	if len(imported.Phases) != 8 {
		t.Fatalf("%d phases were imported", len(imported.Phases))
	}
	shipped := plainFullstack(t)
	words := cmpopts.IgnoreFields(core.Phase{}, "Title", "Prompt", "Timeout")
	if diff := cmp.Diff(imported.Phases, shipped.Phases, words); diff != "" {
		t.Errorf("imported (-) and built in (+) differ: %s", diff)
	}
	if diff := cmp.Diff(imported.Roles, shipped.Roles); diff != "" {
		t.Errorf("imported (-) and built in (+) differ: %s", diff)
	}
}

// plainFullstack is fullstack without what phases.conf cannot say.
func plainFullstack(t *testing.T) *core.Playbook {
	t.Helper()
	p, _, err := Builtin(fullstack, Options{Roles: role.Builtin()})
	if err != nil {
		t.Fatal(err)
	}
	p.Phases = slices.DeleteFunc(p.Phases, func(phase core.Phase) bool { return phase.ID == escalation })
	for i := range p.Phases {
		phase := &p.Phases[i]
		phase.Skippable = false
		phase.Outputs = slices.DeleteFunc(phase.Outputs, func(name string) bool { return name == core.PlanArtifact })
		phase.Done.Of = slices.DeleteFunc(phase.Done.Of, func(c core.Check) bool { return c.Name == core.PlanArtifact })
		phase.Inputs = slices.DeleteFunc(phase.Inputs, func(in core.Input) bool { return in.Name == wireframes })
		if phase.Team != nil {
			phase.Team.Optional = nil
		}
	}
	maps.DeleteFunc(p.Roles, func(name string, _ core.Role) bool { return name == "architect-reviewer" || name == "ui-designer" })
	return p
}

// TestFullstackAddsOnly names what fullstack does beyond phases.conf.
func TestFullstackAddsOnly(t *testing.T) {
	p, warnings, err := Builtin(fullstack, options())
	if err != nil || len(warnings) != 0 {
		t.Fatalf("warnings %v, error %v", warnings, err)
	}
	commands := map[string][]string{}
	for _, phase := range p.Phases {
		for _, c := range phase.Done.Of {
			if c.Kind == core.CheckCommand {
				commands[phase.ID] = append(commands[phase.ID], check.Describe(c))
			}
		}
	}
	build, test := "command: go build ./...", "command: go test ./..."
	want := map[string][]string{"backend": {build}, "frontend": {build}, "tests": {build, test}}
	if diff := cmp.Diff(want, commands); diff != "" {
		t.Errorf("what is run from outside: %s", diff)
	}
	var drawn []string // the phases that get the wireframes, where there are any
	for _, phase := range p.Phases {
		if slices.ContainsFunc(phase.Inputs, func(in core.Input) bool { return in.Name == wireframes && in.Optional }) {
			drawn = append(drawn, phase.ID)
		}
	}
	if diff := cmp.Diff([]string{"frontend", "tests", "review"}, drawn); diff != "" {
		t.Errorf("who gets the wireframes: %s", diff)
	}
	e := p.Phase(escalation)
	if e == nil || e.When == "" || e.Role != "architect-reviewer" || e.Gate != core.GateApproval || e.Rollback == nil || e.Rollback.Default != "plan" {
		t.Errorf("the escalation is %+v", e)
	}
	var skippable []string
	for _, phase := range p.Skippable("plan") {
		skippable = append(skippable, phase.ID)
	}
	if diff := cmp.Diff([]string{"migrations", "backend", "frontend"}, skippable); diff != "" {
		t.Errorf("what an approved plan may leave out: %s", diff)
	}
	if team := p.Phase("plan").Team; team.Optional["ui-designer"] != core.OptionUIDesigner || team.Fallback != team.Hub {
		t.Errorf("the team is %+v", team)
	}
	if files := RepositoryFiles(p, role.Builtin()); len(files) != 0 {
		t.Errorf("a built-in playbook rests on %v", files)
	}
}

// TestNothingWritesCodeAfterTheTests holds fullstack to publishing what was built and tested: that is its build gate.
func TestNothingWritesCodeAfterTheTests(t *testing.T) {
	p, _, err := Builtin(fullstack, options())
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(p.Phases, func(phase core.Phase) bool { return phase.ID == "tests" })
	for _, phase := range p.Phases[at+1:] {
		if phase.Act == "" && phase.Writes != core.WritesArtifacts {
			t.Errorf("%s writes %s", phase.ID, phase.Writes)
		}
	}
}

// TestFullstackTen holds the ten phases to their list: the same phases, roles and gates in the same order, and everything that
// the import of the list gives a phase to read.
func TestFullstackTen(t *testing.T) {
	found := Commands{Setup: "setup it", Build: "build it", Test: "test it"}
	p, warnings, err := Builtin("fullstack-ten", Options{Roles: role.Builtin(), Commands: found})
	if err != nil || len(warnings) > 0 {
		t.Fatal(warnings, err)
	}
	// backend and frontend lie in folders of their own, so the commands of the list would not hold in the root.
	for phase, want := range map[string][]string{"backend": {found.Build}, "frontend": {found.Build}, "tests": {found.Build, found.Test}} {
		var runs []string
		for _, c := range p.Phase(phase).Done.Of {
			if c.Run != "" {
				runs = append(runs, c.Run)
			}
		}
		if diff := cmp.Diff(want, runs); diff != "" {
			t.Errorf("%s is checked by other commands: %s", phase, diff)
		}
	}
	conf, err := os.ReadFile("testdata/import/ten.conf")
	if err != nil {
		t.Fatal(err)
	}
	text, _, err := Import("phases.conf", conf)
	if err != nil {
		t.Fatal(err)
	}
	imported, _, err := Parse("phases.yaml", text, Options{Roles: role.Builtin()})
	if err != nil || len(imported.Phases) != 10 {
		t.Fatal(err)
	}
	for i, want := range imported.Phases {
		got := p.Phases[i]
		if got.ID != want.ID || got.Role != want.Role || got.Gate != want.Gate || got.Writes != want.Writes || got.Act != want.Act {
			t.Errorf("phase %d is %s by %s, %s; the list has %s by %s, %s", i, got.ID, got.Role, got.Gate, want.ID, want.Role, want.Gate)
		}
		for _, in := range want.Inputs {
			if in.Name == "tests.md" { // which the import had to name itself
				in.Name = "ph06-test-engineer.md"
			}
			if !slices.ContainsFunc(got.Inputs, func(other core.Input) bool { return other.Name == in.Name && other.Files == in.Files }) {
				t.Errorf("%s is not told of %s%s", got.ID, in.Name, in.Files)
			}
		}
		if got.VerifyFirst {
			t.Errorf("%s may be done by nobody", got.ID) // a green project would be left as it is
		}
	}
	if diff := cmp.Diff(imported.Phase("review").Rollback, p.Phase("security").Rollback); diff != "" {
		t.Errorf("the way back from the audit: %s", diff)
	}
}
