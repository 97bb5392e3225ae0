package resource

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The scripts stop by themselves long before they could harm a machine on which nothing holds them.
const (
	// hog holds 512 MiB: tail keeps the whole of a line.
	hog = `head -c 536870912 /dev/zero | tail | wc -c; echo went on`
	// crowd starts 300 processes and waits for them.
	crowd = `i=0; while [ $i -lt 300 ]; do sleep 60 & i=$((i+1)); done; echo started $i; wait`
)

// run starts a script in the group and returns what it wrote when it has ended.
func run(t *testing.T, g *Group, script string) string {
	t.Helper()
	out, err := os.Create(filepath.Join(t.TempDir(), "out")) // unlike a pipe it does not wait for what the script leaves
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/bin/sh", "-c", script)
	cmd.Stdout, cmd.Stderr = out, out
	await(t, begin(t, g, cmd), "the script ends")
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	return read(t, out.Name())
}

// begin starts cmd in the group; the channel closes when it has ended. What is left of it ends with the test.
func begin(t *testing.T, g *Group, cmd *exec.Cmd) <-chan struct{} {
	t.Helper()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	started, done := make(chan error), make(chan struct{})
	go func() {
		runtime.LockOSThread()
		defer close(done)
		g.BoundFiles(cmd)
		err := g.Start(cmd, cmd.Start)
		started <- err
		if err == nil {
			_ = cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		<-done
	})
	return done
}

func await[T any](t *testing.T, c <-chan T, what string) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(waittest.Limit):
		t.Fatalf("this does not happen: %s", what)
	}
	return v
}

