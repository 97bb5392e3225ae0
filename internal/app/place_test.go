package app_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/app"
	"github.com/stellwerk-dev/stellwerk/internal/balancertest"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/statefolder"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/sqlitetest"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// addressFile has the address of the database that engines share; without it they have a file beside it.
const addressFile = "address"

// memberOptions are those of an engine that shares store and objects, both below a folder, with others, and whose workers find
// an engine at a balancer. If the folder has the address of a database, that is the store.
func memberOptions(state, common, front string) app.Options {
	database := filepath.Join(common, "db")
	if address, err := os.ReadFile(filepath.Join(common, addressFile)); err == nil {
		database = string(address)
	}
	return app.Options{
		State: state, Version: "test", Database: database, Objects: filepath.Join(common, "objects"),
		Workers: app.Workers{URL: front}, Lease: time.Second, Checkpoint: 50 * time.Millisecond,
	}
}

// pair is two hosts with an engine each on one store. The first is a process, so that it can be killed.
type pair struct {
	t                   *testing.T
	front               *balancertest.Balancer
	common, shared, dir string
	first               *exec.Cmd
	firstState          string
	run                 api.Run
	second              *app.App
}

// newPair starts a run at the first engine, and waits until its agent has made the file ready.
func newPair(t *testing.T, script string) *pair {
	t.Helper()
	p := &pair{t: t, front: balancertest.New(t), common: t.TempDir(), shared: t.TempDir(), firstState: stateFolder(t)}
	p.dir = repository(t, map[string]string{"agent.sh": "shared=" + p.shared + "\n" + script, ".stellwerk/playbooks/far.yaml": annexPlaybook})
	p.front.With("first", p.firstState)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p.first = exec.Command(self, "member", "--state", p.firstState, p.common, p.front.URL())
	p.first.Env = append(shim.HostEnvironment(os.Environ()), "HOME="+t.TempDir(), "GORACE=atexit_sleep_ms=0")
	p.first.Stdout, p.first.Stderr = t.Output(), t.Output()
	if err := p.first.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.first.Process.Kill(); _ = p.first.Wait() })
	var svc api.Service
	var end func() error
	if !waittest.Until(func() bool {
		svc, end, err = app.Dial(t.Context(), app.Options{State: p.firstState})
		return err == nil
	}) {
		t.Fatalf("the first engine does not answer: %v", err)
	}
	if p.run, err = svc.StartRun(t.Context(), api.StartRun{Dir: p.dir, Goal: "say hello", Playbook: "far", Trust: true, Yes: true, Isolation: "none"}); err != nil {
		t.Fatal(err)
	}
	p.await("ready")
	if err := end(); err != nil {
		t.Error(err)
	}
	return p
}

// shortSilence is how long the second engine hears nothing of a worker that is gone. Only tests in which one is gone set it: on a
// busy machine a worker that lives can be silent for as long.
const shortSilence = 3 * time.Second

