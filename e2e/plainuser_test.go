package e2e

import (
	"path/filepath"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/plainuser"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/toolbox"
)

// TestAttacksAsAPlainUser has agents attack a person who is not root. Most people
// are not, and their permissions, their sandbox and their processes are others.
func TestAttacksAsAPlainUser(t *testing.T) {
	if kind, reason := sandbox.Detect(t.Context()); kind != sandbox.Sandbox {
		toolbox.Unisolated(t, reason)
	}
	var files, tests []string
	for _, scenario := range []string{
		"agent_descriptors", "agent_goal_secret", "agent_home", "agent_peeks", "agent_private_key", "agent_proxy", "gate_secrets", "limits_resources",
		"walls_network",
	} {
		files = append(files, filepath.Join("testdata", scenario+".txtar"))
		tests = append(tests, "TestScenarios/"+scenario)
	}
	plainuser.Again(t, files, tests...)
}
