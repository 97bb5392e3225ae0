package examine_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/backing"
	"github.com/stellwerk-dev/stellwerk/internal/cli/clitest"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func TestDoctor(t *testing.T) {
	b := clitest.New(t)
	b.Env["STELLWERK_STATE"] = filepath.Join(t.TempDir(), "state")
	b.Dial = clitest.NoEngine
	b.Run(t, shell.ExitOK, "doctor", "--json")
	found := map[string]api.Examined{}
	for _, f := range clitest.Decode[map[string][]api.Examined](t, b.Out.String())["findings"] {
		found[f.What] = f
	}
	for _, what := range []string{"git", "isolation", "state", "space", "database", "clock", "engine"} {
		if found[what].Grade == api.GradeFail || found[what].Found == "" {
			t.Errorf("%s: %+v", what, found[what])
		}
	}
	b.Isolation = func(context.Context) (string, string) { return "sandbox", "bwrap is version 0.6" }
	b.Run(t, shell.ExitOK, "doctor")
	b.Said(t, b.Out, "ok    identity    Ada <ada@example.org>", "warn  isolation", "version 0.6")
	b.Isolation = func(context.Context) (string, string) { return "none", "no bubblewrap" }
	b.Run(t, shell.ExitError, "doctor")
	b.Said(t, b.Out, "fail  isolation", "no bubblewrap", "apt install bubblewrap")
	if _, err := os.Stat(b.Env["STELLWERK_STATE"]); !os.IsNotExist(err) {
		t.Error("looking made the state folder")
	}
}

func TestDoctorReadsSettingsAndPrices(t *testing.T) {
	b := clitest.New(t)
	b.Env["STELLWERK_STATE"] = filepath.Join(t.TempDir(), "state")
	b.Dial = clitest.NoEngine
	dir := filepath.Join(b.Env["HOME"], ".config", "stellwerk")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	clitest.WriteFile(t, dir+"/prices.yaml", "models: {x: {input: three, output: 1}}\n")
	b.Run(t, shell.ExitError, "doctor")
	b.Said(t, b.Out, "fail  settings    "+dir+`/prices.yaml:1:21: models.x.input: "three" is not a price`, "claude attempts do not start until then")
	clitest.WriteFile(t, dir+"/prices.yaml", "models: {x: {input: 3, output: 1}}\n")
	b.Run(t, shell.ExitOK, "doctor")
	b.Said(t, b.Out, "ok    settings    no mistakes")
	clitest.WriteFile(t, dir+"/config.yaml", "network: {mode: closed}\n")
	b.Run(t, shell.ExitError, "doctor")
	const mistake = `network.mode: "closed"`
	b.Said(t, b.Out, "fail  settings    "+dir+"/config.yaml:1:17: "+mistake, "warn  credentials not checked", "warn  notify      not checked")
	if n := strings.Count(b.Out.String(), mistake); n != 1 {
		t.Errorf("the mistake is told %d times", n)
	}
}

func TestDoctorTellsOfProxyPasswords(t *testing.T) {
	b := clitest.New(t)
	b.Env["STELLWERK_STATE"] = filepath.Join(t.TempDir(), "state")
	b.Dial = clitest.NoEngine
	b.Proxies = func() []string { return []string{"HTTPS_PROXY"} }
	b.Run(t, shell.ExitOK, "doctor")
	b.Said(t, b.Out, "warn  proxy", "HTTPS_PROXY without the name and password", "`secrets`")
}

