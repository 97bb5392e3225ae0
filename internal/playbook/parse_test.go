package playbook

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stellwerk-dev/stellwerk/internal/check"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/role"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

func options() Options {
	return Options{Roles: role.Builtin(), Commands: Commands{Setup: "npm ci", Build: "go build ./...", Test: "go test ./..."}}
}

func parseFile(t *testing.T, file string) (*core.Playbook, []Warning) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	p, warnings, err := Parse(filepath.Base(file), data, options())
	if err != nil {
		t.Fatalf("%s:\n%v", file, err)
	}
	return p, warnings
}

func TestParseFull(t *testing.T) {
	p, warnings := parseFile(t, "testdata/good/full.yaml")
	if len(warnings) != 0 {
		t.Errorf("warnings: %v", warnings)
	}
	plan, implement, review, publish := p.Phase("plan"), p.Phase("implement"), p.Phase("review"), p.Phase("publish")
	wantAgents := map[string]core.Agent{
		"mine":   {Use: "command", Run: []string{"bash", "agent.sh"}, Env: map[string]string{"COLOUR": "no"}, Secrets: []string{"MODEL_KEY"}},
		"strong": {Use: "claude", Model: "opus", Options: map[string]string{"effort": "high"}},
		"played": {Use: "scripted", Options: map[string]string{"scenario": "testdata/scenario.yaml"}},
	}
	if diff := cmp.Diff(wantAgents, p.Agents); diff != "" {
		t.Error(diff)
	}
	agents := map[string]string{}
	for name, r := range p.Roles {
		agents[name] = r.Agent
	}
	wantRoles := map[string]string{"developer": "mine", "architect": "strong", "backend": "strong", "frontend": "strong",
		"designer": "played", "code-reviewer": "strong"}
	if diff := cmp.Diff(wantRoles, agents); diff != "" {
		t.Error(diff)
	}
	if dev := p.Roles["developer"]; dev.Prompt != role.Builtin()["developer"].Prompt || len(dev.Capabilities) != 2 {
		t.Errorf("the inline role is not laid over the file's: %+v", dev)
	}
	if got := p.Roles["backend"].Tools; !cmp.Equal(got, []string{"Read", "Bash(git add:*, git commit:*)"}) {
		t.Errorf("tools: %q", got)
	}
	if plan.Writes != core.WritesArtifacts || implement.Writes != core.WritesCode || review.Writes != core.WritesArtifacts {
		t.Errorf("writes: %s %s %s", plan.Writes, implement.Writes, review.Writes)
	}
	if plan.Attempts != 2 || plan.Timeout != 45*time.Minute || implement.Attempts != 5 || implement.Timeout != 90*time.Minute {
		t.Error("defaults are not applied where and only where a phase is silent")
	}
	if publish.Gate != core.GateApproval || implement.Gate != core.GateAuto {
		t.Errorf("gates: publish %s, implement %s", publish.Gate, implement.Gate)
	}
	wantRollback := &core.Rollback{Types: []core.RollbackRule{{Match: "design", Stage: "design"}},
		Paths: []core.RollbackRule{{Match: "**/*.go", Stage: "implement"}}, Default: "implement"}
	if diff := cmp.Diff(wantRollback, review.Rollback); diff != "" {
		t.Error(diff)
	}
	last := implement.Done.Of[len(implement.Done.Of)-1]
	if last.Kind != core.CheckArtifact || last.Name != "implement.md" {
		t.Errorf("an output without a check of its own is not required: %+v", last)
	}
}

func TestReviewIsHeldToItsSchema(t *testing.T) {
	p, _ := parseFile(t, "testdata/good/full.yaml")
	for _, c := range p.Phase("review").Done.Of {
		if c.Name == "review.json" && len(c.Schema) == 0 {
			t.Error("review.json has no schema")
		}
	}
}

