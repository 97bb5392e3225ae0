// Package tools runs the package managers of this machine, git and ssh as agents run them: in real attempts whose network is
// closed. It shows that each of them finds the one way out, reaches what is listed and is told clearly of what is not. It
// decides nothing about the proxy itself, which package egress tests.
package tools

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/shim/shimtest"
	"github.com/stellwerk-dev/stellwerk/internal/tooltest"
)

func TestMain(m *testing.M) {
	shimtest.Intercept()
	goleak.VerifyTestMain(m)
}

// atOnce is what a tool may take to find out that it must not reach a host, with the retries it insists on. Tools that wait
// for an answer that never comes take minutes.
const atOnce = 30 * time.Second

// trial is a line of shell to run in an attempt's workspace.
type trial struct {
	line    string
	files   map[string]string // in the workspace
	shown   []string          // folders of this machine
	shared  []string          // folders of this machine, to write in
	env     []string          // of the worker
	set     map[string]string // in the playbook
	network shim.Network
	// settings are what the person's package managers are set to.
	settings shim.Settings
}

// result is how a trial ended.
type result struct {
	ok   bool
	said string
	took time.Duration
	rows []agent.Connection
}

func (tr trial) run(t *testing.T) result {
	t.Helper()
	if kind, reason := sandbox.Detect(t.Context()); kind != sandbox.Sandbox {
		tooltest.Unisolated(t, reason)
	}
	a := shimtest.New(t, sandbox.Sandbox, "exec 2>&1\n"+tr.line, func(s *shim.Spec) {
		s.Network, s.ReadOnly, s.Writable, s.Env, s.Writes = tr.network, tr.shown, tr.shared, tr.set, core.WritesArtifacts
		s.Network.Advice, s.Settings = "Ask for %s.", tr.settings
	})
	for name, text := range tr.files {
		path := filepath.Join(a.Workspace, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		shimtest.Write(t, path, text)
	}
	start := time.Now()
	exit := a.Run(t, tr.env...)
	r := result{ok: exit.Outcome.OK, said: strings.Join(a.Said(t, agent.KindText), "\n"), took: time.Since(start)}
	entries, err := shim.Tail(a.Folder, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Record.Connection != nil {
			r.rows = append(r.rows, *e.Record.Connection)
		}
	}
	return r
}

// hosts are those on record, allowed or refused. A tool may open several connections to one.
func (r result) hosts(allowed bool) []string {
	var names []string
	for _, row := range r.rows {
		if row.Allowed == allowed {
			names = append(names, row.Host)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// both tries a tool with a host on the list, where it must work, and without, where it must fail at once and say why. Neither
// what a tool said nor a name of a host is printed unless the host is a test's own.
func both(t *testing.T, tr trial, host string, own bool, refusal string) {
	t.Helper()
	show := func(r result) string {
		if own {
			return r.said
		}
		return strings.ReplaceAll(r.said, host, "REGISTRY")
	}
	name, _, _ := strings.Cut(host, ":")
	open := tr.run(t)
	if got := open.hosts(true); !open.ok || !slices.Equal(got, []string{name}) || len(open.hosts(false)) > 0 {
		t.Errorf("listed: ok is %v, %d hosts are on record as reached and %d as refused; it said\n%s", open.ok, len(got), len(open.hosts(false)), show(open))
	}
	for _, row := range open.rows {
		if row.Sent == 0 || row.Received == 0 || row.Protocol != "connect" {
			t.Errorf("listed: a connection is on record as %s with %d bytes sent and %d received", row.Protocol, row.Sent, row.Received)
		}
	}
	tr.network = shim.Network{}
	closed := tr.run(t)
	if got := closed.hosts(false); closed.ok || !slices.Equal(got, []string{name}) || len(closed.hosts(true)) > 0 {
		t.Errorf("not listed: ok is %v, %d hosts are on record as refused and %d as reached; it said\n%s", closed.ok, len(got), len(closed.hosts(true)), show(closed))
	}
	if closed.took > atOnce || !strings.Contains(closed.said, refusal) {
		t.Errorf("not listed: it took %v and did not say %q:\n%s", closed.took, refusal, show(closed))
	}
	t.Logf("listed: %v, %d connections; not listed: %v, %d connections", open.took.Round(time.Millisecond), len(open.rows), closed.took.Round(time.Millisecond), len(closed.rows))
}

// need is a program that can be started inside. A test without it does not come back.
func need(t *testing.T, name string) string {
	t.Helper()
	visible, err := sandbox.VisiblePath(os.Getenv("PATH"), sandbox.Spec{Dir: "/"})
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range filepath.SplitList(visible) {
		if path, err := exec.LookPath(filepath.Join(folder, name)); err == nil {
			return path
		}
	}
	t.Skipf("%s is in no folder of this machine that a sandbox shows", name)
	return ""
}
