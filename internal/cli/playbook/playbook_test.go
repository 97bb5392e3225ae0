package playbook_test

import (
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/cli/clitest"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/view"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func TestTrust(t *testing.T) {
	b := clitest.New(t)
	b.Svc.TrustAnswer = api.Trusted{Hash: "sha256:abc", Files: []string{"x.yaml"}, Content: "name: x"}
	b.Run(t, shell.ExitWaiting, "trust", "-p", "x")
	b.Said(t, b.Out, "name: x", "stellwerk trust --playbook x --confirm sha256:abc")
	b.Run(t, shell.ExitOK, "trust", "-p", "x", "--confirm", "sha256:abc")
	b.Run(t, shell.ExitOK, "trust", "-p", "x", "--yes")
	b.Said(t, b.Out, "Trusted: x.yaml", "Hash:    sha256:abc")
}

func TestTrustSaysWhatItDoesNotCover(t *testing.T) {
	b := clitest.New(t)
	dir := clitest.InRepository(t, b)
	clitest.WriteFile(t, dir+"/.stellwerk/playbooks/release.yaml", "name: release\n")
	clitest.WriteFile(t, dir+"/.stellwerk/playbooks/draft.yaml", "name: draft\n")
	b.Svc.TrustAnswer = api.Trusted{Hash: "sha256:abc"}
	b.Svc.On = func(c apitest.Call) error {
		b.Svc.TrustAnswer.Trusted = c.Req.(api.Trust).Playbook == ""
		if c.Req.(api.Trust).Playbook == "draft" {
			return core.Errorf(core.CodeNotFound, "there is no playbook")
		}
		return nil
	}
	b.Run(t, shell.ExitOK, "trust", "--yes")
	b.Said(t, b.Out, "Nothing to trust: the playbook feature is built in",
		"Not trusted: .stellwerk/playbooks/release.yaml; `stellwerk trust --playbook release` shows it",
		"Not committed: .stellwerk/playbooks/draft.yaml")
}

func TestPlaybooks(t *testing.T) {
	b := clitest.New(t)
	b.Run(t, shell.ExitError, "init")
	dir := clitest.InRepository(t, b)
	b.Run(t, shell.ExitOK, "init")
	b.Said(t, b.Out, "feature.yaml", "${test} is ")
	b.Run(t, shell.ExitError, "init")
	b.Said(t, b.Err, "exists already")
	b.Run(t, shell.ExitOK, "playbook", "validate")
	b.Said(t, b.Out, "valid: ")
	b.Run(t, shell.ExitOK, "playbook", "list")
	b.Said(t, b.Out, "yours", "built in")
	b.Run(t, shell.ExitOK, "playbook", "show", "feature")
	b.Said(t, b.Out, "kind: phases")

	clitest.WriteFile(t, dir+"/.stellwerk/playbooks/bad.yaml", "name: bad\nkind: phases\nphases:\n  - id: a\n    role: \"no\\u001bbody\"\n")
	b.Run(t, shell.ExitError, "playbook", "validate")
	b.Said(t, b.Out, "bad.yaml:5:")
	if strings.Contains(b.Out.String(), "\x1b") {
		t.Errorf("%q", b.Out)
	}
	b.Out.B.Reset()
	b.Run(t, shell.ExitError, "playbook", "validate", "--json", ".stellwerk/playbooks/bad.yaml")
	if v := clitest.Decode[map[string][]struct {
		Valid    bool
		Problems []any
	}](t, b.Out.String())["playbooks"]; len(v) != 1 || v[0].Valid || len(v[0].Problems) == 0 {
		t.Errorf("%s", b.Out)
	}
	b.Run(t, shell.ExitError, "playbook", "show", "nope")
	b.Said(t, b.Err, "there is no built-in playbook", "try: ")
}

func TestPlaybookImport(t *testing.T) {
	b := clitest.New(t)
	dir := clitest.InRepository(t, b)
	clitest.WriteFile(t, dir+"/phases.conf", `PHASES=(
  "0|architect-planner|APPROVAL|GLOB:.workflow/specs/issue-*-plan.md"
)
`)
	b.Run(t, shell.ExitOK, "playbook", "import", "phases.conf", "-o", ".stellwerk/playbooks/byta.yaml")
	b.Run(t, shell.ExitError, "playbook", "import", "phases.conf", "-o", ".stellwerk/playbooks/byta.yaml")
	b.Said(t, b.Err, "exists already")
	b.Run(t, shell.ExitOK, "playbook", "import", "phases.conf")
	b.Said(t, b.Out, "kind: phases")
	clitest.WriteFile(t, dir+"/phases.conf", "what\n")
	b.Run(t, shell.ExitError, "playbook", "import", "phases.conf")
	b.Said(t, b.Err, "phases.conf:1:")
}

func TestRolesSchemaLimits(t *testing.T) {
	b := clitest.New(t)
	dir := clitest.InRepository(t, b)
	clitest.WriteFile(t, dir+"/.stellwerk/roles/poet.md", "---\nname: poet\ndescription: writes verse\n---\nYou write verse.\x1b[2J\n")
	b.Run(t, shell.ExitOK, "roles")
	b.Said(t, b.Out, "poet", "yours", "code-reviewer", "built in")
	b.Run(t, shell.ExitOK, "roles", "poet")
	b.Said(t, b.Out, `You write verse.\x1b[2J`)
	b.Run(t, shell.ExitError, "roles", "nobody")

	b.Out.B.Reset()
	b.Run(t, shell.ExitOK, "schema", "--json")
	schemas := clitest.Decode[map[string][]struct{ Name, About string }](t, b.Out.String())["schemas"]
	if len(schemas) == 0 {
		t.Error("no schema is listed")
	}
	b.Run(t, shell.ExitOK, "schema")
	for _, s := range schemas {
		b.Said(t, b.Out, s.Name, s.About)
	}
	for _, s := range schemas {
		b.Out.B.Reset()
		b.Run(t, shell.ExitOK, "schema", s.Name)
		clitest.Decode[map[string]any](t, b.Out.String())
	}

	b.Env["STELLWERK_LIMITS_ATTEMPTS"] = "5"
	b.Out.B.Reset()
	b.Run(t, shell.ExitOK, "limits", "--json")
	for _, s := range clitest.Decode[struct{ Settings []view.Setting }](t, b.Out.String()).Settings {
		if s.Key == "limits.attempts" && (s.Value != "5" || !strings.Contains(s.From, "environment")) {
			t.Errorf("%+v", s)
		}
	}
}

// TestListsFitAScreen of 80 columns.
func TestListsFitAScreen(t *testing.T) {
	for _, args := range [][]string{{"roles"}, {"roles", "seen"}, {"playbook", "list"}} {
		b := clitest.New(t)
		dir := clitest.InRepository(t, b)
		about := strings.Repeat("It says more than fits. ", 6)
		clitest.WriteFile(t, dir+"/.stellwerk/playbooks/seen.yaml", "name: seen\nkind: phases\ndescription: "+about+"\nphases: [{id: a, role: developer, done: [{changed: '*'}]}]\n")
		clitest.WriteFile(t, dir+"/.stellwerk/roles/seen.md", "---\nname: seen\ndescription: "+about+"\n---\nBe brief.\n")
		b.Fits(t, shell.ExitOK, args...)
	}
}
