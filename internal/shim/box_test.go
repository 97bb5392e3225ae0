package shim

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
)

// TestNothingOfTheMachineReachesAnAgent but language, time, certificates and the way to the network.
func TestNothingOfTheMachineReachesAnAgent(t *testing.T) {
	passes := []string{
		"PATH", "LANG", "LANGUAGE", "TZ", "USER", "LOGNAME", "NO_PROXY", "no_proxy", "LC_ALL", "LC_TIME",
		"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "GIT_SSL_CAINFO", "NIX_SSL_CERT_FILE", "PIP_CERT", "CARGO_HTTP_CAINFO",
	}
	stays := []string{
		"HOME", "SSH_AUTH_SOCK", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "ANTHROPIC_API_KEY", "STELLWERK_TOKEN", "LD_PRELOAD", "GIT_DIR", "BASH_ENV", "XLC_ALL", "PATHS", "path",
		"DBUS_SESSION_BUS_ADDRESS", "TMPDIR", "MY_HTTP_PROXY", "",
	}
	var environ, want []string
	for _, name := range passes {
		environ, want = append(environ, name+"=x=y"), append(want, name+"=x=y")
	}
	for _, name := range stays {
		environ = append(environ, name+"=x")
	}
	if got := HostEnvironment(environ); !slices.Equal(got, want) {
		t.Errorf("passed on are %q", got)
	}
	if got := ProxiesWithPassword([]string{"https_proxy=u:p@b", "HTTP_PROXY=http://a", "ALL_PROXY=u@c", "MAIL=a@b"}); !slices.Equal(got, []string{"ALL_PROXY", "https_proxy"}) {
		t.Errorf("with a password are %q", got)
	}
}

// fullSpec has something different in every field that an agent is told.
func fullSpec(t *testing.T) Spec {
	dir := t.TempDir()
	prompt := filepath.Join(dir, "prompt.md")
	put(t, dir, "prompt.md", "do it")
	return Spec{
		Project: "p", Run: "r", Task: "t", Attempt: "a", Trigger: "why", Conversation: "talk", Repository: "repo", TriggeredBy: "r/before",
		Branch: "b", IntegrationBranch: "ib", Identity: core.Identity{Name: "N", Email: "n@e"}, Tools: "/tools", Isolation: sandbox.None, Writes: core.WritesCode, Workspace: filepath.Join(dir, "ws"),
		Job: agent.Job{Dir: filepath.Join(dir, "ws", "sub"), Prompt: prompt, In: filepath.Join(dir, "in"), Out: filepath.Join(dir, "out"), Home: filepath.Join(dir, "home")},
		Env: map[string]string{
			"BRANCH": "the playbook's", "COLOR": "1", "HOME": "/root", "GIT_AUTHOR_NAME": "forged", "STELLWERK_RUN": "forged", "STELLWERK_OUT": "/forged", "TERM": "xterm",
		},
	}
}

// TestWhatAnAgentIsTold: its own ids, identity and home, whatever a playbook, an adapter or the machine says of those;
// the plain names of a project's tasks only where it has a project's tools.
func TestWhatAnAgentIsTold(t *testing.T) {
	spec := fullSpec(t)
	launch := agent.Launch{Env: []string{"COLOR=2", "ADAPTER=1", "HOME=/adapter", "TOKEN=adapter"}}
	host := []string{"LANG=C", "GITHUB_TOKEN=leak", "COLOR=host"}
	got := agentVariables(spec, launch, variables{"TOKEN": "s3cret"}, host)
	want := variables{
		"TERM": "xterm", "SHELL": "/bin/sh", "GIT_TERMINAL_PROMPT": "0", "LANG": "C", "COLOR": "2", "ADAPTER": "1", "TOKEN": "s3cret", "HOME": spec.Job.Home,
		"GIT_AUTHOR_NAME": "N", "GIT_COMMITTER_NAME": "N", "GIT_AUTHOR_EMAIL": "n@e", "GIT_COMMITTER_EMAIL": "n@e",
		"STELLWERK_PROJECT": "p", "STELLWERK_RUN": "r", "STELLWERK_TASK": "t", "STELLWERK_ATTEMPT": "a", "STELLWERK_BRANCH": "b", "STELLWERK_INTEGRATION_BRANCH": "ib",
		"STELLWERK_TRIGGER": "why", "STELLWERK_CONVERSATION": "talk", "STELLWERK_PROMPT": spec.Job.Prompt, "STELLWERK_IN": spec.Job.In, "STELLWERK_OUT": spec.Job.Out,
		"PROJECT_ID": "p", "REPO_URL": "repo", "CONVERSATION_ID": "talk", "TASK_ID": "r/t", "TRIGGERED_BY_TASK_ID": "r/before", "BRANCH": "the playbook's",
		"INTEGRATION_BRANCH": "ib", "GIT_USER_NAME": "N", "GIT_USER_EMAIL": "n@e", "TASK_PROMPT": "do it",
	}
	same(t, got, want)
	spec.Tools, spec.Identity, spec.Env = "", core.Identity{}, nil
	for _, name := range []string{"PROJECT_ID", "REPO_URL", "CONVERSATION_ID", "TASK_ID", "TRIGGERED_BY_TASK_ID", "BRANCH", "INTEGRATION_BRANCH", "GIT_USER_NAME", "GIT_USER_EMAIL", "TASK_PROMPT",
		"GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"} {
		delete(want, name)
	}
	want["TERM"] = "dumb"
	same(t, agentVariables(spec, launch, variables{"TOKEN": "s3cret"}, host), want)
}