func confine(t *testing.T, opts Options) *Group {
	t.Helper()
	if opts.Owner == "" {
		opts.Owner = fmt.Sprintf("stellwerk-test-%d-%s", os.Getpid(), strings.ReplaceAll(t.Name(), "/", "."))
	}
	if opts.Name == "" {
		opts.Name = "one"
	}
	g, err := Confine(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	return g
}

// enforced skips a test of what this machine cannot enforce for this user.
func enforced(t *testing.T, g *Group, resources ...Resource) {
	t.Helper()
	for _, r := range resources {
		if means := g.Holding().Of(r); !means.Enforced() || means == Rlimit {
			t.Skipf("%s is %s here: %s", r, means, strings.Join(g.why, "; "))
		}
	}
}

func TestMemoryIsHeld(t *testing.T) {
	g := confine(t, Options{Limits: Limits{Memory: 64 * mib}})
	enforced(t, g, Memory)
	if out := run(t, g, hog); !strings.Contains(out, "went on") || strings.Contains(out, "536870912") {
		t.Errorf("the hog wrote %q", out)
	}
	b := g.Breach()
	if b == nil || b.Resource != Memory || b.Total || b.Final || b.String() != "killed at 64.0 MiB of memory, the limit of an attempt" {
		t.Errorf("breach: %+v", b)
	}
	if peak := g.Usage().PeakMemory; peak < 60*mib || peak > 64*mib {
		t.Errorf("peak: %d", peak)
	}
}

func TestMemoryOfAllIsHeld(t *testing.T) {
	owner := fmt.Sprintf("stellwerk-test-%d-all", os.Getpid())
	opts := Options{Owner: owner, Limits: Limits{Memory: 400 * mib}, Total: Limits{Memory: 96 * mib}}
	opts.Name = "heavy"
	heavy := confine(t, opts)
	opts.Name = "light"
	light := confine(t, opts)
	enforced(t, heavy, Memory)
	run(t, light, "true")
	run(t, heavy, hog)
	b := heavy.Breach()
	if b == nil || !b.Total || b.Limit != 96*mib || !strings.HasSuffix(b.String(), "the limit of all attempts together") {
		t.Errorf("breach: %+v", b)
	}
	if b := light.Breach(); b != nil {
		t.Errorf("the light one is blamed: %+v", b)
	}
}

func TestProcessesAreHeld(t *testing.T) {
	g := confine(t, Options{Limits: Limits{Processes: 20}})
	enforced(t, g, Processes)
	out := run(t, g, crowd)
	if !strings.Contains(out, "fork") {
		t.Errorf("nothing was refused: %q", out)
	}
	if b := g.Breach(); b == nil || b.String() != "refused more than 20 processes, the limit of an attempt" {
		t.Errorf("breach: %+v", b)
	}
	if peak := g.Usage().PeakProcesses; peak > 20 || peak < 15 {
		t.Errorf("peak: %d", peak)
	}
}

// TestStayingAtTheLimitEnds has something beyond the limit of processes again and again, while enough is free to go on.
func TestStayingAtTheLimitEnds(t *testing.T) {
	g := confine(t, Options{Limits: Limits{Processes: 12}})
	enforced(t, g, Processes)
	w := watch(t, g, Watch{})
	begin(t, g, exec.Command("/bin/sh", "-c",
		`i=0; while [ $i -lt 20000 ]; do sh -c 'for n in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep 0.01 & done' 2>/dev/null; i=$((i+1)); done`))
	b := await(t, w.Breaches(), "the watcher ends what stays at its limit")
	if b.Resource != Processes || !b.Final || b.Total || b.String() != "stopped for staying at 12 processes, the limit of an attempt" {
		t.Errorf("breach: %v", b)
	}
}

func TestProcessorIsHeld(t *testing.T) {
	g := confine(t, Options{Limits: Limits{CPU: 0.05}})
	enforced(t, g, CPU)
	run(t, g, `i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done`)
	if used := g.Usage().CPUSeconds; used <= 0 {
		t.Errorf("%.2f s of processor time", used)
	}
	// How long it took says nothing on a busy machine.
	if b, ok := g.bounds.(*cgroup); ok && readKey(b.with("cpu"), "cpu.stat", "nr_throttled") == 0 {
		t.Error("nothing was held back")
	}
	if g.Breach() != nil {
		t.Error("who is slowed down runs into nothing")
	}
}

// TestThreadLeavesTheGroup sees that only the process enters: a thread of ours that stayed would be bounded, too.
func TestThreadLeavesTheGroup(t *testing.T) {
	g := confine(t, Options{Limits: Limits{Processes: 20}})
	enforced(t, g, Processes)
	out := run(t, g, "cat /proc/self/cgroup")
	if !strings.Contains(out, g.opts.Owner+"/one") {
		t.Errorf("the process is in %s", out)
	}
	if err := g.Start(exec.Command("true"), func() error { return os.ErrInvalid }); err == nil {
		t.Error("a failed start is not told")
	}
	inside := func() (found []string) {
		threads, err := filepath.Glob("/proc/self/task/*/cgroup")
		if err != nil || len(threads) == 0 {
			t.Fatal(threads, err)
		}
		for _, thread := range threads {
			if now, err := os.ReadFile(thread); err == nil && strings.Contains(string(now), g.opts.Owner) { // threads end
				found = append(found, thread+"\n"+string(now))
			}
		}
		return found
	}
	if !waittest.Until(func() bool { return len(inside()) == 0 }) {
		t.Errorf("inside are still\n%s", strings.Join(inside(), "\n"))
	}
}

func TestGroupGoes(t *testing.T) {
	opts := Options{Owner: fmt.Sprintf("stellwerk-test-%d-goes", os.Getpid()), Name: "one", Limits: Limits{Processes: 20}}
	g := confine(t, opts)
	enforced(t, g, Processes)
	dir := folderOf(t, g)
	opts.Name = "left"
	left := confine(t, opts)
	orphan := folderOf(t, left)
	abandon(t, left)
	if _, err := os.Stat(orphan); err != nil {
		t.Fatal(err)
	}
	opts.Name = "next"
	next := confine(t, opts)
	if _, err := os.Stat(orphan); !os.IsNotExist(err) {
		t.Errorf("a group without an owner is left: %v", err)
	}
	if _, err := os.Stat(dir); err != nil {
		t.Errorf("a group with an owner is gone: %v", err)
	}
	next.Close()
	g.Close()
	if _, err := os.Stat(filepath.Dir(dir)); !os.IsNotExist(err) {
		t.Errorf("the owner's folder is left: %v", err)
	}
}

func folderOf(t *testing.T, g *Group) string {
	t.Helper()
	b, ok := g.bounds.(*cgroup)
	if !ok {
		t.Skip("no control group of ours")
	}
	return b.dir(0)
}

// abandon is the end of a process that could not remove its group.
func abandon(t *testing.T, g *Group) {
	t.Helper()
	b := g.bounds.(*cgroup)
	if err := b.lock.Close(); err != nil {
		t.Fatal(err)
	}
	if b.entrance != nil {
		b.entrance.close()
	}
	g.bounds = unbounded{}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func watch(t *testing.T, g *Group, w Watch) *Watcher {
	t.Helper()
	w.every = 10 * time.Millisecond
	out, err := g.Watch(w)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(out.Stop)
	return out
}
