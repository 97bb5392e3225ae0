package examine

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/doctor"
	"github.com/stellwerk-dev/stellwerk/internal/hook/deploy"
)

// The oldest Claude Code that the plugin was tested with. An older one may not ask
// its hooks for every tool.
const minClientMajor, minClientMinor, minClientPatch = 2, 1, 325

// examinePlugin checks that Claude Code has the plugin and that its hooks answer.
// Runs do not need the client, so it may be missing; one that is too old for the
// plugin is worth a warning before anybody installs it.
func examinePlugin(ctx context.Context, dir string) api.Examined {
	f := api.Examined{What: "plugin", Grade: api.GradeWarn}
	client, err := deploy.Find("", dir)
	if err != nil {
		return doctor.OK("plugin", "not installed: Claude Code is not on PATH")
	}
	// The version comes first: a client that is too old may not even list its plugins.
	text, err := client.Version(ctx)
	if err != nil {
		f.Found, f.Advice = err.Error(), "try it yourself: claude --version"
		return f
	}
	old, known := olderClient(text)
	if !known {
		f.Found, f.Advice = "cannot read the version of Claude Code: "+terminal.Line(text), "try it yourself: claude --version"
		return f
	}
	if old {
		f.Advice = fmt.Sprintf("the plugin needs %d.%d.%d or newer: claude update", minClientMajor, minClientMinor, minClientPatch)
	}
	installed, err := client.Plugin(ctx)
	switch {
	case old && (err != nil || len(installed) == 0):
		f.Found = "not installed, and Claude Code is too old for it: " + terminal.Line(text)
		return f
	case err != nil:
		f.Found, f.Advice = err.Error(), "try it yourself: claude plugin list"
		return f
	}
	var scopes []string
	for _, p := range installed {
		if p.Enabled && (p.Project == "" || p.Project == dir) {
			scopes = append(scopes, p.Scope)
		}
	}
	switch {
	case len(installed) == 0:
		return doctor.OK("plugin", "not installed; to run playbooks inside Claude Code: stellwerk plugin install")
	case len(scopes) == 0:
		f.Found, f.Advice = "installed, but not enabled here", "stellwerk plugin install, or claude plugin enable stellwerk@stellwerk"
		return f
	}
	if trouble := hooksAnswer(ctx, deploy.Folder(installed[0].Folder)); trouble != "" {
		return doctor.Fail("plugin", trouble, "reinstall it: stellwerk plugin install; to work without it meanwhile: claude plugin disable stellwerk@stellwerk")
	}
	if old {
		f.Found = fmt.Sprintf("enabled (%s), but Claude Code is too old for it: %s", strings.Join(scopes, ", "), terminal.Line(text))
		return f
	}
	return doctor.OK("plugin", "enabled ("+strings.Join(scopes, ", ")+"), and its hooks answer")
}

// hooksAnswer gives each program an event of a session that owns nothing. A
// plugin that was installed from a checkout has none of its own.
func hooksAnswer(ctx context.Context, folder deploy.Folder) string {
	for program, args := range map[string][]string{deploy.HookProgram: nil, deploy.Program: {"hook"}} {
		ctx, cancel := context.WithTimeout(ctx, doctor.Timeout)
		path := program
		if info, err := os.Stat(filepath.Dir(folder.Path(program))); err == nil && info.IsDir() {
			path = folder.Path(program)
		}
		cmd := exec.CommandContext(ctx, path, args...)
		cmd.Stdin = strings.NewReader(`{"session_id":"stellwerk-doctor","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"true"}}`)
		out, err := cmd.Output()
		cancel()
		if err != nil {
			return fmt.Sprintf("the hook program %s does not run: %v", path, err)
		}
		if string(out) != "{}\n" {
			return fmt.Sprintf("the hook program %s gave an unexpected answer: %.80q", path, out)
		}
	}
	return ""
}

// olderClient reports a version that is older than the plugin needs; known is false
// if it cannot be read.
func olderClient(version string) (older, known bool) {
	var major, minor, patch int
	if _, err := fmt.Sscanf(version, "%d.%d.%d", &major, &minor, &patch); err != nil {
		return false, false
	}
	needed := []int{minClientMajor, minClientMinor, minClientPatch}
	return slices.Compare([]int{major, minor, patch}, needed) < 0, true
}
