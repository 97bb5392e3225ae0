package resource

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestParseCgroups(t *testing.T) {
	const v1Mounts = `30 25 0:26 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
31 25 0:27 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct
32 25 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw
`
	const v2Mounts = "30 25 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
	const podMounts = "30 25 0:26 /pods/a /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n"
	for name, c := range map[string]struct{ member, mounts, want string }{
		"version 1":          {"4:memory:/a/b\n2:cpu,cpuacct:/\n0::/x\n", v1Mounts, "cpu=/sys/fs/cgroup/cpu,cpuacct cpuacct=/sys/fs/cgroup/cpu,cpuacct memory=/sys/fs/cgroup/memory/a/b v2=/sys/fs/cgroup/unified/x"},
		"version 2":          {"0::/user.slice/a.scope\n", v2Mounts, "v2=/sys/fs/cgroup/user.slice/a.scope"},
		"a colon in a name":  {"0::/a:b\n", v2Mounts, "v2=/sys/fs/cgroup/a:b"},
		"container":          {"4:memory:/pods/a/c\n", podMounts, "memory=/sys/fs/cgroup/memory/c v2=."},
		"container's root":   {"4:memory:/pods/a\n", podMounts, "memory=/sys/fs/cgroup/memory v2=."},
		"outside its mount":  {"4:memory:/pods/ab\n", podMounts, "v2=."},
		"no groups, no rows": {"", "", "v2=."},
	} {
		got := parseCgroups(c.member, c.mounts)
		var parts []string
		for controller, at := range got.v1 {
			parts = append(parts, controller+"="+at.dir())
		}
		slices.Sort(parts)
		if s := strings.Join(append(parts, "v2="+filepath.Clean(got.v2.dir())), " "); s != c.want {
			t.Errorf("%s: %s, want %s", name, s, c.want)
		}
	}
}

// TestEntersVersion2 starts a process in a real group of version 2, which has no controllers where version 1 has them.
func TestEntersVersion2(t *testing.T) {
	tree, err := readCgroups()
	if err != nil {
		t.Fatal(err)
	}
	if tree.v2.mount == "" || writableDir(tree.v2.dir()) != nil {
		t.Skip("there is no group of version 2 to make others in")
	}
	opts := Options{Owner: fmt.Sprintf("stellwerk-test-%d-v2", os.Getpid()), Name: "one"}
	group, err := makeCgroup([]hierarchy{{base: tree.v2.dir(), own: tree.v2.dir(), version: 2}}, opts)
	if err != nil {
		t.Fatal(err)
	}
	g := &Group{opts: opts, bounds: group}
	t.Cleanup(g.Close)
	out := run(t, g, "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; cat /proc/self/cgroup")
	if !strings.Contains(out, "0::"+filepath.Join(tree.v2.path, opts.Owner, "one")+"\n") {
		t.Errorf("the process is in %s", out)
	}
	if g.Usage().CPUSeconds <= 0 {
		t.Error("the group tells no processor time")
	}
}

// fakeV2 is a folder with the files of a group of version 2 whose controllers work, which this machine may not have.
func fakeV2(t *testing.T, dir string) {
	t.Helper()
	for name, content := range map[string]string{
		"cgroup.controllers": "cpuset cpu io memory pids", "cgroup.subtree_control": "cpu memory pids", "cgroup.procs": "",
		"cgroup.type": "domain", "memory.max": "max", "memory.swap.max": "max", "pids.max": "max", "cpu.max": "max 100000", "cpu.weight": "100",
		"memory.current": "100", "memory.peak": "4096", "memory.events": "low 0\nhigh 0\nmax 3\noom 1\noom_kill 2\n",
		"pids.current": "3", "pids.peak": "7", "pids.events": "max 5\n", "cpu.stat": "usage_usec 1500000\nuser_usec 1\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWritesVersion2(t *testing.T) {
	dir := t.TempDir()
	fakeV2(t, dir)
	tree := cgroups{v2: place{mount: filepath.Dir(dir), path: filepath.Base(dir)}}
	h, err := hierarchyV2(tree)
	if err != nil || !slices.Equal(h.controllers, v2Controllers()) {
		t.Fatalf("%+v: %v", h, err)
	}
	if err := h.limit(dir, Limits{Memory: gib, Processes: 7, CPU: 1.5}, true); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"memory.max": "1073741824", "memory.swap.max": "0", "pids.max": "7", "cpu.max": "150000 100000", "cpu.weight": "50"}
	for name, value := range want {
		if got := read(t, filepath.Join(dir, name)); !strings.HasPrefix(got, value) {
			t.Errorf("%s: %q", name, got)
		}
	}
	r := readV2(dir)
	if r.peakMemory != 4096 || r.kills != 2 || r.refusals != 5 || r.peakTasks != 7 || r.cpu.Seconds() != 1.5 {
		t.Errorf("%+v", r)
	}
}

