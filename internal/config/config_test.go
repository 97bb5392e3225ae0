package config

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func environment(pairs ...string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1], true
			}
		}
		return "", false
	}
}

func TestDefaults(t *testing.T) {
	s, warnings, err := Load(Input{})
	if err != nil || len(warnings) != 0 {
		t.Fatal(warnings, err)
	}
	if diff := cmp.Diff(core.DefaultLimits(), s.Limits()); diff != "" {
		t.Error(diff)
	}
	if s.Isolation.V != IsolationSandbox || s.Agent.V != "claude" || s.Isolation.From.Level != LevelDefault {
		t.Errorf("%+v", s)
	}
}

// TestPrecedence gives every level a value and takes them away from the top.
func TestPrecedence(t *testing.T) {
	in := Input{
		Flags:   map[string]string{"agent": "flag"},
		Env:     environment("STELLWERK_AGENT", "env"),
		User:    File{"user.yaml", []byte("# mine\nagent: user\n")},
		Project: File{"project.yaml", []byte("agent: project\n")},
	}
	take := []struct {
		want, where string
		remove      func()
	}{
		{"flag", "flag (--agent)", func() { in.Flags = nil }},
		{"env", "environment (STELLWERK_AGENT)", func() { in.Env = nil }},
		{"user", "user (user.yaml:2)", func() { in.User = File{} }},
		{"project", "project (project.yaml:1)", func() { in.Project = File{} }},
		{"claude", "default", func() {}},
	}
	for _, step := range take {
		s, _, err := Load(in)
		if err != nil {
			t.Fatal(err)
		}
		if s.Agent.V != step.want || s.Agent.From.String() != step.where {
			t.Errorf("got %q from %s, want %q from %s", s.Agent.V, s.Agent.From, step.want, step.where)
		}
		step.remove()
	}
}