func TestDoctorLooksForCredentials(t *testing.T) {
	b := clitest.New(t)
	dir := clitest.InRepository(t, b)
	clitest.WriteFile(t, dir+"/.stellwerk/playbooks/own.yaml", `name: own
kind: phases
agents: {mine: {use: command, run: ["true"], secrets: [MY_TOKEN]}}
roles: {writer: {agent: mine, description: Writes.}}
phases: [{id: a, role: writer, done: {changed: x}}]
`)
	bin, path := t.TempDir(), os.Getenv("PATH")
	if err := os.WriteFile(bin+"/claude", []byte("#!/bin/sh\necho 1.0\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	empty := t.TempDir()
	t.Setenv("PATH", empty)
	b.Dial, b.Credentials = clitest.NoEngine, func() []string { return []string{"KEY_A", "KEY_B"} }
	b.Env["MY_TOKEN"] = "hush-2"
	b.Run(t, shell.ExitError, "doctor") // there is not even git
	b.Said(t, b.Out, "ok    credentials own: MY_TOKEN is set; claude, which is not on PATH: none of KEY_A, KEY_B is set")
	if err := os.WriteFile(empty+"/claude", nil, 0o644); err != nil { // somebody meant it to be there
		t.Fatal(err)
	}
	b.Out.B.Reset()
	b.Run(t, shell.ExitError, "doctor")
	b.Said(t, b.Out, "warn  credentials claude: none of KEY_A, KEY_B is set")
	b.Env["MY_TOKEN"] = ""
	t.Setenv("PATH", bin+":"+path)
	b.Credentials = func() []string { return []string{"KEY_A", "KEY_B"} }
	b.Dial = clitest.NoEngine
	b.Run(t, shell.ExitOK, "doctor")
	b.Said(t, b.Out, "warn  credentials", "claude: none of KEY_A, KEY_B is set", "own: MY_TOKEN is not set")
	b.Out.B.Reset()
	b.Env["KEY_B"], b.Env["MY_TOKEN"] = "hush-1", "hush-2"
	b.Run(t, shell.ExitOK, "doctor")
	b.Said(t, b.Out, "ok    credentials claude: KEY_B is set; own: MY_TOKEN is set")
	if strings.Contains(b.Out.String(), "hush") {
		t.Errorf("a secret is shown: %s", b.Out)
	}
}

// Where nothing is set, nothing is called good.
func TestDoctorDoesNotPraiseMissingCredentials(t *testing.T) {
	b := clitest.New(t)
	b.Env["STELLWERK_STATE"] = filepath.Join(t.TempDir(), "state")
	t.Setenv("PATH", t.TempDir())
	b.Dial, b.Credentials = clitest.NoEngine, func() []string { return []string{"KEY_A", "KEY_B"} }
	b.Run(t, shell.ExitError, "doctor") // there is not even git
	b.Said(t, b.Out, "warn  credentials claude, which is not on PATH: none of KEY_A, KEY_B is set", "`command` agents need none")
}

// What refuses the first run is told before it.
func TestDoctorReportsAMissingIdentity(t *testing.T) {
	b := clitest.New(t)
	b.Dial = clitest.NoEngine
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	t.Setenv("GIT_AUTHOR_EMAIL", "")
	elsewhere, repository := t.TempDir(), t.TempDir()
	if err := exec.CommandContext(t.Context(), "git", "init", "-q", repository).Run(); err != nil {
		t.Fatal(err)
	}
	b.Dir = repository
	b.Run(t, shell.ExitError, "doctor")
	b.Said(t, b.Out, "fail  identity    git does not know who you are", "git config --global user.email")

	// Elsewhere it may be a repository's own.
	b.Dir = elsewhere
	b.Out.B.Reset()
	b.Run(t, shell.ExitOK, "doctor")
	b.Said(t, b.Out, "warn  identity    git does not know who you are, unless a repository sets")
}

func TestDoctorLooksAtTheDatabase(t *testing.T) {
	b := clitest.New(t)
	state := t.TempDir()
	b.Env["STELLWERK_STATE"], b.Dial, b.Database = state, clitest.NoEngine, backing.Examine
	b.Run(t, shell.ExitOK, "doctor") // there is none, which is in order
	clitest.WriteFile(t, filepath.Join(state, "stellwerk.db"), strings.Repeat("not a database\n", 100))
	b.Run(t, shell.ExitError, "doctor")
	b.Said(t, b.Out, "fail  database    database "+filepath.Join(state, "stellwerk.db")+" is damaged", "`stellwerk restore BACKUP`")
}

// A folder that cannot be looked at is not one that the first run makes, nor is
// an engine that cannot be reached none.
func TestDoctorDoesNotPraiseWhatItCannotRead(t *testing.T) {
	b := clitest.New(t)
	state := t.TempDir()
	b.Env["STELLWERK_STATE"] = state
	b.Dial = func(context.Context, shell.ConnectOptions) (api.Service, func() error, error) {
		return nil, nil, core.Errorf(core.CodeUnavailable, "you may not read the state folder").WithHint("use the account that it belongs to")
	}
	b.Run(t, shell.ExitError, "doctor")
	b.Said(t, b.Out, "fail  engine      you may not read the state folder", "use the account")

	b.Dial = clitest.NoEngine
	clitest.WriteFile(t, filepath.Join(state, "yards"), "a file in the folder's place")
	b.Out.B.Reset()
	b.Run(t, shell.ExitError, "doctor")
	b.Said(t, b.Out, "fail  state       the engine cannot read it", "move "+filepath.Join(state, "yards")+" away", "--state DIR")

	if err := os.Symlink("loop", filepath.Join(state, "loop")); err != nil {
		t.Fatal(err)
	}
	b.Env["STELLWERK_STATE"] = filepath.Join(state, "loop", "state")
	b.Out.B.Reset()
	b.Run(t, shell.ExitError, "doctor")
	b.Said(t, b.Out, "fail  state       "+filepath.Join(state, "loop", "state")+" cannot be written")
}

func TestDoctorKnowsWhatThePluginNeeds(t *testing.T) {
	for version, want := range map[string]string{
		"2.1.197": "warn  plugin      not installed, and Claude Code is too old for it: 2.1.197",
		"2.1.325": "ok    plugin      not installed; to run playbooks inside Claude Code: stellwerk plugin install",
		"2.2.0":   "ok    plugin      not installed; to run playbooks inside Claude Code: stellwerk plugin install",
		"latest":  "warn  plugin      cannot read the version of Claude Code: latest",
	} {
		b := clitest.New(t)
		b.Dial = clitest.NoEngine
		bin := t.TempDir()
		script := "#!/bin/sh\ncase $1 in --version) echo '" + version + " (Claude Code)';; *) echo '[]';; esac\n"
		if err := os.WriteFile(bin+"/claude", []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
		b.Run(t, shell.ExitOK, "doctor")
		b.Said(t, b.Out, want)
		if told := strings.Contains(b.Out.String(), "the plugin needs 2.1.325 or newer: claude update"); told != (version == "2.1.197") {
			t.Errorf("%s: %s", version, b.Out)
		}
	}
}
