// Package e2e plays whole scenarios, one file in testdata each: what a person
// types and what they see. The program is the real one, as a process of its
// own, with real git, real agents' processes and a state folder per scenario.
// Nothing here may reach into the program other than by its command line and
// the files it documents.
package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/stellwerk-dev/stellwerk/internal/cli"
	"github.com/stellwerk-dev/stellwerk/internal/forge/gitea/giteatest"
	"github.com/stellwerk-dev/stellwerk/internal/hook"
	"github.com/stellwerk-dev/stellwerk/internal/object/s3/s3test"
	"github.com/stellwerk-dev/stellwerk/internal/pg/pgtest"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/tooltest"
)

// TestMain makes this binary three programs: the tests, and under the names
// stellwerk and stellwerk-hook the program itself and its hook. The engine
// starts copies of the first name beside the agents, so those are the program,
// too.
func TestMain(m *testing.M) {
	testscript.Main(serverless{m}, map[string]func(){
		"stellwerk": func() {
			impatient()
			os.Exit(cli.Main())
		},
		"stellwerk-hook": func() { os.Exit(hook.Main(os.Stdin, os.Stdout, os.Stderr, os.Getenv)) },
	})
}

// serverless ends the database server of the tests after them.
type serverless struct{ *testing.M }

func (m serverless) Run() int {
	defer pgtest.Stop()
	defer s3test.Stop()
	return m.M.Run()
}

// raceOptions keep the race detector from sleeping before a process ends.
const raceOptions = "GORACE=atexit_sleep_ms=0"

func TestScenarios(t *testing.T) {
	kind, reason := sandbox.Detect(t.Context())
	if kind != sandbox.Sandbox {
		if err := tooltest.Isolated(t.Context(), reason); err != nil {
			t.Fatal(err)
		}
		t.Logf("without a sandbox (%s) the scenarios run unenforced", reason)
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	h := harness{sandboxed: kind == sandbox.Sandbox, root: root, database: func() string { return pgtest.Database(t) }, t: t}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		Setup:               h.setup,
		Condition:           h.condition,
		Cmds:                commands(),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}

// harness is what all scenarios have in common.
type harness struct {
	sandboxed bool
	root      string // of this repository: its pages and its plugin
	database  func() string
	t         *testing.T // of all scenarios: their servers end after them
}

// setup gives a scenario a machine of its own: home, state, settings and a
// repository's identity, and no variable of the surrounding shell but PATH and
// how often Go collects garbage.
func (h harness) setup(env *testscript.Env) error {
	for name, folder := range map[string]string{
		"HOME": "home", "XDG_STATE_HOME": "home/.local/state", "XDG_CONFIG_HOME": "home/.config", "XDG_CACHE_HOME": "home/.cache",
	} {
		path := filepath.Join(env.WorkDir, folder)
		if err := os.MkdirAll(path, 0o755); err != nil {
			return err
		}
		env.Setenv(name, path)
	}
	env.Setenv("STELLWERK_STATE", filepath.Join(env.WorkDir, "state"))
	env.Setenv("STELLWERK_NOTIFY", "off")
	env.Setenv("STELLWERK_LISTEN", "off") // scenarios run at once, and there is one usual address
	env.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	env.Setenv("LANG", "C.UTF-8")
	env.Setenv("TZ", "UTC")
	if often, set := os.LookupEnv("GOGC"); set {
		env.Setenv("GOGC", often)
	}
	env.Vars = append(env.Vars, raceOptions)
	if !h.sandboxed {
		env.Setenv("STELLWERK_ISOLATION", "none")
	}
	claude, _ := tooltest.Find(tooltest.Claude) // without it, [claude] does not hold
	env.Setenv("CLAUDE_BINARY", claude)
	env.Setenv("DOCS", filepath.Join(h.root, "docs"))
	env.Setenv("PLUGIN", filepath.Join(h.root, "plugin"))
	env.Setenv("MESSENGER", filepath.Join(h.root, "e2e", "testdata", "messenger.yaml"))
	env.Values[variables{}] = names(env.Vars)
	env.Values[memory{}] = map[string]noted{}
	env.Values[databasesKey{}] = h.database
	env.Values[secureKey{}] = func() *pgtest.Secure { return pgtest.NewSecure(h.t) }
	env.Values[holdsKey{}] = map[string]func(){}
	env.Values[disasterKey{}] = &disaster{t: h.t}
	env.Values[giteaKey{}] = &giteaHost{t: h.t}
	env.Values[forges{}] = map[string]*forgeHost{}
	env.Values[talks{}] = map[string]bool{}
	env.Values[screens{}] = &server{}
	env.Values[collectorKey{}] = &collector{}
	w := world{dir: env.WorkDir}
	env.Defer(func() { w.end(env.T()) })
	return nil
}

// condition adds [sandbox], [claude], [tmux], [postgres], [s3], [gitea], [openssh], [mount] and [tracing] to what a line can depend on.
func (h harness) condition(name string) (bool, error) {
	switch name {
	case "sandbox":
		if runtime.GOOS == "linux" && !h.sandboxed {
			_, err := tooltest.Has(tooltest.Bubblewrap)
			return false, err
		}
		return h.sandboxed, nil
	case "claude":
		return tooltest.Has(tooltest.Claude)
	case "tmux":
		return tooltest.Has(tooltest.Tmux)
	case "s3":
		return tooltest.Has(tooltest.VersityGW)
	case "gitea":
		return giteatest.Program() != "", nil
	case "postgres":
		return tooltest.Has(tooltest.PostgreSQL)
	case "openssh":
		return tooltest.Has(tooltest.OpenSSH)
	case "mount":
		return mountable() == "", nil
	case "tracing":
		return tracing(), nil
	}
	return false, fmt.Errorf("unknown condition %q", name)
}

// tracing reports a kernel that lets a process read the memory of others of the same
// user, as all do unless Yama keeps them from it.
func tracing() bool {
	scope, err := os.ReadFile("/proc/sys/kernel/yama/ptrace_scope")
	return runtime.GOOS == "linux" && (err != nil || strings.TrimSpace(string(scope)) == "0")
}
