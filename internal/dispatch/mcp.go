package dispatch

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// pluginServer begins the name by which a role calls a server of the plugin for
// sessions.
const pluginServer = "plugin_stellwerk-docs_"

// servers lays out the MCP servers that the person named for headless agents, as
// far as the attempt's role lists them; a role without a list has all. Without the
// person's setting there are none.
func (r attemptRoom) servers(options map[string]string) error {
	delete(options, agent.OptionMCP)
	delete(options, agent.OptionMCPServers) // neither is a repository's to say
	if r.d.MCP == "" || r.def.Use != "claude" || r.taken.Session != "" {
		return nil
	}
	data, err := os.ReadFile(r.d.MCP)
	if err != nil {
		return core.Wrap(core.CodeInvalid, err, "the file of the setting claude_mcp cannot be read", "name a file that exists, or leave the setting out")
	}
	var file struct {
		Servers map[string]json.RawMessage `json:"mcpServers"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return core.Wrap(core.CodeInvalid, err, "the file of the setting claude_mcp is no list of MCP servers", `write it as .mcp.json is: {"mcpServers": {"NAME": {"command": "…"}}}`)
	}
	maps.DeleteFunc(file.Servers, func(name string, _ json.RawMessage) bool { return !lists(r.role(), name) })
	if len(file.Servers) == 0 {
		return nil
	}
	if data, err = json.Marshal(file); err != nil {
		return fmt.Errorf("write the MCP servers of the attempt: %w", err)
	}
	path := filepath.Join(r.folder, "mcp.json")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return fmt.Errorf("write the MCP servers of the attempt: %w", err)
	}
	options[agent.OptionMCP] = path
	options[agent.OptionMCPServers] = strings.Join(slices.Sorted(maps.Keys(file.Servers)), " ")
	return nil
}

// lists reports whether a role's list of tools has any of a server's.
func lists(role core.Role, server string) bool {
	if len(role.Tools) == 0 {
		return true
	}
	return slices.ContainsFunc(role.Tools, func(tool string) bool {
		name, ok := strings.CutPrefix(tool, "mcp__")
		name, _, _ = strings.Cut(strings.TrimPrefix(name, pluginServer), "__")
		return ok && name == server
	})
}
