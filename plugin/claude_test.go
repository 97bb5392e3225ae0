package plugin_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stellwerk-dev/stellwerk/internal/scriptedmodel"
	"github.com/stellwerk-dev/stellwerk/internal/tooltest"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
	"github.com/stellwerk-dev/stellwerk/plugin"
)

// These tests run the real Claude Code on the plugin. It gets an empty home, a made-up key, a loopback address and no
// variable of the surrounding environment but those named here.

// client is the real program with a home of its own.
type client struct {
	binary, root, plugin string
	env                  []string
}

func newClient(t *testing.T) *client {
	t.Helper()
	binary := tooltest.Need(t, tooltest.Claude)
	root := t.TempDir()
	c := &client{binary: binary, root: root, plugin: filepath.Join(root, "plugin")}
	for _, dir := range []string{"home", "project", "bin"} {
		if err := os.Mkdir(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(c.plugin, plugin.Files()); err != nil {
		t.Fatal(err)
	}
	c.env = []string{
		"HOME=" + filepath.Join(root, "home"), "PATH=" + filepath.Join(root, "bin") + ":/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8",
		"DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
	}
	return c
}

// run starts the program in the project and returns what it printed.
func (c *client) run(t *testing.T, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), waittest.Limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.binary, args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = filepath.Join(c.root, "project"), c.env, waittest.Limit
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.String(), err
}

// program puts a shell script on the path.
func (c *client) program(t *testing.T, name, script string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(c.root, "bin", name), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
}

// TestPluginIsValid asks the client's own validator, which is strict about every file.
func TestPluginIsValid(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	for _, dir := range []string{c.plugin, filepath.Join(c.plugin, "framework-docs")} {
		if out, err := c.run(t, "plugin", "validate", dir, "--strict"); err != nil {
			t.Errorf("%s: %v\n%s", dir, err, out)
		}
	}
}

// TestFolderIsAMarketplace installs the plugin from its own folder, twice, and finds that the documentation servers stay
// out until they are asked for.
func TestFolderIsAMarketplace(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	install := func(name string) {
		t.Helper()
		for _, args := range [][]string{{"plugin", "marketplace", "add", c.plugin}, {"plugin", "install", name + "@" + plugin.Name, "--scope", "user"}} {
			if out, err := c.run(t, args...); err != nil {
				t.Fatalf("%v: %v\n%s", args, err, out)
			}
		}
	}
	install(plugin.Name)
	install(plugin.Name)
	if diff := cmp.Diff([]string{"stellwerk@stellwerk"}, c.installed(t)); diff != "" {
		t.Error(diff)
	}
	install("stellwerk-docs")
	if diff := cmp.Diff([]string{"stellwerk-docs@stellwerk", "stellwerk@stellwerk"}, c.installed(t)); diff != "" {
		t.Error(diff)
	}
}

func (c *client) installed(t *testing.T) []string {
	t.Helper()
	out, err := c.run(t, "plugin", "list", "--json")
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var list []struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var ids []string
	for _, p := range list {
		ids = append(ids, p.ID)
	}
	slices.Sort(ids)
	return ids
}

// TestCommandsRunWithoutAQuestion types commands into a session that asks for every permission it has not been given.
// The model does what the command's text says, taken from that text, and the program is reached with the person's words.
func TestCommandsRunWithoutAQuestion(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, typed, prompt, command, want string }{
		{"approve", "/stellwerk:approve", `\n(?P<line>stellwerk advance approve)\n`, `{{line}}`, "advance approve\n"},
		{"feedback", "/stellwerk:feedback it's `late` $(date)", `Their words:\s+(?P<words>it's [^\n]+)\n`,
			`stellwerk advance feedback 'it'\''s ` + "`late`" + ` $(date)'`, "advance feedback it's `late` $(date)\n"},
		{"resume", "/stellwerk:resume brisk-otter", `(?P<line>stellwerk resume --session=[0-9a-f-]{36}) RUN`,
			`{{line}} brisk-otter`, "resume --session=SESSION brisk-otter\n"},
		{"issue", "/stellwerk:feature #42", `\n(?P<start>gh issue view 42 [^\n]* \| stellwerk run --session=[0-9a-f-]{36} --playbook feature --issue 42) --base`,
			`{{start}} --base main -`, "run --session=SESSION --playbook feature --issue 42 --base main -\nthe issue\n"},
		{"goal", "/stellwerk:fullstack say hello", `\n(?P<start>stellwerk run --session=[0-9a-f-]{36} --playbook fullstack) --base`,
			"{{start}} --ui-designer - <<'STELLWERK_GOAL'\nsay \"hello\" $(date)\nSTELLWERK_GOAL",
			"run --session=SESSION --playbook fullstack --ui-designer -\nsay \"hello\" $(date)\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := newClient(t)
			c.program(t, "stellwerk-hook", "exec cat >/dev/null\n")
			c.program(t, "stellwerk", `[ "$1" = hook ] && exec cat >/dev/null
for last; do :; done
{ echo "$*"; [ "$last" != - ] || cat; } >"$HOME/said"
`)
			c.program(t, "gh", "echo the issue\n")
			model := c.model(t, test.prompt, test.command)
			out, err := c.run(t, "-p", test.typed, "--plugin-dir", c.plugin, "--permission-mode", "default", "--output-format", "stream-json", "--verbose")
			if err != nil || len(model.Requests()) < 2 {
				t.Fatalf("%v\n%s", err, out)
			}
			said, err := os.ReadFile(filepath.Join(c.root, "home", "said"))
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if diff := cmp.Diff(test.want, withoutSession(string(said))); diff != "" {
				t.Errorf("%s\n%s", diff, out)
			}
		})
	}
}

// model plays a model that answers the command's text with one call of the shell.
func (c *client) model(t *testing.T, prompt, command string) *scriptedmodel.Server {
	t.Helper()
	scenario := fmt.Sprintf("conversations:\n- name: session\n  prompt: %q\n  turns:\n  - tool: {name: Bash, input: {command: %q, description: x}}\n  - text: Done.\n",
		prompt, command)
	parsed, err := scriptedmodel.Parse("scenario.yaml", []byte(scenario))
	if err != nil {
		t.Fatalf("%v\n%s", err, scenario)
	}
	model := scriptedmodel.New(parsed)
	server := httptest.NewServer(model)
	t.Cleanup(server.Close)
	c.env = append(c.env, "ANTHROPIC_BASE_URL="+server.URL, "ANTHROPIC_API_KEY=made-up-key")
	return model
}

// withoutSession replaces the session's name, which differs from run to run.
func withoutSession(text string) string {
	before, rest, found := strings.Cut(text, "--session=")
	if !found {
		return text
	}
	_, after, _ := strings.Cut(rest, " ")
	return before + "--session=SESSION " + after
}
