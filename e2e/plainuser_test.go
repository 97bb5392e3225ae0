package e2e

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/tooltest"
	"github.com/stellwerk-dev/stellwerk/internal/usertest"
)

// TestAttacksAsAPlainUser has agents attack a person who is not root. Most people
// are not, and their permissions, their sandbox and their processes are others.
func TestAttacksAsAPlainUser(t *testing.T) {
	if kind, reason := sandbox.Detect(t.Context()); kind != sandbox.Sandbox {
		tooltest.Unisolated(t, reason)
	}
	scenarios := []string{
		"agent_descriptors", "agent_goal_secret", "agent_home", "agent_peeks", "agent_private_key", "agent_proxy", "gate_secrets", "limits_resources",
		"walls_attack", "walls_environment", "walls_neighbour", "walls_network", "walls_redirect",
	}
	if claudeForAll(t) {
		scenarios = append(scenarios, "budget_claude", "walls_claude", "walls_settings")
	}
	var files, tests []string
	for _, scenario := range scenarios {
		files = append(files, filepath.Join("testdata", scenario+".txtar"))
		tests = append(tests, "TestScenarios/"+scenario)
	}
	usertest.Again(t, files, tests...)
}

// claudeForAll puts Claude Code where every user can start it: it was fetched into the home of who runs the tests. It
// reports whether there is one.
func claudeForAll(t *testing.T) bool {
	t.Helper()
	program, err := tooltest.Find(tooltest.Claude)
	if err != nil {
		t.Log(err) // where it must be here, its scenarios fail
		return false
	}
	dir, err := os.MkdirTemp("/var/tmp", "claude")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	shown := filepath.Join(dir, "claude")
	// A link if it can be one: the program has hundreds of megabytes.
	out, err := exec.CommandContext(t.Context(), "sh", "-c", `ln "$0" "$1" 2>/dev/null || cp "$0" "$1"`, program, shown).CombinedOutput()
	if err := errors.Join(err, os.Chmod(dir, 0o755)); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Setenv("STELLWERK_CLAUDE_BINARY", shown)
	return true
}
