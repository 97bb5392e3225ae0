package role

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestBuiltinRoles names the roles that come with the program: those of the playbook feature, bytA's ten specialists,
// who manages a project, and those of the playbooks in waves.
func TestBuiltinRoles(t *testing.T) {
	want := []string{
		"angular-frontend-developer", "api-architect", "architect", "architect-planner", "architect-reviewer", "builder", "code-reviewer",
		"developer", "examiner", "planner", "postgresql-architect", manager, "researcher", "security-auditor", "spring-boot-developer",
		"test-engineer", "tester", "ui-designer", wavePlanner, "writer",
	}
	if diff := cmp.Diff(want, Builtin().Names()); diff != "" {
		t.Error(diff)
	}
}

const (
	manager     = "project-manager"
	wavePlanner = "wave-planner"
)

// TestBuiltinIsComplete holds the built-in roles to what every role must tell its agent, and to what it may use. A manager
// hands nothing in, and has a test of its own.
func TestBuiltinIsComplete(t *testing.T) {
	for name, r := range played() {
		words := strings.Join(strings.Fields(r.Prompt), " ")
		for _, phrase := range []string{"Read every input file", "Nobody answers questions", "$STELLWERK_OUT",
			"If a person asked you directly", "Your last message is one short sentence"} {
			if !strings.Contains(words, phrase) {
				t.Errorf("%s does not say %q", name, phrase)
			}
		}
		model := ""
		if name == "ui-designer" {
			model = "sonnet"
		}
		if r.Description == "" || r.Color == "" || len(r.Capabilities) == 0 || len(r.Notes) != 0 || r.Model != model || !r.Builtin() {
			t.Errorf("%s: %+v", name, r)
		}
		if len(r.Tools) == 0 || slices.ContainsFunc(r.Tools, startsAgents) {
			t.Errorf("%s may use %v: a role lists its tools, and starts no agents", name, r.Tools)
		}
		changes := slices.Contains(r.Tools, "Edit")
		if changes != slices.Contains(r.Capabilities, "code") {
			t.Errorf("%s has the tools %v and can %v", name, r.Tools, r.Capabilities)
		}
	}
}

// TestManager holds the manager to what it must be told: it works by its tools alone, on no code, and claims nothing.
func TestManager(t *testing.T) {
	r := Builtin()[manager]
	if diff := cmp.Diff([]string{"Bash", "Read", "Edit", "Write", "Grep", "Glob"}, r.Tools); diff != "" {
		t.Error(diff)
	}
	if r.Description == "" || r.Color == "" || r.Model != "" || len(r.Notes) != 0 || !r.Builtin() || !slices.Equal(r.Capabilities, []string{"manage"}) {
		t.Errorf("the manager is %+v", r)
	}
	words := strings.Join(strings.Fields(r.Prompt), " ")
	for _, phrase := range []string{"`delegate-to-red`", "`send-message`", "`update-plan`", "`request-clarification`", "`.ai/plan.md`",
		"You see no code and you change none", "Make one decision", "Done means verified", "Your last message is one short sentence"} {
		if !strings.Contains(words, phrase) {
			t.Errorf("the manager is not told %q", phrase)
		}
	}
}

func startsAgents(tool string) bool {
	return slices.Contains([]string{"Agent", "Task", "Workflow", "SendMessage", "*"}, tool)
}

// TestAgentType gives a role its own agent only where that agent was told the same.
func TestAgentType(t *testing.T) {
	own := Builtin()["developer"].Role
	changed := func(change func(*core.Role)) core.Role {
		r := own
		change(&r)
		return r
	}
	tests := []struct {
		name string
		role core.Role
		want string
		told bool
	}{
		{"built in", own, "stellwerk:developer", true},
		{"with another model", changed(func(r *core.Role) { r.Model, r.Color = "opus", "red" }), "stellwerk:developer", true},
		{"with another text", changed(func(r *core.Role) { r.Prompt = "Write poems." }), "stellwerk:worker", false},
		{"with fewer tools", changed(func(r *core.Role) { r.Tools = []string{"Read"} }), "stellwerk:worker", false},
		{"of the repository", core.Role{Name: "poet", Prompt: "Write poems."}, "stellwerk:worker", false},
		{"of headless runs", Builtin()[manager].Role, "stellwerk:worker", false},
		{"named as the stand-in", core.Role{Name: "worker", Prompt: "Write poems."}, "stellwerk:worker", false},
	}
	for _, test := range tests {
		if name, told := AgentType(test.role); name != test.want || told != test.told {
			t.Errorf("%s: %s, told %v", test.name, name, told)
		}
	}
}