// TestRepositoryCanOnlyTighten is the rule of trust: what a repository may do to each setting.
func TestRepositoryCanOnlyTighten(t *testing.T) {
	tests := []struct {
		name, user, project string
		key, want           string
		warning             string
	}{
		{"tightens a default", "", "limits: {attempts: 2}", "limits.attempts", "2 project", ""},
		{"loosens a default", "", "limits: {attempts: 9}", "limits.attempts", "3 default", "project.yaml:1:20: limits.attempts: a repository can tighten limits.attempts, not loosen it; 3 stays in force"},
		{"tightens the person's", "limits: {attempts: 8}", "limits: {attempts: 5}", "limits.attempts", "5 project", ""},
		{"loosens the person's", "limits: {attempts: 1}", "limits: {attempts: 2}", "limits.attempts", "1 user", "project.yaml:1:20: limits.attempts"},
		{"sets a budget", "", "limits: {cost_usd: 5}", "limits.cost_usd", "$5.00 project", ""},
		{"lifts a budget", "limits: {cost_usd: 2.5}", "limits: {cost_usd: 0}", "limits.cost_usd", "$2.50 user", "project.yaml:1:20"},
		{"raises a budget", "limits: {cost_usd: 2.5}", "limits: {cost_usd: 3}", "limits.cost_usd", "$2.50 user", "project.yaml:1:20"},
		{"lifts a token limit", "limits: {tokens: 1000}", "limits: {tokens: 0}", "limits.tokens", "1000 user", "project.yaml:1:18"},
		{"bounds an attempt", "limits: {attempt: {cost_usd: 5, tokens: 900}}", "limits: {attempt: {cost_usd: 2}}", "limits.attempt.cost_usd", "$2.00 project", ""},
		{"lifts the attempt's", "limits: {attempt: {tokens: 9}}", "limits: {attempt: {tokens: 0}}", "limits.attempt.tokens", "9 user", "project.yaml:1:28"},
		{"bounds the project", "", "limits: {project: {cost_usd: 50, parallel: 2}}", "limits.project.parallel", "2 project", ""},
		{"raises the project's", "limits: {project: {attempts: 9}}", "limits: {project: {attempts: 10}}", "limits.project.attempts", "9 user", "project.yaml:1:30: limits.project.attempts"},
		{"lifts the project's", "limits: {project: {tokens: 9}}", "limits: {project: {tokens: 0}}", "limits.project.tokens", "9 user", "project.yaml:1:28"},
		{"bounds the project's time", "", "limits: {project: {wall_time: 90m}}", "limits.project.wall_time", "1h30m project", ""},
		{"shortens the project's time", "limits: {project: {wall_time: 9h}}", "limits: {project: {wall_time: 8h}}", "limits.project.wall_time", "8h project", ""},
		{"prolongs the project's time", "limits: {project: {wall_time: 9h}}", "limits: {project: {wall_time: 10h}}", "limits.project.wall_time", "9h user", "project.yaml:1:31: limits.project.wall_time"},
		{"lifts the project's time", "limits: {project: {wall_time: 9h}}", "limits: {project: {wall_time: 0}}", "limits.project.wall_time", "9h user", "project.yaml:1:31"},
		{"leaves the project's time", "", "limits: {project: {wall_time: 0}}", "limits.project.wall_time", "no limit project", ""},
		{"longer wall time", "", "limits: {wall_time: 48h}", "limits.wall_time", "24h default", "project.yaml:1:21"},
		{"shorter wall time", "", "limits: {wall_time: 90m}", "limits.wall_time", "1h30m project", ""},
		{"adds what steers", "steering_files: [Makefile]", `steering_files: ["deploy/**"]`, "steering_files", "Makefile, deploy/** project", ""},
		{"opens the sandbox", "", "isolation: none", "isolation", "sandbox default", "project.yaml:1:12: isolation: a repository can tighten isolation, not loosen it; sandbox stays in force"},
		{"closes the sandbox", "isolation: none", "isolation: sandbox", "isolation", "sandbox project", ""},
		{"asks for a container", "", "isolation: container", "isolation", "container project", ""},
		{"skips permissions", "claude_permissions: listed", "claude_permissions: bypass", "claude_permissions", "listed user", "project.yaml:1:21: claude_permissions: a repository cannot set claude_permissions"},
		{"opens paths", "", "read_only: [/home]", "read_only", " default", "project.yaml:1:12: read_only: a repository cannot set read_only"},
		{"approves for the person", "", "approval_words: [go]", "approval_words", " default", "project.yaml:1:17: approval_words: a repository cannot set approval_words"},
		{"model of the person counts", "model: opus", "model: haiku", "model", "opus user", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s, warnings, err := Load(Input{User: File{"user.yaml", []byte(test.user)}, Project: File{"project.yaml", []byte(test.project)}})
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range s.Entries() {
				if got := e.Value + " " + string(e.From.Level); e.Key == test.key && got != test.want {
					t.Errorf("got %q, want %q", got, test.want)
				}
			}
			switch {
			case test.warning == "" && len(warnings) > 0:
				t.Errorf("warnings %v", warnings)
			case test.warning != "" && (len(warnings) != 1 || !strings.HasPrefix(warnings[0].String(), test.warning)):
				t.Errorf("warnings %v, want %s", warnings, test.warning)
			}
		})
	}
}

