package sandbox

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// pretend puts a program named bwrap first and alone on PATH.
func pretend(t *testing.T, script string) string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	return tool(t, filepath.Join(dir, "bwrap"), "#!/bin/sh\n"+script+"\n")
}

// TestEverythingASandboxIsMadeOf compares whole arguments: each one that is missing is a way out.
func TestEverythingASandboxIsMadeOf(t *testing.T) {
	bwrap := pretend(t, "echo bubblewrap 0.8.0")
	top := t.TempDir()
	dir, file, deep := folder(t, top, "dir"), write(t, filepath.Join(top, "file"), ""), link(t, "dir", filepath.Join(top, "link"))
	toFolder, toNothing, elsewhere := link(t, "dir", filepath.Join(top, "to-folder")), link(t, "none", filepath.Join(top, "to-nothing")), t.TempDir()
	p := plan{mounts: []mount{
		{"/usr", readOnly}, {top, readOnly}, {dir, writable}, {deep, readOnly}, {file, hidden}, {toFolder, hidden}, {toNothing, hidden}, {dir + "/sub", hidden}, {elsewhere, hidden},
	}}
	folder(t, dir, "sub")
	for _, tmp := range []string{"", "/var/lib/some"} {
		want := []string{
			bwrap, "--seccomp", "3", "--unshare-user", "--disable-userns", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try",
			"--die-with-parent", "--new-session", "--cap-drop", "ALL", "--proc", "/proc", "--dev", "/dev", "--args", "4", "--tmpfs", "/dev/shm", "--remount-ro", "/dev",
		}
		for _, path := range []string{"/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs", "/proc/acpi", "/proc/scsi"} {
			if exists(path) {
				want = append(want, "--ro-bind", path, path)
			}
		}
		for _, path := range []string{"/proc/keys", "/proc/key-users"} {
			if exists(path) {
				want = append(want, "--ro-bind", "/dev/null", path)
			}
		}
		if tmp == "" {
			want = append(want, "--tmpfs", "/tmp")
		} else {
			want = append(want, "--bind", tmp, "/tmp")
		}
		want = append(want, "--tmpfs", "/var/tmp", "--dir", "/run", "--ro-bind", "/usr", "/usr", "--ro-bind", top, top, "--bind", dir, dir, "--ro-bind", deep, deep,
			"--ro-bind", "/dev/null", file, "--tmpfs", toFolder, "--tmpfs", dir+"/sub")
		for _, path := range []string{"/etc/ssl/private", "/etc/pki/tls/private"} {
			if exists(path) {
				want = append(want, "--tmpfs", path)
			}
		}
		want = append(want, "--remount-ro", "/", "--chdir", dir, "--", "some", "--program")
		launch, err := bubblewrap(p, Spec{Argv: []string{"some", "--program"}, Dir: dir, Tmp: tmp})
		if err != nil || !slices.Equal(launch.Argv, want) {
			t.Errorf("%v, the arguments are\n%q\nwant\n%q", err, launch.Argv, want)
		}
		if len(launch.filter) == 0 || len(launch.filter)%8 != 0 {
			t.Errorf("the filter has %d bytes", len(launch.filter))
		}
	}
	if target, err := os.Readlink("/bin"); err == nil {
		if got := mountArgs(p, mount{"/bin", readOnly}, nil); !slices.Equal(got, []string{"--symlink", target, "/bin"}) {
			t.Errorf("a system's link is mounted with %q", got)
		}
	}
}

// TestFirstProcess is one that reaps: bubblewrap's own, unless the command or its starter can be the first.
func TestFirstProcess(t *testing.T) {
	for _, c := range []struct {
		version string
		spec    Spec
		own     bool
	}{
		{"0.8.0", Spec{}, false},
		{"0.8.0", Spec{First: true}, true},
		{"0.8.0", Spec{Network: Network{Closed: true, Starter: []string{"bridge"}}}, true},
		{"0.8.0", Spec{Network: Network{Closed: true}}, false},
		{"0.7.0", Spec{First: true}, false},
	} {
		pretend(t, "echo bubblewrap "+c.version)
		c.spec.Argv, c.spec.Dir = []string{"some"}, "/"
		launch, err := bubblewrap(plan{}, c.spec)
		if err != nil || slices.Contains(launch.Argv, "--as-pid-1") != c.own {
			t.Errorf("%s, %+v: %v, %q", c.version, c.spec, err, launch.Argv)
		}
	}
}

