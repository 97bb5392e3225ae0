package equipment

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestWhatAMachineLacks: programs, variables and credentials of the agents that a playbook's roles are played by.
func TestWhatAMachineLacks(t *testing.T) {
	bin := t.TempDir()
	for _, name := range []string{"claude", "robot"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CODE_USE_BEDROCK", "ROBOT_KEY"} {
		t.Setenv(name, "")
	}
	for name, c := range map[string]struct {
		path, key  string
		env        map[string]string
		def        core.Agent
		unused     bool
		credential bool
		want       string
	}{
		"a command":                        {path: bin, def: core.Agent{Use: "command", Run: []string{"robot"}}},
		"no command":                       {path: t.TempDir(), def: core.Agent{Use: "command", Run: []string{"robot"}}, want: `"robot" is in no directory`},
		"a command by its path":            {def: core.Agent{Use: "command", Run: []string{filepath.Join(bin, "robot")}}},
		"no command at that path":          {path: bin, def: core.Agent{Use: "command", Run: []string{"/nowhere/robot"}}, want: "/nowhere/robot"},
		"a command of the repository":      {def: core.Agent{Use: "command", Run: []string{"tools/robot"}}},
		"no command that anybody uses":     {def: core.Agent{Use: "command", Run: []string{"robot"}}, unused: true},
		"a script":                         {def: core.Agent{Use: "scripted"}},
		"a variable":                       {path: bin, env: map[string]string{"ROBOT_KEY": "k"}, def: core.Agent{Use: "command", Run: []string{"robot"}, Secrets: []string{"ROBOT_KEY"}}},
		"no variable":                      {path: bin, def: core.Agent{Use: "command", Run: []string{"robot"}, Secrets: []string{"ROBOT_KEY"}}, want: "needs ROBOT_KEY"},
		"Claude Code":                      {path: bin, env: map[string]string{"ANTHROPIC_API_KEY": "k"}, def: core.Agent{Use: "claude"}},
		"no Claude Code":                   {path: t.TempDir(), env: map[string]string{"ANTHROPIC_API_KEY": "k"}, def: core.Agent{Use: "claude"}, want: `"claude" is in no directory`},
		"no credential":                    {path: bin, def: core.Agent{Use: "claude"}, want: "no credential"},
		"a credential of the settings":     {path: bin, def: core.Agent{Use: "claude"}, credential: true},
		"a cloud that the playbook names":  {path: bin, def: core.Agent{Use: "claude", Env: map[string]string{"CLAUDE_CODE_USE_BEDROCK": "1"}}},
		"a cloud that only the host names": {path: bin, env: map[string]string{"CLAUDE_CODE_USE_BEDROCK": "1"}, def: core.Agent{Use: "claude"}, want: "no credential"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("PATH", c.path)
			for name, value := range c.env {
				t.Setenv(name, value)
			}
			role := core.Role{Name: "dev", Agent: "a"}
			if c.unused {
				role.Agent = "b"
			}
			p := &core.Playbook{Agents: map[string]core.Agent{"a": c.def}, Roles: map[string]core.Role{"dev": role}}
			got := Lacks(p, c.credential)
			if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
				t.Errorf("it lacks %q, want %q", got, c.want)
			}
		})
	}
}
