package playbook

import (
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/role"
)

// TestToolsThatAreNotKept remarks on a list that an agent cannot be told, where somebody wrote that list.
func TestToolsThatAreNotKept(t *testing.T) {
	agents := map[string]core.Agent{"mine": {Use: "command", Run: []string{"sh"}}, "player": {Use: "scripted"}}
	file := role.Role{Role: core.Role{Name: "poet", Tools: []string{"Read"}}}
	for name, c := range map[string]struct {
		roles, by string
		want      string
	}{
		"in the playbook":         {"developer: {agent: mine, tools: [Read]}", "developer", `the agent "mine" ignores the list`},
		"in a file":               {"poet: {agent: mine}", "poet", `the role "poet" lists its tools`},
		"built in":                {"developer: {agent: mine}", "developer", ""},
		"to an agent that hears":  {"developer: {agent: player, tools: [Read]}", "developer", ""},
		"of Stellwerk's own":      {"developer: {agent: player, tools: [Read, send-message]}", "developer", "send-message is called by a command"},
		"of Stellwerk's own, too": {"developer: {agent: player, tools: ['Bash(send-message *)', send-message]}", "developer", ""},
	} {
		roles := role.Builtin()
		roles["poet"] = file
		text := head + "- {id: a, role: " + c.by + ", outputs: [a.md]}\nroles:\n  " + c.roles + "\n"
		_, warnings, err := Parse("p.yaml", []byte(text), Options{Roles: roles, Agents: agents})
		if err != nil {
			t.Fatal(name, err)
		}
		if len(warnings) == 0 && c.want == "" {
			continue
		}
		if len(warnings) != 1 || c.want == "" || !strings.Contains(warnings[0].String(), c.want) {
			t.Errorf("%s: %v, want %q", name, warnings, c.want)
		}
	}
}