// handOver ends the first engine, takes everything of its host but what its worker works with, and opens the second.
func (p *pair) handOver(by syscall.Signal, changes ...func(*app.Options)) context.Context {
	p.t.Helper()
	if err := p.first.Process.Signal(by); err != nil {
		p.t.Fatal(err)
	}
	_ = p.first.Wait() // by a signal
	for _, name := range []string{"attempts", "work", "yards", "runs", "blobs", "engine.id", "engine.lock"} {
		if err := os.RemoveAll(filepath.Join(p.firstState, name)); err != nil {
			p.t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(api.WithCaller(p.t.Context(), api.Caller{Actor: core.Person("me")}), waittest.Limit)
	p.t.Cleanup(cancel)
	opts := memberOptions(stateFolder(p.t), p.common, p.front.URL())
	p.front.Without("first")
	p.front.With("second", opts.State)
	opts.Log = p.t.Output()
	for _, change := range changes {
		change(&opts)
	}
	second, err := app.Open(ctx, opts)
	if err != nil {
		p.t.Fatal(err)
	}
	p.second = second
	p.t.Cleanup(func() {
		if err := second.Close(); err != nil {
			p.t.Error(err)
		}
	})
	return ctx
}

func (p *pair) await(name string) {
	p.t.Helper()
	if !waittest.Until(func() bool { _, err := os.Stat(filepath.Join(p.shared, name)); return err == nil }) {
		p.t.Fatalf("waited in vain for %s", name)
	}
}

// ends follows the run at the second engine until its own end, and returns the ends of its attempts.
func (p *pair) ends(ctx context.Context) (ends []core.AttemptExited) {
	p.t.Helper()
	if err := p.second.Service.Follow(ctx, p.run.ID, 0, func(e core.Event) error {
		p.t.Logf("%d %s %.300s", e.Seq, e.Type, e.Body)
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
		p.t.Fatal(err)
	}
	return ends
}

// heard waits until the second engine shows what the attempt said first.
func (p *pair) heard(ctx context.Context, text string) {
	p.t.Helper()
	if !waittest.Until(func() bool {
		said, err := p.second.Service.Transcript(ctx, p.run.ID, "build.r1.a1", api.TranscriptQuery{Forward: true})
		return err == nil && len(said.Records) > 0 && said.Records[0].Text == text
	}) {
		p.t.Fatal("the new owner does not see what the attempt has said so far")
	}
}

// saved waits until a checkpoint of the attempt has arrived that has its document, which it wrote last.
func (p *pair) saved(ctx context.Context) {
	p.t.Helper()
	db := sqlitetest.Open(p.t, filepath.Join(p.common, "db"))
	if !waittest.Until(func() bool {
		d, err := db.Document(ctx, "attempt-checkpoint", p.run.ID+"/build.r1.a1")
		return err == nil && strings.Contains(string(d.Data), "out/build.md")
	}) {
		p.t.Fatal("no checkpoint has arrived")
	}
}

// spools are the folders of workers on the first host.
func (p *pair) spools() []string {
	p.t.Helper()
	found, err := filepath.Glob(filepath.Join(p.firstState, "workers", "attempt-*"))
	if err != nil {
		p.t.Fatal(err)
	}
	return found
}

func (p *pair) workersGone() {
	p.t.Helper()
	if !waittest.Until(func() bool { return len(p.spools()) == 0 }) {
		p.t.Errorf("a worker is still at work in %v", p.spools())
	}
}

// TestAnotherEngineGoesOnWithAnAttempt: its worker runs on the host of an engine that is gone, and ends at the one that owns the
// run now, which has nothing of that host. The attempt counts once.
func TestAnotherEngineGoesOnWithAnAttempt(t *testing.T) {
	t.Parallel()
	for name, by := range map[string]syscall.Signal{"closed": syscall.SIGTERM, "killed": syscall.SIGKILL} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPair(t, `echo before; touch $shared/ready; until [ -e $shared/go ]; do sleep 0.05; done; echo after; `+annexWork)
			ctx := p.handOver(by)
			p.heard(ctx, "before")
			if err := os.WriteFile(filepath.Join(p.shared, "go"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			ends := p.ends(ctx)
			if len(ends) != 1 || ends[0].Kind != core.ExitFinished || ends[0].Delivery == nil || ends[0].Delivery.Empty || len(ends[0].Delivery.Artifacts) != 1 {
				t.Fatalf("attempts ended as %+v", ends)
			}
			if got := git(t, p.dir, "show", p.run.Branch+":hello.txt"); got != "hi" {
				t.Errorf("the branch has %q", got)
			}
			p.workersGone()
		})
	}
}

// TestAnotherEngineCancelsAnAttempt whose worker runs on a host of which it has nothing.
func TestAnotherEngineCancelsAnAttempt(t *testing.T) {
	t.Parallel()
	p := newPair(t, `touch $shared/ready; sleep 1000`)
	ctx := p.handOver(syscall.SIGKILL)
	if _, err := p.second.Service.Cancel(ctx, p.run.ID, api.Cancel{Reason: "enough"}); err != nil {
		t.Fatal(err)
	}
	if !waittest.Until(func() bool {
		events, err := p.second.Service.Events(ctx, p.run.ID, 0, 0)
		return err == nil && slices.ContainsFunc(events, func(e core.Event) bool {
			return e.Type == core.TypeAttemptExited && strings.Contains(string(e.Body), `"kind":"cancelled"`)
		})
	}) {
		t.Error("its end was not heard of")
	}
	p.workersGone()
}

// TestAHostThatIsGone: nothing is heard of its worker for longer than the lease, so that the attempt is lost, which does not
// count. The new owner has its last checkpoint, and another attempt goes on with that on its own host.
func TestAHostThatIsGone(t *testing.T) {
	t.Parallel()
	p := newPair(t, `echo half; if [ ! -e $shared/ready ]; then git rm -q --cached agent.sh; git commit -qm "half of it"; echo half > half.txt; echo half > $STELLWERK_OUT/build.md
		echo $$ > $shared/pid; touch $shared/ready; exec sleep 1000; fi; test "$(cat half.txt)" = half && cat $STELLWERK_OUT/build.md > $shared/resumed; `+annexWork)
	spools := p.spools()
	ctx := p.handOver(syscall.SIGKILL, func(o *app.Options) { o.Silence = shortSilence })
	if len(spools) != 1 {
		t.Fatalf("workers are in %v", spools)
	}
	p.heard(ctx, "half")
	p.saved(ctx)
	var started shim.Started
	data, err := os.ReadFile(filepath.Join(spools[0], "started"))
	if err == nil {
		err = json.Unmarshal(data, &started)
	}
	if err == nil {
		err = errors.Join(syscall.Kill(started.PID, syscall.SIGKILL), os.RemoveAll(p.firstState))
	}
	if err != nil {
		t.Fatal(err)
	}
	ends := p.ends(ctx)
	if len(ends) != 2 || ends[0].Kind != core.ExitLost || ends[1].Kind != core.ExitFinished || ends[0].Transcript == "" {
		t.Fatalf("attempts ended as %+v", ends)
	}
	if d := ends[0].Delivery; d == nil || d.Empty || !d.Checkpoint || len(d.Artifacts) != 1 {
		t.Errorf("of the lost attempt is left %+v", d)
	}
	if got, err := os.ReadFile(filepath.Join(p.shared, "resumed")); err != nil || string(got) != "half\n" {
		t.Errorf("the next attempt found %q, %v", got, err)
	}
	agentGone(t, p.shared)
}

// TestFoldersOfKilledWorkers go when an engine starts on their host, unless somebody lives there.
func TestFoldersOfKilledWorkers(t *testing.T) {
	t.Parallel()
	state, common := stateFolder(t), t.TempDir()
	dead, alive := filepath.Join(state, "workers", "attempt-1"), filepath.Join(state, "workers", "attempt-2")
	for _, dir := range []string{dead, alive} {
		if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, "worker.json"), []byte(`{"run":"r","attempt":"a"}`), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	lock, err := os.Open(filepath.Join(alive, "worker.json"))
	if err == nil {
		err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Close() }()
	a, err := app.Open(t.Context(), memberOptions(state, common, ""))
	if err != nil {
		t.Fatal(err)
	}
	if !waittest.Until(func() bool { _, err := os.Stat(dead); return err != nil }) {
		t.Error("the folder stays")
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(alive); err != nil {
		t.Error("a worker's folder was removed:", err)
	}
}

// TestWorkersOfThisMachine find their engine at a socket that only its person can make, as long as nobody names another address.
func TestWorkersOfThisMachine(t *testing.T) {
	t.Parallel()
	state := stateFolder(t)
	dir := repository(t, map[string]string{"agent.sh": annexWork, ".stellwerk/playbooks/far.yaml": annexPlaybook})
	ctx, cancel := context.WithTimeout(api.WithCaller(t.Context(), api.Caller{Actor: core.Person("me")}), waittest.Limit)
	defer cancel()
	a, err := app.Open(ctx, memberOptions(state, t.TempDir(), ""))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}()
	socket, err := statefolder.Folder{Dir: state}.WorkersSocket()
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(socket); err != nil || info.Mode() != os.ModeSocket|0o600 {
		t.Errorf("the socket is %v, %v", info, err)
	}
	if info, err := os.Stat(filepath.Dir(socket)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("its folder is %v, %v", info, err)
	}
	run, err := a.Service.StartRun(ctx, api.StartRun{Dir: dir, Goal: "say hello", Playbook: "far", Trust: true, Yes: true, Isolation: "none"})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Service.Follow(ctx, run.ID, 0, func(core.Event) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if got := git(t, dir, "show", run.Branch+":hello.txt"); got != "hi" {
		t.Errorf("the branch has %q", got)
	}
}