// TestBubblewrapIsAskedOnce: whoever knows the file's version does not ask it again, but asks another file in its place, one that
// was written to, and one of which nothing is known.
func TestBubblewrapIsAskedOnce(t *testing.T) {
	count := filepath.Join(t.TempDir(), "count")
	script := func(version string) string { return "echo asked >> '" + count + "'; echo bubblewrap " + version }
	path := pretend(t, script("0.8.1"))
	times := func() int {
		text, err := os.ReadFile(count)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return strings.Count(string(text), "asked")
	}
	known := FindBubblewrap()
	if known.Version != "0.8" || !strings.HasPrefix(known.File, path+":") {
		t.Fatalf("found is %+v", known)
	}
	expect := func(what string, known Bubblewrap, minor, asked int) {
		t.Helper()
		before := times()
		found, err := findBubblewrap(known)
		if err != nil || found.minor != minor || found.path != path || times()-before != asked {
			t.Errorf("%s: %+v, %v, asked %d times", what, found, err, times()-before)
		}
	}
	expect("the same file", known, 8, 0)
	expect("nothing is known", Bubblewrap{}, 8, 1)
	expect("the version is not one", Bubblewrap{Version: "new", File: known.File}, 8, 1)
	tool(t, path, "#!/bin/sh\n"+script("0.7.1")+"\n")
	expect("written to, of the same size", known, 7, 1)
	other := tool(t, path+".new", "#!/bin/sh\n"+script("0.6.1")+"\n")
	if err := os.Rename(other, path); err != nil {
		t.Fatal(err)
	}
	expect("another in its place", known, 6, 1)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := findBubblewrap(known); !errors.Is(err, ErrUnavailable) {
		t.Errorf("a file that is gone: %v", err)
	}
	if found := FindBubblewrap(); found != (Bubblewrap{}) {
		t.Errorf("found without one is %+v", found)
	}
}

// TestABubblewrapThatIsNoUse: it is missing, says what nobody understands, fails, or isolates nothing.
func TestABubblewrapThatIsNoUse(t *testing.T) {
	const talks = `if [ "$1" = --version ]; then echo bubblewrap 0.11.0; exit; fi; `
	for name, c := range map[string]struct {
		script, want string
		found        bool // as a program that can be asked for
	}{
		"other words":         {"echo 'burrito 1.0'; echo second line", `reports the version "burrito 1.0"`, false},
		"no number":           {"echo bubblewrap x", `reports the version "bubblewrap x"`, false},
		"fails at once":       {"echo; echo broken; echo loader; exit 3", "bwrap: exit status 3: broken", false},
		"cannot isolate":      {talks + "echo setting up uid map: Permission denied; echo more; exit 1", "does not work here: exit status 1: setting up uid map: Permission denied; user", true},
		"does not complain":   {talks + `[ "$PATH" = "${0%/bwrap}" ]`, "", true},
		"shows what it likes": {talks + `until [ "$1" = -- ]; do shift; done; shift; exec "$@"`, "does not work here", true},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "shows what it likes" && os.Geteuid() != 0 {
				t.Skip("only root can write to /usr outside")
			}
			path := pretend(t, c.script)
			kind, reason := Detect(t.Context())
			if c.want == "" {
				if kind != Sandbox || reason != path {
					t.Errorf("it is %s: %s", kind, reason)
				}
				return
			}
			if kind != None || !strings.Contains(reason, c.want) || !strings.Contains(reason, path) || strings.HasSuffix(reason, "; install it, or use --isolation none") == c.found {
				t.Errorf("it is %s: %s", kind, reason)
			}
			_, err := Command(Sandbox, Spec{Argv: []string{"/bin/sh"}, Dir: "/", Private: []string{}})
			if errors.Is(err, ErrUnavailable) == c.found {
				t.Errorf("asked for: %v", err)
			}
			if got := Weakness(); got != "" {
				t.Errorf("what is not there is weak: %s", got)
			}
		})
	}
	for program, want := range map[bubblewrapProgram]bool{
		{minor: 7}: false, {minor: 8}: true, {minor: 9}: true, {major: 1}: true, {minor: 8, setuid: true}: false, {major: 1, setuid: true}: false,
	} {
		if program.disablesUserns() != want {
			t.Errorf("%+v can forbid namespaces: %v", program, !want)
		}
	}
}

// TestOtherSystems have another program, or none.
func TestOtherSystems(t *testing.T) {
	spec := Spec{Argv: []string{"/bin/sh", "-c", "true"}, Dir: "/usr", Private: []string{}}
	launch, err := commandOn("darwin", Sandbox, spec)
	if err != nil || len(launch.Argv) != 7 || launch.filter != nil {
		t.Fatalf("%q, %v", launch.Argv, err)
	}
	if !slices.Equal(slices.Delete(slices.Clone(launch.Argv), 2, 3), []string{seatbeltProgram, "-p", "--", "/bin/sh", "-c", "true"}) || !strings.HasPrefix(launch.Argv[2], "(version 1)\n(deny default)\n") {
		t.Errorf("the arguments are %q", launch.Argv)
	}
	if _, err := commandOn("plan9", Sandbox, spec); !errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(), "plan9") {
		t.Errorf("got %v", err)
	}
}

