package claude

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/program"
)

func job() agent.Job {
	return agent.Job{
		Dir: "/w", Prompt: "/p/prompt.md", In: "/in", Out: "/out", Home: "/h",
		Options: map[string]string{agent.OptionBinary: "/opt/claude"},
	}
}

func TestLaunch(t *testing.T) {
	j := job()
	j.Role = agent.Role{
		Name: "tester", SystemPrompt: "/roles/tester.md", Model: "sonnet",
		Tools: []string{"Read", "Bash"}, DisallowedTools: []string{"WebFetch", "WebSearch"},
	}
	j.MaxTurns, j.MaxUSD = 12, 2.5
	j.Options[agent.OptionBaseURL] = "http://127.0.0.1:9"
	j.Options[OptionMaxRetries] = "1"
	got, err := Agent{}.Launch(j)
	if err != nil {
		t.Fatal(err)
	}
	want := agent.Launch{
		Argv: []string{
			"/opt/claude", "-p", "--output-format", "stream-json", "--verbose",
			"--no-session-persistence", "--strict-mcp-config", "--setting-sources", "",
			"--append-system-prompt-file", "/roles/tester.md", "--model", "sonnet",
			"--max-turns", "12", "--max-budget-usd", "2.5",
			"--permission-mode", "bypassPermissions", "--add-dir", "/w",
			"--tools", "Read,Bash", "--disallowedTools", "WebFetch", "WebSearch",
		},
		Env: []string{
			"HOME=/h", "CLAUDE_CONFIG_DIR=/h", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1",
			"CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD=1", "IS_SANDBOX=1",
			"ANTHROPIC_BASE_URL=http://127.0.0.1:9", "CLAUDE_CODE_MAX_RETRIES=1",
		},
		Stdin:    "/p/prompt.md",
		ReadOnly: []string{"/opt/claude", "/roles/tester.md"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("launch (-want +got):\n%s", diff)
	}
}

// TestLaunchWithServers: those that were named are all there are, and are allowed
// where everything has to be.
func TestLaunchWithServers(t *testing.T) {
	j := job()
	j.Role.Tools = []string{"Read", "Bash(git log *)"}
	j.Options[agent.OptionMCP], j.Options[agent.OptionMCPServers] = "/a/mcp.json", "angular-cli context7"
	got, err := Agent{}.Launch(j)
	if err != nil {
		t.Fatal(err)
	}
	line := strings.Join(got.Argv, " ")
	for _, want := range []string{"--strict-mcp-config", "--mcp-config /a/mcp.json --", "--allowedTools Read Bash(git log *) mcp__angular-cli mcp__context7"} {
		if !strings.Contains(line, want) {
			t.Errorf("%s lacks %s", line, want)
		}
	}
	if !slices.Contains(got.ReadOnly, "/a/mcp.json") {
		t.Errorf("the agent does not see its servers: %v", got.ReadOnly)
	}
}

func TestLaunchWithToolRulesDeniesTheRest(t *testing.T) {
	j := job()
	j.Role.Tools = []string{"Read", "Bash(git log *)"}
	got, err := Agent{}.Launch(j)
	if err != nil {
		t.Fatal(err)
	}
	line := strings.Join(got.Argv, " ")
	for _, want := range []string{
		"--permission-mode dontAsk", "--add-dir /w /in /out", "--tools Read,Bash ", "--allowedTools Read Bash(git log *)",
	} {
		if !strings.Contains(line, want) {
			t.Errorf("%q lacks %q", line, want)
		}
	}
	if slices.Contains(got.Env, "IS_SANDBOX=1") {
		t.Error("IS_SANDBOX is set although permissions are not bypassed")
	}
}

// TestLaunchWithoutBypass: where bypassing is not permitted, a role's tools are
// allowed by their names, and those that every role has where it lists none.
func TestLaunchWithoutBypass(t *testing.T) {
	for tools, want := range map[string]string{"Read,Bash": "--tools Read,Bash --allowedTools Read Bash", "": "--allowedTools Bash Edit"} {
		j := job()
		j.Options[OptionPermissionMode] = modeListed
		j.Role.Tools = strings.FieldsFunc(tools, func(r rune) bool { return r == ',' })
		got, err := Agent{}.Launch(j)
		if err != nil {
			t.Fatal(err)
		}
		line := strings.Join(got.Argv, " ")
		if !strings.Contains(line, "--permission-mode dontAsk --add-dir /w /in /out") || !strings.Contains(line, want) || strings.Contains(line, modeBypass) {
			t.Errorf("%q: %s", tools, line)
		}
		if slices.Contains(got.Env, "IS_SANDBOX=1") {
			t.Error("IS_SANDBOX is set although permissions are not bypassed")
		}
	}
}

func TestLaunchCarriesNoSecret(t *testing.T) {
	for _, name := range (Agent{}).SecretEnv() {
		t.Setenv(name, "made-up-"+name)
	}
	got, err := Agent{}.Launch(job())
	if err != nil {
		t.Fatal(err)
	}
	if text := strings.Join(append(got.Env, got.Argv...), " "); strings.Contains(text, "made-up-") {
		t.Errorf("a credential leaked into %q", text)
	}
}

func TestLaunchRefuses(t *testing.T) {
	t.Run("a flag in place of a tool", func(t *testing.T) {
		j := job()
		j.Role = agent.Role{Name: "sly", Tools: []string{"Read", "--dangerously-skip-permissions"}}
		if _, err := (Agent{}).Launch(j); err == nil || !strings.Contains(err.Error(), "sly") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a program that is not there", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		j := job()
		delete(j.Options, agent.OptionBinary)
		if _, err := (Agent{}).Launch(j); err == nil || !errors.Is(err, program.ErrMissing) {
			t.Errorf("got %v", err)
		}
	})
}

// TestLaunchHasCommandsJudged asks for a hook where the shell is held to rules, and only there.
func TestLaunchHasCommandsJudged(t *testing.T) {
	for _, c := range []struct {
		tools []string
		want  bool
	}{
		{nil, false}, {[]string{"Bash"}, false}, {[]string{"Read(src/**)"}, false}, {[]string{"Read", "Bash(git log *)"}, true},
	} {
		j := job()
		j.Options[agent.OptionSelf] = "/opt/stellwerk"
		j.Role.Tools = c.tools
		got, err := Agent{}.Launch(j)
		if err != nil {
			t.Fatal(err)
		}
		at := slices.Index(got.Argv, "--settings")
		if at >= 0 != c.want {
			t.Errorf("%v: %v", c.tools, got.Argv)
		}
		if at >= 0 && !strings.Contains(got.Argv[at+1], `"args":["worker","keep","--","Read","Bash(git log *)"],"command":"/opt/stellwerk","onFailure":"block"`) {
			t.Errorf("the settings are %s", got.Argv[at+1])
		}
	}
}

func TestLacksACredential(t *testing.T) {
	for _, name := range append((Agent{}).SecretEnv(), "CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY") {
		lookup := func(asked string) string { return map[string]string{name: "set"}[asked] }
		if got := (Agent{}).Lacks(lookup); got != "" {
			t.Errorf("with %s: %s", name, got)
		}
	}
	got := Agent{}.Lacks(func(string) string { return "" })
	for _, want := range []string{"no credential", "ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN", "Bedrock", "`env:`", "`secrets:`"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q does not name %s", got, want)
		}
	}
}