func same(t *testing.T, got, want variables) {
	t.Helper()
	if g, w := got.list(), want.list(); !slices.Equal(g, w) {
		t.Errorf("it is told\n%s\nwant\n%s", strings.Join(g, "\n"), strings.Join(w, "\n"))
	}
}

// TestHalfAnIdentityIsOne: git would otherwise make up the whole of it.
func TestHalfAnIdentityIsOne(t *testing.T) {
	for id, want := range map[core.Identity][]string{
		{}:                          {},
		{Name: "N"}:                 {"GIT_AUTHOR_EMAIL=", "GIT_AUTHOR_NAME=N", "GIT_COMMITTER_EMAIL=", "GIT_COMMITTER_NAME=N"},
		{Email: "e"}:                {"GIT_AUTHOR_EMAIL=e", "GIT_AUTHOR_NAME=", "GIT_COMMITTER_EMAIL=e", "GIT_COMMITTER_NAME="},
		{Name: "N", Email: "n@e.x"}: {"GIT_AUTHOR_EMAIL=n@e.x", "GIT_AUTHOR_NAME=N", "GIT_COMMITTER_EMAIL=n@e.x", "GIT_COMMITTER_NAME=N"},
	} {
		v := variables{}
		if v.setIdentity(id); !slices.Equal(v.list(), want) {
			t.Errorf("of %+v it is told %q", id, v.list())
		}
	}
}

// TestWhatAnAgentCanWrite: its working directory, output and home, and the workspace where code is handed in from there;
// nothing is shown for reading that can be written.
func TestWhatAnAgentCanWrite(t *testing.T) {
	for writes, workspace := range map[core.Writes]bool{core.WritesCode: true, core.WritesArtifacts: false, core.WritesPlan: false} {
		spec := fullSpec(t)
		certificate := filepath.Join(t.TempDir(), "ca.pem")
		put(t, filepath.Dir(certificate), "ca.pem", "")
		spec.Writes, spec.Masked, spec.Private = writes, []string{"/state"}, []string{"/private"}
		spec.ReadOnly, spec.Writable = []string{"/yard", spec.Job.Out, ""}, []string{"/cache/"}
		spec.Job.Role.SystemPrompt, spec.Env = "/role.md", map[string]string{"NODE_EXTRA_CA_CERTS": t.TempDir(), "SSL_CERT_FILE": t.TempDir()} // the playbook's, not shown
		for name, value := range map[string]string{
			"SSL_CERT_FILE": certificate, "PIP_CERT": "/etc/passwd", "GIT_SSL_CAINFO": "/usr/bin/env", "CURL_CA_BUNDLE": certificate + ".gone", "SSL_CERT_DIR": ".",
			"NODE_EXTRA_CA_CERTS": "", "REQUESTS_CA_BUNDLE": "", "NIX_SSL_CERT_FILE": "", "CARGO_HTTP_CAINFO": "",
		} {
			t.Setenv(name, value)
		}
		if err := os.Symlink("none", certificate+".gone"); err != nil {
			t.Fatal(err)
		}
		folder := t.TempDir()
		box, err := agentBox(folder, spec, "/self", agent.Launch{Argv: []string{"agent"}, ReadOnly: []string{"/adapter"}, Writable: []string{"/state-of-adapter", "/cache"}}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		writable := []string{spec.Job.Dir, spec.Job.Out, spec.Job.Home}
		if workspace {
			writable = append(writable, spec.Workspace)
		}
		if writable = append(writable, "/cache", "/state-of-adapter"); !slices.Equal(box.Writable, writable) {
			t.Errorf("%s: it can write %q, want %q", writes, box.Writable, writable)
		}
		if want := []string{spec.Job.In, spec.Job.Prompt, "/role.md", "/tools", "/self", "/yard", "/adapter", certificate}; !slices.Equal(box.ReadOnly, want) {
			t.Errorf("it can read %q, want %q", box.ReadOnly, want)
		}
		if box.Dir != spec.Job.Dir || box.Tmp != filepath.Join(folder, tmpFolder) || !slices.Equal(box.Masked, spec.Masked) || !slices.Equal(box.Private, spec.Private) {
			t.Errorf("it is in %+v", box)
		}
		if !slices.ContainsFunc(box.Env, func(e string) bool { return strings.HasPrefix(e, "PATH=/tools:/") }) || !slices.Contains(box.Env, "TMPDIR="+box.Tmp) {
			t.Errorf("its environment is %q", box.Env)
		}
		for _, dir := range []string{box.Tmp, spec.Job.Out, spec.Job.Home} {
			if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
				t.Errorf("%s: %v", dir, err)
			}
		}
	}
	if isLinux && tmpDir(sandbox.Sandbox, "/x") == tmpDir(sandbox.None, "/x") {
		t.Error("a sandbox has a /tmp of its own")
	}
}