// TestVersion2IsNotClaimed has the reasons for which a group of version 2 cannot be used.
func TestVersion2IsNotClaimed(t *testing.T) {
	if _, err := hierarchyV2(cgroups{}); err == nil {
		t.Error("it is claimed where it is not mounted")
	}
	dir := t.TempDir()
	fakeV2(t, dir)
	tree := cgroups{v2: place{mount: dir, path: "/"}}
	write := func(name, content string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("cgroup.controllers", "hugetlb io")
	if _, err := hierarchyV2(tree); err == nil || !strings.Contains(err.Error(), "none of the controllers") {
		t.Errorf("without controllers: %v", err)
	}
	write("cgroup.controllers", "memory")
	write("cgroup.subtree_control", "")
	write("cgroup.procs", "1\n")
	if err := os.WriteFile(filepath.Join(filepath.Dir(dir), "cgroup.procs"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 {
		if _, err := hierarchyV2(tree); err == nil || !strings.Contains(err.Error(), "Delegate=yes") {
			t.Errorf("with processes in it: %v", err)
		}
	}
	if err := os.Remove(filepath.Join(dir, "cgroup.procs")); err != nil {
		t.Fatal(err)
	}
	if _, err := hierarchyV2(tree); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("where nothing can be moved: %v", err)
	}
}

// TestScopeStarts has a script in systemd-run's place, which no machine of the tests offers a manager for: what it is
// called with, and that what it starts does not learn where the manager is.
func TestScopeStarts(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "systemd-run")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho \"$@\" > "+dir+"/args\necho \"$XDG_RUNTIME_DIR\" > "+dir+
		"/bus\nwhile [ \"$1\" != -- ]; do shift; done; shift; exec \"$@\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_RUNTIME_DIR", "/run/user/7")
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/bus")
	s := &scope{run: script, ctl: "/bin/true", user: true, unit: "a.scope", slice: "b.slice", limits: Limits{Memory: gib, Processes: 9, CPU: 0.5}}
	g := &Group{bounds: s}
	out, err := os.Create(filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/bin/sh", "-c", `echo "$DBUS_SESSION_BUS_ADDRESS,$XDG_RUNTIME_DIR,$SECRET"`)
	cmd.Env, cmd.Stdout, cmd.Stderr = []string{"SECRET=x", "XDG_RUNTIME_DIR=/tmp/mine", "PATH=/usr/bin:/bin"}, out, out
	await(t, begin(t, g, cmd), "the script ends")
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	if got := read(t, out.Name()); got != ",/tmp/mine,x\n" {
		t.Errorf("the process has %q", got)
	}
	if got := read(t, filepath.Join(dir, "bus")); got != "/run/user/7\n" {
		t.Errorf("systemd-run has %q", got)
	}
	args := read(t, filepath.Join(dir, "args"))
	for _, want := range []string{
		"--scope --quiet --unit=a.scope --slice=b.slice --user --property=MemoryMax=1073741824 --property=MemorySwapMax=0 --property=TasksMax=9 --property=CPUQuota=50% -- ",
	} {
		if !strings.HasPrefix(args, want) || strings.Contains(args, "SECRET=x") {
			t.Errorf("systemd-run is called with %s", args)
		}
	}
}

func TestScopeClaimsWhatItSees(t *testing.T) {
	held := heldByScope("memory.max 67108864\npids.max max\ncpu.max \n")
	if len(held) != 1 || held[Memory] != Scope {
		t.Errorf("%v", held)
	}
	if _, err := newScope(Options{Owner: "a", Name: "b"}, cgroups{}); err == nil {
		t.Error("a scope is claimed where no group is mounted")
	}
}