// TestTheRulesOfSeatbelt: the last one that fits decides, so their order is that of the plan.
func TestTheRulesOfSeatbelt(t *testing.T) {
	p := plan{mounts: []mount{{"/usr", readOnly}, {"/work", writable}, {"/usr/local/state", hidden}}}
	within := func(s string) string { return "/private" + s }
	got := seatbeltProfile(p, Spec{}, within)
	want := `(allow file-read* (literal "/"))
(allow network*)
(allow file-read* (subpath "/private/usr"))
(deny file-write* (require-all (subpath "/private/usr") (require-not (subpath "/dev"))))
(allow file-read* file-write* (subpath "/private/work"))
(deny file-read* file-write* (subpath "/private/usr/local/state"))
`
	if _, rules, _ := strings.Cut(got, "\n(allow file-read* (lit"); "(allow file-read* (lit"+rules != want {
		t.Errorf("the rules are\n%s\nwant\n%s", rules, want)
	}
	if with := seatbeltProfile(p, Spec{Tmp: "/t"}, within); with != got+"(allow file-read* file-write* (subpath \"/private/t\"))\n" {
		t.Errorf("with a folder for temporary files:\n%s", with)
	}
	closed := seatbeltProfile(p, Spec{Network: Network{Closed: true, Port: 4711}}, within)
	if n := strings.Count(closed, "network-outbound"); n != 1 || !strings.Contains(closed, `(allow network-outbound (remote ip "localhost:4711"))`) ||
		strings.Contains(closed, "network*") {
		t.Errorf("with a closed network:\n%s", closed)
	}
	if none := seatbeltProfile(p, Spec{Network: Network{Closed: true}}, within); strings.Contains(none, "network-outbound") {
		t.Errorf("with a closed network and no way out:\n%s", none)
	}
	dir := t.TempDir()
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	if to := link(t, dir, filepath.Join(t.TempDir(), "link")); resolve(to) != real || resolve(to+"/none") != to+"/none" {
		t.Errorf("%s leads to %s, and %s/none to %s", to, resolve(to), to, resolve(to+"/none"))
	}
}

func descriptors(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// TestAStartLeavesNothingOpen, whether it succeeds or not, and says how it ended.
func TestAStartLeavesNothingOpen(t *testing.T) {
	if err := exec.Command("/bin/true").Run(); err != nil { // opens what the runtime keeps
		t.Fatal(err)
	}
	for _, filter := range [][]byte{nil, []byte("filter")} {
		before := descriptors(t)
		for program, works := range map[string]bool{"/bin/true": true, "/no/such/program": false} {
			cmd := exec.Command(program)
			done, err := Launch{filter: filter}.Start(cmd)
			if (err == nil) != works {
				t.Fatalf("%s: %v", program, err)
			}
			if <-done; works && !cmd.ProcessState.Success() {
				t.Errorf("%s: %v", program, cmd.ProcessState)
			}
		}
		if after := descriptors(t); after != before {
			t.Errorf("%d descriptors are open, before there were %d", after, before)
		}
	}
	for _, filter := range []string{"", "the filter"} {
		var out strings.Builder
		cmd := exec.Command("/bin/sh", "-c", "test ! -e /proc/self/fd/3 || cat <&3")
		cmd.Stdout = &out
		launch := Launch{filter: []byte(filter)}
		if filter == "" {
			launch.filter = nil
		}
		done, err := launch.Start(cmd)
		if err != nil {
			t.Fatal(err)
		}
		if <-done; out.String() != filter || !cmd.ProcessState.Success() || len(cmd.ExtraFiles) != min(len(filter), 2) {
			t.Errorf("it can read %q, %v, and is given %d files", out.String(), cmd.ProcessState, len(cmd.ExtraFiles))
		}
	}
}

// TestMemoryFoldersAreBounded fills every folder that is kept in memory.
func TestMemoryFoldersAreBounded(t *testing.T) {
	requireSandbox(t)
	masked := folder(t, t.TempDir(), "masked")
	spec := Spec{Dir: "/", ReadOnly: []string{filepath.Dir(masked)}, Masked: []string{masked}, MemoryFiles: 1 << 20}
	out := mustInside(t, spec, `for d in /tmp /var/tmp /dev/shm `+masked+`; do head -c 4194304 /dev/zero > $d/file 2>/dev/null; wc -c < $d/file; done
		(: > /dev/file) 2>/dev/null || echo no file in /dev`)
	if want := strings.Repeat("1048576\n", 4); !strings.HasPrefix(out, want) || !strings.HasSuffix(out, "no file in /dev\n") {
		t.Errorf("it wrote %s", out)
	}
	old := bubblewrapProgram{minor: 6}
	if args := old.inMemory(1 << 20)("/tmp"); old.boundsMemory() || !slices.Equal(args, []string{"--tmpfs", "/tmp"}) {
		t.Errorf("an old bubblewrap is called with %q", args)
	}
}