// TestAHandInTrustsNothingOfTheAgent: of its surroundings it sees the workspace, and nothing below that is taken for a
// toolchain; no secret, no variable of the playbook, no tool.
func TestAHandInTrustsNothingOfTheAgent(t *testing.T) {
	t.Setenv("GITHUB_TOKEN", "leak")
	t.Setenv("LANG", "de_DE.UTF-8")
	spec := fullSpec(t)
	spec.ReadOnly, spec.Masked, spec.Private = []string{"/yard", spec.Workspace, spec.Workspace + "/bin", spec.Workspace + "-sdk"}, []string{"/state"}, []string{"/private"}
	spec.Secrets, spec.Writable = []string{"TOKEN"}, []string{"/cache"}
	box, err := handInBox(spec, "/self", "/handin", []string{"/self", "hand-in"})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"/self", "/yard", spec.Workspace + "-sdk"}; !slices.Equal(box.ReadOnly, want) {
		t.Errorf("it can read %q", box.ReadOnly)
	}
	if !slices.Equal(box.Writable, []string{spec.Workspace, "/handin"}) || box.Tmp != "" || box.Dir != "/handin" || !slices.Equal(box.Masked, spec.Masked) || !slices.Equal(box.Private, spec.Private) {
		t.Errorf("it is in %+v", box)
	}
	env := variables{}
	env.add(box.Env)
	if env["HOME"] != "/handin" || env["STELLWERK_OUT"] != spec.Job.Out || env["STELLWERK_ATTEMPT"] != "a" || env["GIT_COMMITTER_EMAIL"] != "n@e" || env["GIT_TERMINAL_PROMPT"] != "0" || env["LANG"] != "de_DE.UTF-8" || env["TERM"] != "dumb" {
		t.Errorf("its environment is %q", box.Env)
	}
	for _, name := range []string{"GITHUB_TOKEN", "TOKEN", "COLOR", "BRANCH", "STELLWERK_RUN", "TASK_PROMPT"} {
		if _, told := env[name]; told || strings.HasPrefix(env["PATH"], "/tools") {
			t.Errorf("its environment is %q", box.Env)
		}
	}
}

// TestABoxThatCannotBe shows a path that is not there: nothing is begun in it.
func TestABoxThatCannotBe(t *testing.T) {
	spec := fullSpec(t)
	spec.Isolation, spec.Masked, spec.ReadOnly = sandbox.Sandbox, nil, []string{"/no/such/folder"}
	agents, err := agentBox(t.TempDir(), spec, "", agent.Launch{Argv: []string{"agent"}}, nil, nil)
	if err == nil || agents.Argv != nil {
		t.Errorf("the agent's is %+v, %v", agents, err)
	}
	children, err := handInBox(spec, "", t.TempDir(), []string{"child"})
	if err == nil || children.Argv != nil {
		t.Errorf("the hand-in's is %+v, %v", children, err)
	}
}

// TestSecretsAreTakenOutOfTheShimsEnvironment: nothing that it starts inherits one. One that must be there and is not is
// an error; one that is there to be recognised may be missing.
func TestSecretsAreTakenOutOfTheShimsEnvironment(t *testing.T) {
	for _, name := range []string{"ONE", "TWO", "EMPTY", "TWIN"} {
		t.Setenv(name, map[string]string{"ONE": "1", "TWO": "2", "TWIN": "1"}[name])
	}
	secrets, err := takeSecrets([]string{"ONE", "EMPTY"})
	if err != nil || len(secrets) != 2 || secrets["ONE"] != "1" {
		t.Errorf("taken are %v, %v", secrets, err)
	}
	foreign, err := takePresent([]string{"TWO", "ABSENT", "TWIN"})
	if err != nil || len(foreign) != 2 || foreign["TWO"] != "2" {
		t.Errorf("taken are %v, %v", foreign, err)
	}
	for _, name := range []string{"ONE", "TWO", "EMPTY", "TWIN"} {
		if _, left := os.LookupEnv(name); left {
			t.Errorf("%s is left", name)
		}
	}
	if got := values(secrets, foreign); !slices.Equal(got, []string{"1", "2"}) { // an empty one would be everywhere
		t.Errorf("removed are %q", got)
	}
	if _, err := takeSecrets([]string{"ABSENT"}); err == nil {
		t.Error("a secret that is not there was taken")
	}
}

// TestAPathThatIsUnsetHasADefault, and tools come before it.
func TestAPathThatIsUnsetHasADefault(t *testing.T) {
	for given, want := range map[string]string{"": "/tools:" + fallbackPath, "/opt/bin": "/tools:/opt/bin"} {
		v := variables{"PATH": given}
		if err := v.setPath(sandbox.None, sandbox.Spec{}, "/tools"); err != nil || v["PATH"] != want {
			t.Errorf("%q became %q, %v", given, v["PATH"], err)
		}
	}
}
