package dispatch

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestServersOfHeadlessAgents: an attempt has the MCP servers that the person named
// and its role lists, and none where they named none, whatever the playbook says.
func TestServersOfHeadlessAgents(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mcp.json")
	if err := os.WriteFile(file, []byte(`{"mcpServers": {"context7": {"command": "npx"}, "angular-cli": {"command": "npx"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		file, use, want string
		tools           []string
	}{
		"none named":      {"", "claude", "", nil},
		"no list":         {file, "claude", "angular-cli context7", nil},
		"by the plugin's": {file, "claude", "context7", []string{"Read", "mcp__plugin_stellwerk-docs_context7__*"}},
		"by their own":    {file, "claude", "angular-cli", []string{"mcp__angular-cli__search"}},
		"not listed":      {file, "claude", "", []string{"Read", "Bash"}},
		"another agent":   {file, "command", "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			r := attemptRoom{
				d: &Dispatcher{Options: Options{MCP: c.file}}, folder: t.TempDir(), def: core.Agent{Use: c.use}, task: &core.Task{Role: "dev"},
				run: &core.Run{Playbook: &core.Playbook{Roles: map[string]core.Role{"dev": {Name: "dev", Tools: c.tools}}}},
			}
			options := map[string]string{agent.OptionMCP: "/repository/evil.json", agent.OptionMCPServers: "evil"}
			if err := r.servers(options); err != nil || options[agent.OptionMCPServers] != c.want {
				t.Fatalf("%v, %v", options, err)
			}
			if c.want == "" {
				if options[agent.OptionMCP] != "" {
					t.Errorf("%v", options)
				}
				return
			}
			data, err := os.ReadFile(options[agent.OptionMCP])
			var got struct{ MCPServers map[string]any }
			if err != nil || json.Unmarshal(data, &got) != nil || len(got.MCPServers) == 0 || got.MCPServers["evil"] != nil {
				t.Errorf("%s, %v", data, err)
			}
		})
	}
	r := attemptRoom{d: &Dispatcher{Options: Options{MCP: "/no/such/file"}}, def: core.Agent{Use: "claude"}}
	if err := r.servers(map[string]string{}); core.CodeOf(err) != core.CodeInvalid {
		t.Errorf("a file that is not there: %v", err)
	}
}
