package deploy_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/hook/deploy"
	"github.com/stellwerk-dev/stellwerk/internal/tooltest"
)

// programs are stand-ins for the two programs of the hooks.
func programs(t *testing.T) map[string]string {
	t.Helper()
	dir := t.TempDir()
	all := map[string]string{}
	for _, name := range []string{deploy.Program, deploy.HookProgram} {
		all[name] = filepath.Join(dir, name)
		if err := os.WriteFile(all[name], []byte("#!/bin/sh\necho "+name+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func TestTheFolderIsWholeAndOnlyOurs(t *testing.T) {
	f := deploy.In(filepath.Join(t.TempDir(), "it's state"))
	stale := filepath.Join(string(f), "commands", "old.md")
	if err := os.MkdirAll(filepath.Dir(stale), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(stale, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := f.Write(programs(t)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Lstat(stale); err == nil {
		t.Error("what an earlier version left is still there")
	}
	for _, name := range []string{".claude-plugin/plugin.json", ".claude-plugin/marketplace.json", "commands/feature.md", "skills/stellwerk/SKILL.md"} {
		if _, err := os.Stat(filepath.Join(string(f), name)); err != nil {
			t.Error(err)
		}
	}
	data, err := os.ReadFile(filepath.Join(string(f), "hooks", "hooks.json"))
	if err != nil {
		t.Fatal(err)
	}
	var config any
	if err := json.Unmarshal(data, &config); err != nil {
		t.Fatal(err)
	}
	commands := commandsOf(config)
	if len(commands) < 10 {
		t.Errorf("hooks.json runs %v", commands)
	}
	for _, c := range commands {
		info, err := os.Stat(c)
		if err != nil || info.Mode().Perm() != 0o755 || filepath.Dir(c) != filepath.Join(string(f), "bin") {
			t.Errorf("hooks.json runs %s: %v %v", c, info, err)
		}
	}
}

func commandsOf(v any) (all []string) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			all = append(all, commandsOf(e)...)
		}
	case map[string]any:
		if c, ok := v["command"].(string); ok {
			all = append(all, c)
		}
		for _, e := range v {
			all = append(all, commandsOf(e)...)
		}
	}
	return all
}

// claude is the real program, in a home of its own; the test is skipped where
// it has not been fetched.
func claude(t *testing.T) deploy.Client {
	t.Helper()
	installed := tooltest.Need(t, tooltest.Claude)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home, project := filepath.Join(dir, "home"), filepath.Join(dir, "project")
	for _, d := range []string{home, project} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	// Nothing of the surrounding shell reaches the program.
	program := filepath.Join(dir, "claude")
	script := fmt.Sprintf("#!/bin/sh\nexec env -i HOME='%s' PATH=/usr/bin:/bin DISABLE_AUTOUPDATER=1 CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 '%s' \"$@\"\n", home, installed)
	if err := os.WriteFile(program, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	client, err := deploy.Find(program, project)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// TestTheRealClientTakesIt installs, renews, turns on again, moves and removes
// the plugin with the client's own commands.
func TestTheRealClientTakesIt(t *testing.T) {
	client := claude(t)
	ctx := t.Context()
	state := t.TempDir()
	f := deploy.In(state)
	if err := f.Write(programs(t)); err != nil {
		t.Fatal(err)
	}
	installed := func() []string {
		t.Helper()
		list, err := client.Plugin(ctx)
		if err != nil {
			t.Fatal(err)
		}
		all := []string{}
		for _, p := range list {
			all = append(all, fmt.Sprintf("%s %v %s", p.Scope, p.Enabled, p.Folder))
		}
		return all
	}
	want := func(list ...string) {
		t.Helper()
		if diff := cmp.Diff(append([]string{}, list...), installed()); diff != "" {
			t.Errorf("installed: %s", diff)
		}
	}
	if version, err := client.Version(ctx); err != nil || !strings.Contains(version, "Claude Code") {
		t.Errorf("version %q %v", version, err)
	}
	if left, err := client.Uninstall(ctx, "user"); err != nil || left {
		t.Errorf("nothing to uninstall: %v %v", left, err)
	}
	for range 2 {
		if err := client.Install(ctx, f, "user"); err != nil {
			t.Fatal(err)
		}
	}
	want("user true " + string(f))
	if err := client.Install(ctx, f, "project"); err != nil {
		t.Fatal(err)
	}
	want("user true "+string(f), "project true "+string(f))
	if left, err := client.Uninstall(ctx, "project"); err != nil || !left {
		t.Errorf("of two scopes one is left: %v %v", left, err)
	}
	want("user true " + string(f))
	moved := deploy.In(t.TempDir())
	if err := moved.Write(programs(t)); err != nil {
		t.Fatal(err)
	}
	if err := client.Install(ctx, moved, "user"); err != nil {
		t.Fatal(err)
	}
	want("user true " + string(moved))
	if left, err := client.Uninstall(ctx, "user"); err != nil || left {
		t.Errorf("the last scope: %v %v", left, err)
	}
	want()
}

// TestAClientThatMayNotBeExecutedIsNamed, not reported as missing.
func TestAClientThatMayNotBeExecutedIsNamed(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "claude")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	for _, given := range []string{"", path} {
		if _, err := deploy.Find(given, dir); err == nil || !strings.Contains(err.Error(), "chmod +x "+path) {
			t.Errorf("given %q: %v", given, err)
		}
	}
	if err := os.Chmod(path, 0o755); err != nil {
		t.Fatal(err)
	}
	if c, err := deploy.Find("", dir); err != nil || c.Program != path {
		t.Errorf("found %+v, %v", c, err)
	}
}
