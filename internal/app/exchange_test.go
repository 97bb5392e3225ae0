package app_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/app"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/exchange/wire"
	"github.com/stellwerk-dev/stellwerk/internal/network"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/spawn/apart"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/sqlitetest"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
	"github.com/stellwerk-dev/stellwerk/internal/worker"
)

// apartOptions are those of an engine whose workers see nothing of its state folder, and speak HTTP. Silence is app.Options'.
func apartOptions(state, listen, workers, silence string) app.Options {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	allowed, err := time.ParseDuration(silence)
	if err != nil {
		panic(err)
	}
	return app.Options{State: state, Version: "test", Network: &network.Config{Listen: listen}, Silence: allowed, Wrap: func(p *app.Parts) {
		p.Exchange, p.Spawner = p.Remote, apart.New(apart.Options{
			Exchange: p.Remote, URL: func() string { return "http://" + listen }, Token: p.WorkerToken,
			Worker: worker.Ahead(self, "stellwerk-test"), Empty: []string{state}, Dir: workers,
		})
	}}
}

// annex is an engine in a process of its own, whose attempts share nothing with it, and a repository.
type annex struct {
	t                              *testing.T
	state, workers, shared, listen string
	dir                            string
	silence                        time.Duration
	engine                         *exec.Cmd
	svc                            api.Service
	closeClient                    func() error
}

const annexPlaybook = `
name: far
kind: phases
agents: {c: {use: command, run: ["sh", "agent.sh"]}}
roles: {dev: {agent: c, prompt: work}}
phases:
  - id: build
    role: dev
    outputs: [build.md]
    done:
      - changed: "*.txt"
      - command: test "$(cat hello.txt)" = hi
  - id: publish
    act: pull-request
    gate: approval
`

