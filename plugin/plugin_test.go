package plugin_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stellwerk-dev/stellwerk/plugin"
)

// TestEveryFileIsCarried finds a file of the folder that the program would not install.
func TestEveryFileIsCarried(t *testing.T) {
	list := func(from fs.FS) (files []string) {
		err := fs.WalkDir(from, ".", func(file string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() && path.Ext(file) != ".go" {
				files = append(files, file)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return files
	}
	if diff := cmp.Diff(list(os.DirFS(".")), list(plugin.Files())); diff != "" {
		t.Errorf("in the folder (-) and in the program (+): %s", diff)
	}
}

// TestAgentsShareTheirProtocol wants what is handed to an agent, and how it ends, in the same words in every file: an
// agent's file cannot include another.
func TestAgentsShareTheirProtocol(t *testing.T) {
	const heading = "## What you are handed"
	protocol := ""
	for _, file := range files(t, plugin.Agents) {
		text := read(t, file)
		at := strings.Index(text, heading)
		if at < 0 {
			t.Errorf("%s does not say what the agent is handed", file)
			continue
		}
		if protocol == "" {
			protocol = text[at:]
		}
		if diff := cmp.Diff(protocol, text[at:]); diff != "" {
			t.Errorf("%s: %s", file, diff)
		}
		front := strings.SplitN(text, "---\n", 3)[1]
		for _, key := range []string{"name: " + strings.TrimSuffix(path.Base(file), ".md"), "description: ", "model: ", "tools: ", "color: ", "isolation: worktree"} {
			if !strings.Contains("\n"+front, "\n"+key) {
				t.Errorf("%s has no %q", file, key)
			}
		}
	}
}

// TestCommands holds the commands to doing what a person typed and nothing else: the model cannot call them itself, no
// text of the person reaches a shell before it is looked at, and what they run needs no permission.
func TestCommands(t *testing.T) {
	want := []string{"approve", "cancel", "feature", "feedback", "fullstack", "pause", "resume", "retry-reset", "rollback", "skip", "status"}
	var names []string
	for _, file := range files(t, "commands") {
		names = append(names, strings.TrimSuffix(path.Base(file), ".md"))
		text := read(t, file)
		for _, needed := range []string{"\ndisable-model-invocation: true\n", "\nallowed-tools: Bash(stellwerk:*)", "\ndescription: "} {
			if !strings.Contains(text, needed) {
				t.Errorf("%s has no %q", file, needed)
			}
		}
		if strings.Contains(text, "!`") || strings.Contains(text, "$CLAUDE_CODE_SESSION_ID") {
			t.Errorf("%s leaves something to a shell that cannot be checked", file)
		}
		for i, block := range strings.Split(text, "```\n") {
			if i%2 == 1 && !strings.HasPrefix(block, "stellwerk ") && !strings.HasPrefix(block, "gh issue view ") {
				t.Errorf("%s runs %q", file, block)
			}
		}
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
}

// handler is a hook as hooks.json has it.
type handler struct {
	Type        string    `json:"type"`
	Command     string    `json:"command"`
	Args        *[]string `json:"args"`
	Timeout     int       `json:"timeout"`
	OnFailure   string    `json:"onFailure"`
	AsyncRewake bool      `json:"asyncRewake"`
}

// TestHooks holds the hooks to their form: every tool is asked about, also one that a later client brings; no shell
// between the client and the program; closed on failure where something is guarded.
func TestHooks(t *testing.T) {
	var config struct {
		Hooks map[string][]struct {
			Matcher string    `json:"matcher"`
			Hooks   []handler `json:"hooks"`
		} `json:"hooks"`
	}
	if err := json.Unmarshal([]byte(read(t, "hooks/hooks.json")), &config); err != nil {
		t.Fatal(err)
	}
	guards := []string{"PreToolUse", "WorktreeCreate"}
	if before := config.Hooks["PreToolUse"]; len(before) != 1 || before[0].Matcher != "" {
		t.Errorf("there are tools that nothing is asked about: %+v", before)
	}
	wakes := 0
	for event, groups := range config.Hooks {
		for _, group := range groups {
			for _, h := range group.Hooks {
				if h.Type != "command" || h.Args == nil || h.Timeout == 0 {
					t.Errorf("%s: %+v is not started without a shell and with a deadline", event, h)
				}
				if closed := h.OnFailure == "block"; closed != slices.Contains(guards, event) {
					t.Errorf("%s: %+v", event, h)
				}
				if h.AsyncRewake && event == "Stop" {
					wakes++
				}
				if program := "stellwerk"; event == "PreToolUse" && h.Command != program+"-hook" || event != "PreToolUse" && h.Command != program {
					t.Errorf("%s is answered by %s", event, h.Command)
				}
			}
		}
	}
	if wakes != 1 {
		t.Errorf("%d hooks wake a session that rests", wakes)
	}
}

func files(t *testing.T, dir string) []string {
	t.Helper()
	found, err := fs.Glob(plugin.Files(), dir+"/*.md")
	if err != nil || len(found) == 0 {
		t.Fatalf("%s: %v %v", dir, found, err)
	}
	return found
}

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := fs.ReadFile(plugin.Files(), file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