// TestPersonForThisRun lets a flag or variable loosen what a repository tightened.
func TestPersonForThisRun(t *testing.T) {
	s, _, err := Load(Input{
		Flags:   map[string]string{"limits.attempts": "7"},
		Env:     environment("STELLWERK_ISOLATION", "none", "STELLWERK_READ_ONLY", "/opt/go:/opt/node", "STELLWERK_LIMITS_WALL_TIME", "2h"),
		Project: File{"p.yaml", []byte("isolation: container\nlimits: {attempts: 1, wall_time: 1h}\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	if s.Attempts.V != 7 || s.Isolation.V != IsolationNone || s.WallTime.V != 2*time.Hour || s.Attempts.From.Where != "--attempts" {
		t.Errorf("%+v", s)
	}
	if diff := cmp.Diff([]string{"/opt/go", "/opt/node"}, s.ReadOnly.V); diff != "" {
		t.Error(diff)
	}
}

func TestApprovalWords(t *testing.T) {
	s, _, err := Load(Input{Env: environment("STELLWERK_APPROVAL_WORDS", "jo, mach;ship it")})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"jo, mach", "ship it"}, s.Approvals.V); diff != "" {
		t.Error(diff)
	}
	for _, bad := range []string{"...", "ship it?", "/approve", "this is as good as it will ever get", strings.Repeat("x", 41)} {
		if _, _, err := Load(Input{User: File{"user.yaml", []byte("approval_words: ['" + bad + "']\n")}}); core.CodeOf(err) != core.CodeInvalid {
			t.Errorf("%q may approve: %v", bad, err)
		}
	}
}

func TestProblems(t *testing.T) {
	_, _, err := Load(Input{
		Flags:   map[string]string{"limits.parallel": "many"},
		Env:     environment("STELLWERK_NOTIFY", "bell,drum"),
		User:    File{"user.yaml", []byte("isolaton: none\nlimits:\n  attempts: 99\n  wall_time: 30\n  cost_usd: -1\n  attempt: {tokens: 1.5}\n  project: {wall_time: 5ms}\nread_only: [here]\nnotify: {a: b}\n")},
		Project: File{"project.yaml", []byte("\tx\n")},
	})
	if core.CodeOf(err) != core.CodeInvalid {
		t.Fatalf("code %s of %v", core.CodeOf(err), err)
	}
	want := `user.yaml:1:1: isolaton: unknown key; did you mean "isolation"?
user.yaml:3:13: limits.attempts: "99" is not a whole number between 1 and 20
user.yaml:4:14: limits.wall_time: "30" is not a duration of at least 1m; write 90s, 30m or 8h
user.yaml:5:13: limits.cost_usd: "-1" is not an amount of dollars; 0 means no limit
user.yaml:6:21: limits.attempt.tokens: "1.5" is not a whole number; 0 means no limit
user.yaml:7:24: limits.project.wall_time: "5ms" is not a duration of at least 1s; write 90s, 30m or 8h, or 0
user.yaml:8:12: read_only: "here" is not an absolute path
user.yaml:9:9: notify: expected a single value, got a map
project.yaml:1:1: a tab indents this line; YAML is indented with spaces
the setting notify from environment (STELLWERK_NOTIFY) is not valid: "drum" is not known here; known: bell, desktop, off, slack, webhook
the setting limits.parallel from flag (--parallel) is not valid: "many" is not a whole number between 1 and 1000`
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Error(diff)
	}
}

// TestEverySettingIsDocumented wants each on a page, in its text or in an example.
func TestEverySettingIsDocumented(t *testing.T) {
	var pages []byte
	for _, name := range []string{"settings.md", "limits.md"} {
		page, err := os.ReadFile("../../docs/" + name)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, page...)
	}
	for _, e := range Defaults().Entries() {
		last := e.Key[strings.LastIndex(e.Key, ".")+1:]
		named := func(form string) bool { return strings.Contains(string(pages), form) }
		if !named(e.Key) && !named("`"+last+"`") && !named("`."+last+"`") {
			t.Errorf("%s is not documented", e.Key)
		}
	}
}

func TestFolders(t *testing.T) {
	lookup := func(pairs ...string) func(string) string {
		env := environment(pairs...)
		return func(name string) string { value, _ := env(name); return value }
	}
	tests := []struct {
		flag string
		env  []string
		want string
	}{
		{"/flag", []string{"STELLWERK_STATE", "/env", "HOME", "/h"}, "/flag"},
		{"", []string{"STELLWERK_STATE", "/env", "XDG_STATE_HOME", "/xdg", "HOME", "/h"}, "/env"},
		{"", []string{"XDG_STATE_HOME", "/xdg", "HOME", "/h"}, "/xdg/stellwerk"},
		{"", []string{"XDG_STATE_HOME", "relative", "HOME", "/h"}, "/h/.local/state/stellwerk"},
		{"", []string{"HOME", "/h"}, "/h/.local/state/stellwerk"},
		{"", nil, ""},
	}
	for _, test := range tests {
		got, err := StateFolder(test.flag, lookup(test.env...))
		if got != test.want || (test.want == "") != (core.CodeOf(err) == core.CodeInvalid) {
			t.Errorf("%q %v: got %q, %v; want %q", test.flag, test.env, got, err, test.want)
		}
	}
	dir := t.TempDir()
	t.Chdir(dir)
	if got, err := StateFolder("state", lookup()); err != nil || !strings.HasSuffix(got, "/state") || got[0] != '/' {
		t.Errorf("a relative folder became %q, %v", got, err)
	}
	if got, err := UserFile(lookup("XDG_CONFIG_HOME", "/c")); err != nil || got != "/c/stellwerk/config.yaml" {
		t.Errorf("user file %q, %v", got, err)
	}
}