func newAnnex(t *testing.T, silence time.Duration, script string) *annex {
	t.Helper()
	a := &annex{t: t, state: t.TempDir(), workers: t.TempDir(), shared: t.TempDir(), silence: silence}
	a.dir = repository(t, map[string]string{
		"agent.sh": "shared=" + a.shared + "\n" + script, ".stellwerk/playbooks/far.yaml": annexPlaybook,
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	a.listen = listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	a.open()
	t.Cleanup(func() { a.end(syscall.SIGTERM) }) // it waits for what it does to its folder
	return a
}

// open starts an engine and connects to it.
func (a *annex) open() {
	a.t.Helper()
	self, err := os.Executable()
	if err != nil {
		a.t.Fatal(err)
	}
	a.engine = exec.Command(self, "apart", "--state", a.state, a.listen, a.workers, a.silence.String())
	a.engine.Env = append(shim.HostEnvironment(os.Environ()), "HOME="+a.t.TempDir(), "GORACE=atexit_sleep_ms=0")
	a.engine.Stdout, a.engine.Stderr = a.t.Output(), a.t.Output()
	if err := a.engine.Start(); err != nil {
		a.t.Fatal(err)
	}
	if !waittest.Until(func() bool { return a.reachable() }) {
		a.t.Fatal("the engine does not answer")
	}
	if a.svc, a.closeClient, err = app.Connect(a.t.Context(), app.Options{State: a.state, Version: "test"}); err != nil {
		a.t.Fatal(err)
	}
}

func (a *annex) reachable() bool {
	conn, err := net.DialTimeout("tcp", a.listen, time.Second)
	if err != nil {
		return false
	}
	_ = conn.Close()
	_, err = os.Stat(filepath.Join(a.state, "engine.sock"))
	return err == nil
}

// kill ends the engine without a word.
func (a *annex) kill() { a.end(syscall.SIGKILL) }

func (a *annex) end(by syscall.Signal) {
	if err := errors.Join(a.closeClient(), a.engine.Process.Signal(by)); err != nil {
		a.t.Error(err)
	}
	_ = a.engine.Wait() // how it ended is said by the signal
}

func (a *annex) start() api.Run {
	a.t.Helper()
	run, err := a.svc.StartRun(a.t.Context(), api.StartRun{Dir: a.dir, Goal: "say hello", Playbook: "far", Trust: true, Yes: true, Isolation: "none"})
	if err != nil {
		a.t.Fatal(err)
	}
	return run
}

// exits follows a run to its end, and returns the ends of its attempts.
func (a *annex) exits(run string) (ends []core.AttemptExited) {
	a.t.Helper()
	ctx, cancel := context.WithTimeout(a.t.Context(), waittest.Limit)
	defer cancel()
	if err := a.svc.Follow(ctx, run, 0, func(e core.Event) error {
		a.t.Logf("%d %s %.300s", e.Seq, e.Type, e.Body)
		if e.Type == core.TypeRunPaused {
			return fmt.Errorf("paused: %s", e.Body)
		}
		if e.Type != core.TypeAttemptExited {
			return nil
		}
		var end core.AttemptExited
		err := json.Unmarshal(e.Body, &end)
		ends = append(ends, end)
		return err
	}); err != nil {
		a.t.Fatalf("%v\nworkers say: %s", err, a.workersSay())
	}
	return ends
}

// said is what an attempt has written so far.
func (a *annex) said(run, attempt string) string {
	a.t.Helper()
	said, err := a.svc.Transcript(a.t.Context(), run, attempt, api.TranscriptQuery{Forward: true})
	if err != nil {
		a.t.Fatal(err)
	}
	var texts []string
	for _, r := range said.Records {
		texts = append(texts, r.Text)
	}
	return strings.Join(texts, "|")
}

func (a *annex) workersSay() (all string) {
	logs, _ := filepath.Glob(filepath.Join(a.state, "attempts", "*", "*", shim.LogFile))
	for _, name := range logs {
		log, _ := os.ReadFile(name)
		all += string(log)
	}
	return all
}

func (a *annex) await(name string) {
	a.t.Helper()
	if !waittest.Until(func() bool { _, err := os.Stat(filepath.Join(a.shared, name)); return err == nil }) {
		a.t.Fatalf("waited in vain for %s; workers say: %s", name, a.workersSay())
	}
}

func (a *annex) let(name string) {
	a.t.Helper()
	if err := os.WriteFile(filepath.Join(a.shared, name), nil, 0o600); err != nil {
		a.t.Fatal(err)
	}
}

// workersGone waits until no worker has left anything behind.
func (a *annex) workersGone() {
	a.t.Helper()
	if !waittest.Until(func() bool {
		left, err := filepath.Glob(filepath.Join(a.workers, "attempt-*"))
		return err == nil && len(left) == 0
	}) {
		a.t.Error("a worker is still at work")
	}
}

const annexWork = `echo hi > hello.txt; echo did it > "$STELLWERK_OUT/build.md"`

// TestARunOverHTTP: its attempts see nothing of the engine, are checked by it, and while the engine is dead they go on; the
// next one gets everything.
func TestARunOverHTTP(t *testing.T) {
	t.Parallel()
	a := newAnnex(t, 0, `ls -A `+"${STATE:-/nonexistent}"+` 2>/dev/null; touch $shared/ready
		echo before; until [ -e $shared/go ]; do sleep 0.05; done; echo while nobody listened; touch $shared/spoken
		`+annexWork)
	run := a.start()
	a.await("ready")
	a.kill()
	a.let("go")
	a.await("spoken")
	a.open()
	ends := a.exits(run.ID)
	if len(ends) != 1 || ends[0].Kind != core.ExitFinished || ends[0].Delivery == nil || len(ends[0].Delivery.Artifacts) != 1 {
		t.Fatalf("attempts ended as %+v", ends)
	}
	if got := git(t, a.dir, "show", run.Branch+":hello.txt"); got != "hi" {
		t.Errorf("the branch has %q", got)
	}
	if said := a.said(run.ID, ends[0].Attempt); said != "before|while nobody listened" {
		t.Errorf("it said %q", said)
	}
	a.workersGone()
}

// lostAfter is how long a worker that is gone is waited for. Where none is, the usual time holds: busy machines are slow.
const lostAfter = 5 * time.Second

// TestAWorkerThatIsKilled is lost, which does not count: another attempt completes the work.
func TestAWorkerThatIsKilled(t *testing.T) {
	t.Parallel()
	a := newAnnex(t, lostAfter, `echo half; if [ ! -e $shared/ready ]; then echo $$ > $shared/pid; touch $shared/ready; exec sleep 1000; fi; `+annexWork)
	run := a.start()
	a.await("ready")
	if !waittest.Until(func() bool { return a.said(run.ID, "build.r1.a1") == "half" }) {
		t.Fatal("what it says cannot be read while it runs")
	}
	marks, err := filepath.Glob(filepath.Join(a.workers, "attempt-*", "started"))
	if err != nil || len(marks) != 1 {
		t.Fatalf("%v, %v", marks, err)
	}
	var started shim.Started
	data, err := os.ReadFile(marks[0])
	if err == nil {
		err = json.Unmarshal(data, &started)
	}
	if err == nil {
		err = syscall.Kill(started.PID, syscall.SIGKILL)
	}
	if err != nil {
		t.Fatal(err)
	}
	ends := a.exits(run.ID)
	if len(ends) != 2 || ends[0].Kind != core.ExitLost || ends[1].Kind != core.ExitFinished {
		t.Fatalf("attempts ended as %+v", ends)
	}
	if ends[0].Transcript == "" {
		t.Error("what had arrived of the lost attempt is gone")
	}
	agentGone(t, a.shared)
}

// agentGone waits until the agent that has noted its process in a folder has ended with its worker.
func agentGone(t *testing.T, folder string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	if !waittest.Until(func() bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }) {
		t.Error("the agent outlives its worker")
	}
}

// TestACancelledRunOverHTTP ends its worker, which hands in and leaves nothing.
func TestACancelledRunOverHTTP(t *testing.T) {
	t.Parallel()
	a := newAnnex(t, 0, `touch $shared/ready; sleep 1000`)
	run := a.start()
	a.await("ready")
	if _, err := a.svc.Cancel(t.Context(), run.ID, api.Cancel{Reason: "enough"}); err != nil {
		t.Fatal(err)
	}
	if !waittest.Until(func() bool {
		events, err := a.svc.Events(t.Context(), run.ID, 0, 0)
		return err == nil && slices.ContainsFunc(events, func(e core.Event) bool {
			return e.Type == core.TypeAttemptExited && strings.Contains(string(e.Body), `"kind":"cancelled"`)
		})
	}) {
		t.Error("its end was not heard of")
	}
	a.workersGone()
}

// TestAnAgentCannotSpeakForItsWorker: nothing that an agent finds of its worker without any isolation (variables, arguments,
// files, descriptors) is its token, and the agent's own token, good for its tools, opens none of the worker's routes.
func TestAnAgentCannotSpeakForItsWorker(t *testing.T) {
	t.Parallel()
	a := newAnnex(t, 0, `{ tr '\0' '\n' </proc/$PPID/environ; tr '\0' '\n' </proc/$PPID/cmdline; grep -rs . "$STELLWERK_OUT/.." | head -c 1000000
		for fd in /proc/$PPID/fd/*; do readlink $fd; timeout 0.1 cat <$fd 2>/dev/null | head -c 1000; done; } >$shared/found
		`+annexWork)
	run := a.start()
	ends := a.exits(run.ID)
	if len(ends) != 1 || ends[0].Kind != core.ExitFinished {
		t.Fatalf("attempts ended as %+v", ends)
	}
	tokens, err := api.OpenAttemptTokens(t.Context(), sqlitetest.Open(t, filepath.Join(a.state, "stellwerk.db")))
	if err != nil {
		t.Fatal(err)
	}
	theirs, own := tokens.IssueWorker(run.ID, ends[0].Attempt), tokens.Issue(run.ID, ends[0].Attempt)
	found, err := os.ReadFile(filepath.Join(a.shared, "found")) // the transcript has no secret in any case
	if err != nil {
		t.Fatal(err)
	}
	if seal := theirs[strings.LastIndexByte(theirs, '.')+1:]; strings.Contains(string(found), seal) || !strings.Contains(string(found), "\nahead\n") {
		t.Errorf("the agent found its worker's token, or nothing of its worker: %.2000s", found)
	}
	for method, path := range map[string]string{
		http.MethodGet: wire.PathWord, http.MethodPost: wire.PathEnd, http.MethodPut: wire.PathPart + strings.Repeat("0", 64),
	} {
		for _, token := range []string{own, "", theirs + "x"} {
			req, err := http.NewRequestWithContext(t.Context(), method, "http://"+a.listen+path, strings.NewReader("{}"))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set(wire.Header, "1")
			req.Header.Set("Authorization", "Bearer "+token)
			resp, err := http.DefaultTransport.RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			if err := resp.Body.Close(); err != nil || resp.StatusCode != http.StatusUnauthorized {
				t.Errorf("%s %s with %.10q: %d, %v", method, path, token, resp.StatusCode, err)
			}
		}
	}
}