func TestFeature(t *testing.T) {
	p, warnings, err := Builtin(Feature, options())
	if err != nil || len(warnings) != 0 {
		t.Fatalf("warnings %v, error %v", warnings, err)
	}
	var checks []string
	for _, c := range p.Phase("implement").Done.Of {
		checks = append(checks, check.Describe(c))
	}
	want := []string{"changed: **", "command: go build ./...", "command: go test ./...", "artifact: implement.md"}
	if diff := cmp.Diff(want, checks); diff != "" {
		t.Error(diff)
	}
	if p.Setup != "npm ci" || p.Origin != OriginBuiltin || p.Roles["developer"].Agent != "claude" {
		t.Errorf("setup %q, origin %q, agent %q", p.Setup, p.Origin, p.Roles["developer"].Agent)
	}
	if files := RepositoryFiles(p, role.Builtin()); len(files) != 0 {
		t.Errorf("a built-in playbook rests on %v", files)
	}
}

func TestFeatureWithoutCommands(t *testing.T) {
	o := options()
	o.Commands = Commands{}
	p, warnings, err := Builtin(Feature, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(warnings) != 2 || !strings.Contains(warnings[0].String(), "the built-in playbook feature: no command was found for ${build}") {
		t.Errorf("warnings: %v", warnings)
	}
	if mentions(p.Phase("implement").Done, core.CheckCommand) || p.Setup != "" {
		t.Error("an undetected command is not left out")
	}
}

func TestPersonsAgentIsTheDefault(t *testing.T) {
	o := options()
	o.Agent, o.Agents = "played", map[string]core.Agent{"played": {Use: "scripted", Options: map[string]string{"scenario": "/demo.yaml"}}}
	p, _, err := Builtin(Feature, o)
	if err != nil {
		t.Fatal(err)
	}
	if p.Roles["planner"].Agent != "played" || len(p.Agents) != 1 || p.Agents["played"].Use != "scripted" {
		t.Errorf("agents %v", p.Agents)
	}
	o.Agents = nil
	_, _, err = Builtin(Feature, o)
	want := `--agent or your settings ask for the agent "played", which the playbook feature does not have`
	if err == nil || err.Error() != want || !strings.HasPrefix(wording.Hint(err), "known: claude") {
		t.Errorf("error %v, hint %s, want %s", err, wording.Hint(err), want)
	}
}

func TestUnknownBuiltin(t *testing.T) {
	_, _, err := Builtin("../parse", options())
	if core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("error %v", err)
	}
}

// TestHash holds trust to content: what changes it, and what does not.
func TestHash(t *testing.T) {
	const text = "name: a\nkind: phases\nphases:\n- {id: a, role: x, outputs: [a.md]}\n"
	parse := func(text, rolePrompt string, builtin bool) string {
		t.Helper()
		r, err := role.Parse("roles/x.md", []byte(rolePrompt))
		if err != nil {
			t.Fatal(err)
		}
		if builtin {
			r.Origin = role.OriginBuiltin
		}
		p, _, err := Parse("p.yaml", []byte(text), Options{Roles: role.Set{"x": r, "unused": r}})
		if err != nil {
			t.Fatal(err)
		}
		return p.Hash
	}
	first := parse(text, "one", false)
	switch {
	case first != parse(text, "one", false):
		t.Error("the same content has two hashes")
	case first == parse(text, "two", false):
		t.Error("a changed role does not change the hash")
	case first == parse(text+"# comment\n", "one", false):
		t.Error("a changed file does not change the hash")
	case parse(text, "one", true) != parse(text, "two", true):
		t.Error("a built-in role is part of the hash")
	case Hash(File{"a", []byte("b")}, File{"c", nil}) == Hash(File{"a", nil}, File{"bc", nil}):
		t.Error("names and contents run into each other")
	case Hash(File{"a", nil}, File{"b", nil}) != Hash(File{"b", nil}, File{"a", nil}):
		t.Error("the order of files changes the hash")
	}
}

func TestProblemsHaveACode(t *testing.T) {
	_, _, err := Parse("p.yaml", nil, Options{})
	var problems Problems
	if !errors.As(err, &problems) || core.CodeOf(err) != core.CodeInvalid {
		t.Errorf("%T with code %s", err, core.CodeOf(err))
	}
}
