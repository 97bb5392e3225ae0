package resource

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/program"
	"github.com/stellwerk-dev/stellwerk/internal/usertest"
)

// unheld is a group as it is where the kernel holds nothing.
func unheld(t *testing.T, name string, limits, total Limits) *Group {
	t.Helper()
	return &Group{
		bounds:  unbounded{},
		opts:    Options{Owner: "stellwerk-test", Name: name, Limits: limits, Total: total},
		holding: Holding{Memory: Watched, Processes: Watched, CPU: Measured, Disk: Watched},
	}
}

// held begins a script that does something, says so by closing its output, and waits to be ended.
func held(t *testing.T, g *Group, script string) {
	t.Helper()
	begin(t, g, exec.Command("/bin/sh", "-c", script+"; sleep 60"))
}

func TestMemoryIsWatched(t *testing.T) {
	g := unheld(t, "one", Limits{Memory: 100 * mib}, Limits{})
	w := watch(t, g, Watch{})
	held(t, g, hog)
	b := await(t, w.Breaches(), "the watcher sees the hog")
	if b.Resource != Memory || !b.Final || b.Value <= 100*mib || !strings.Contains(b.String(), "; the limit of an attempt is 100.0 MiB") {
		t.Errorf("breach: %v", b)
	}
	if peak := g.Usage().PeakMemory; peak < b.Value {
		t.Errorf("peak: %d", peak)
	}
}

func TestProcessesAreWatched(t *testing.T) {
	g := unheld(t, "one", Limits{Processes: 40}, Limits{})
	w := watch(t, g, Watch{})
	held(t, g, crowd)
	if b := await(t, w.Breaches(), "the watcher sees the crowd"); b.Resource != Processes || b.Value <= 40 || b.Limit != 40 {
		t.Errorf("breach: %v", b)
	}
}

func TestDiskIsWatched(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "before", 40*mib)
	g := unheld(t, "one", Limits{Disk: 32 * mib}, Limits{})
	w := watch(t, g, Watch{Folders: []string{dir, filepath.Join(dir, "missing")}})
	select { // what was there before is not the group's
	case b := <-w.Breaches():
		t.Fatalf("breach: %v", b)
	case <-w.begun:
	}
	held(t, g, `cd "`+dir+`"; for i in 1 2 3 4 5 6 7 8; do head -c 16777216 /dev/zero > $i; done`)
	b := await(t, w.Breaches(), "the watcher sees what was written")
	if b.Resource != Disk || b.Value < 32*mib || b.Limit != 32*mib || !strings.HasPrefix(b.String(), "stopped at ") {
		t.Errorf("breach: %v", b)
	}
}

// TestGrowthIsMeasured counts a file with two names once, and nothing that was there before.
func TestGrowthIsMeasured(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "before", 4*mib)
	d := newDiskWatch([]string{dir})
	d.begin()
	write(t, dir, "after", 2*mib)
	if err := os.Link(filepath.Join(dir, "after"), filepath.Join(dir, "again")); err != nil {
		t.Fatal(err)
	}
	if used := d.last(gib); used < 2*mib || used > 3*mib {
		t.Errorf("the folder grew by %d bytes", used)
	}
	if err := os.Remove(filepath.Join(dir, "before")); err != nil {
		t.Fatal(err)
	}
	if used := d.last(gib); used != 0 {
		t.Errorf("after more was deleted than written, it grew by %d bytes", used)
	}
}

// TestFileIsBounded has one file at the limit, which the kernel holds; who wrote it is told when all is over.
func TestFileIsBounded(t *testing.T) {
	dir := t.TempDir()
	g := unheld(t, "one", Limits{Disk: 8 * mib}, Limits{})
	w, err := g.Watch(Watch{Folders: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	<-w.begun
	out := run(t, g, `ulimit -c; head -c 33554432 /dev/zero > "`+dir+`/file"`)
	w.Stop()
	if size := stat(t, filepath.Join(dir, "file")).Size(); size != 8*mib {
		t.Errorf("the file has %d bytes: %s", size, out)
	}
	if !strings.HasPrefix(out, "0\n") {
		t.Errorf("cores are possible: %q", out)
	}
	if b := g.Breach(); b == nil || b.Resource != Disk || b.Value < 8*mib {
		t.Errorf("breach: %v", b)
	}
}

func TestFullDiskEndsWhoWroteMost(t *testing.T) {
	shared := t.TempDir()
	free, size, err := space(shared)
	if err != nil {
		t.Fatal(err)
	}
	if d := newDiskWatch([]string{shared}); true {
		if f, floor := d.lowest(); floor != min(gib, size/50) || f > free+gib || f < free-gib {
			t.Errorf("%d free of %d, and %d has to stay", f, size, floor)
		}
	}
	other := others{self: "b", names: []string{"a", "c"}, uses: []use{{Disk: 5}, {Disk: 7}}}
	for disk, want := range map[int64]bool{4: false, 5: false, 7: true, 8: true} {
		if got := other.heaviest(use{Disk: disk}, Disk); got != want {
			t.Errorf("%d is the heaviest: %v", disk, got)
		}
	}
	if other.heaviest(use{Memory: 0}, Memory) {
		t.Error("of two that have the same, the first by name is the one")
	}
}

func TestAllAreWatchedTogether(t *testing.T) {
	shared := t.TempDir()
	total := Limits{Processes: 30}
	light, heavy := unheld(t, "light", Limits{}, total), unheld(t, "heavy", Limits{}, total)
	other, err := openShare(shared, "light")
	if err != nil {
		t.Fatal(err)
	}
	defer other.close()
	other.tell(use{Processes: 20})
	write(t, shared, "died", 1)
	w := watch(t, heavy, Watch{Shared: shared})
	held(t, heavy, `i=0; while [ $i -lt 25 ]; do sleep 60 & i=$((i+1)); done`)
	b := await(t, w.Breaches(), "the watcher adds the groups up")
	if b.Resource != Processes || !b.Total || b.Value <= 30 || b.Limit != 30 {
		t.Errorf("breach: %v", b)
	}
	if _, err := os.Stat(filepath.Join(shared, "died")); !os.IsNotExist(err) {
		t.Errorf("what a dead watcher told is left: %v", err)
	}
	lights := Watcher{group: light, share: other, disk: newDiskWatch(nil)}
	if b := lights.inAll(others{self: "light", names: []string{"heavy"}, uses: []use{{Processes: 26}}}, use{Processes: 20}); b != nil {
		t.Errorf("the light one is ended: %v", b)
	}
}

// TestPlainUserIsBounded bounds processes in a user namespace, without a control group and without root.
// TestOneEndsForAll has two groups that each know the other's figure of a moment ago, and have more by now.
func TestOneEndsForAll(t *testing.T) {
	dir := t.TempDir()
	watcher := func(name string) *Watcher {
		s, err := openShare(dir, name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.close)
		g := &Group{bounds: unbounded{}, opts: Options{Name: name, Total: Limits{Processes: 30}}, holding: Holding{Memory: Watched, Processes: Watched, CPU: Measured, Disk: Watched}}
		return &Watcher{group: g, share: s, disk: newDiskWatch(nil)}
	}
	a, b, c := watcher("a"), watcher("b"), watcher("c")
	b.share.tell(use{Processes: 19})
	if found := a.judge(use{Processes: 20}); found == nil || !found.Total || found.Value != 39 {
		t.Fatalf("the heaviest is left alone: %+v", found)
	}
	if found := b.judge(use{Processes: 21}); found != nil {
		t.Errorf("another one is ended for the same: %+v", found)
	}
	// What is still too much without the one that ends is another matter.
	if found := c.judge(use{Processes: 40}); found == nil || found.Value != 61 {
		t.Errorf("%+v", found)
	}
	// Nobody decides while another one does.
	a.share.alone(func(others) {
		b.share.alone(func(others) { t.Error("two decide at once") })
	})
}

func TestPlainUserIsBounded(t *testing.T) {
	bwrap, err := program.Look(os.Getenv("PATH"), "bwrap")
	if err != nil {
		t.Skip(err)
	}
	if os.Getuid() == 0 {
		usertest.Again(t, nil, "TestPlainUserIsBounded")
		return
	}
	g := confine(t, Options{Limits: Limits{Processes: 20, Memory: gib}, Sandboxed: true})
	if g.Holding().Processes.Enforced() && g.Holding().Processes != Rlimit {
		t.Skipf("here it is held by a %s", g.Holding().Processes)
	}
	if g.Holding().String() != "memory: watched; processes: rlimit; cpu: measured; disk: watched" || len(g.why) == 0 {
		t.Fatalf("%s: %s", g.Holding(), g.why)
	}
	w := watch(t, g, Watch{})
	argv := append([]string{"--unshare-user", "--unshare-pid", "--die-with-parent", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--"}, g.Inside()...)
	begin(t, g, exec.Command(bwrap, append(argv, "/bin/sh", "-c",
		`i=0; while [ $i -lt 17 ]; do sleep 60 & i=$((i+1)); done; while [ $i -lt 20000 ]; do sh -c 'sleep 0.01 & sleep 0.01 & sleep 0.01 &' 2>/dev/null; i=$((i+1)); done`)...))
	b := await(t, w.Breaches(), "the watcher ends what stays at its limit")
	if b.Resource != Processes || b.Limit != 20 || b.Total {
		t.Errorf("breach: %v", b)
	}
	// bubblewrap itself has one process outside.
	if peak := g.Usage().PeakProcesses; peak > 22 {
		t.Errorf("there were %d processes", peak)
	}
}

func write(t *testing.T, dir, name string, size int) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), make([]byte, size), 0o600); err != nil {
		t.Fatal(err)
	}
}

func stat(t *testing.T, path string) os.FileInfo {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info
}
