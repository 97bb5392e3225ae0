package sandbox

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/program"
	"github.com/stellwerk-dev/stellwerk/internal/tooltest"
)

func requireSandbox(t *testing.T) {
	t.Helper()
	kind, reason := Detect(t.Context())
	if kind != Sandbox {
		tooltest.Unisolated(t, reason)
	}
}

// inside runs a shell script under the sandbox and returns what it printed.
func inside(t *testing.T, spec Spec, attr *syscall.SysProcAttr, script string) (string, error) {
	t.Helper()
	spec.Argv = []string{"/bin/sh", "-c", script}
	spec.Env = []string{"PATH=" + os.Getenv("PATH")}
	launch, err := Command(Sandbox, spec)
	if err != nil {
		t.Fatal(err)
	}
	return launched(t, launch, spec.Env, attr)
}

// launched starts what was made ready and returns what it printed.
func launched(t *testing.T, launch Launch, env []string, attr *syscall.SysProcAttr) (string, error) {
	t.Helper()
	var out bytes.Buffer
	cmd := exec.CommandContext(t.Context(), launch.Argv[0], launch.Argv[1:]...)
	cmd.Env, cmd.SysProcAttr, cmd.Stdout, cmd.Stderr = env, attr, &out, &out
	done, err := launch.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	if <-done; !cmd.ProcessState.Success() {
		return out.String(), &exec.ExitError{ProcessState: cmd.ProcessState}
	}
	return out.String(), nil
}

func mustInside(t *testing.T, spec Spec, script string) string {
	t.Helper()
	out, err := inside(t, spec, nil, script)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return out
}

func folder(t *testing.T, parts ...string) string {
	t.Helper()
	dir := filepath.Join(parts...)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func write(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestShowsOnlyWhatIsListed(t *testing.T) {
	requireSandbox(t)
	state := t.TempDir()
	work, in := folder(t, state, "work"), folder(t, state, "in")
	write(t, filepath.Join(state, "stellwerk.db"), "secret")
	write(t, filepath.Join(in, "plan.md"), "plan")
	spec := Spec{Dir: work, Writable: []string{work}, ReadOnly: []string{in}}

	if out := mustInside(t, spec, "ls "+state); out != "in\nwork\n" {
		t.Errorf("the state folder shows %q", out)
	}
	if out := mustInside(t, spec, "cat "+in+"/plan.md; echo done > result"); out != "plan" {
		t.Errorf("input reads %q", out)
	}
	if got, err := os.ReadFile(filepath.Join(work, "result")); err != nil || string(got) != "done\n" {
		t.Errorf("the workspace was not written: %q, %v", got, err)
	}
	for _, script := range []string{
		"echo x > " + in + "/plan.md", "rm " + in + "/plan.md", "echo x > /new",
		"echo x > /usr/new", "cat /etc/shadow", "ls " + realHome(t), "rmdir " + work,
	} {
		if out, err := inside(t, spec, nil, script); err == nil {
			t.Errorf("%s was possible: %s", script, out)
		}
	}
	// The tests' folder is below /tmp, where a write succeeds inside and must not arrive outside.
	mustInside(t, spec, "echo x > "+state+"/new")
	if _, err := os.Stat(filepath.Join(state, "new")); err == nil {
		t.Error("a file was created in the state folder")
	}
}

func realHome(t *testing.T) string {
	t.Helper()
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	return home
}

func TestProgramsAndNamesWorkInside(t *testing.T) {
	requireSandbox(t)
	dir := t.TempDir()
	spec := Spec{Dir: dir, Writable: []string{dir}}
	own := "/tmp/" + rand.Text()
	out := mustInside(t, spec, fmt.Sprintf("git --version && id -un && getent hosts localhost && echo hi > %[1]s && cat %[1]s && pwd", own))
	if !strings.Contains(out, "git version") || !strings.Contains(out, "hi\n"+dir) {
		t.Errorf("got %q", out)
	}
	if _, err := os.Stat(own); err == nil {
		t.Error("/tmp is shared with the machine")
	}
}

func TestOwnProcessesOnly(t *testing.T) {
	requireSandbox(t)
	dir := t.TempDir()
	out := mustInside(t, Spec{Dir: dir, Writable: []string{dir}}, "ls -d /proc/[0-9]* | wc -l")
	if n := strings.TrimSpace(out); n != "2" && n != "3" && n != "4" {
		t.Errorf("%s processes are visible", n)
	}
}

// The files are opened and never written: as root, a write that gets through changes the whole machine.
func TestKernelSettingsCannotBeOpenedForWriting(t *testing.T) {
	requireSandbox(t)
	dir := t.TempDir()
	spec := Spec{Dir: dir, Writable: []string{dir}}
	for _, file := range []string{"/proc/sys/kernel/core_pattern", "/proc/sys/kernel/hostname", "/proc/sysrq-trigger"} {
		if out, err := inside(t, spec, nil, "dd if=/dev/null count=0 conv=notrunc of="+file); err == nil {
			t.Errorf("%s opens for writing: %s", file, out)
		}
	}
	out := mustInside(t, spec, "grep CapEff /proc/self/status")
	if !strings.HasSuffix(strings.TrimSpace(out), "0000000000000000") {
		t.Errorf("capabilities are left: %s", out)
	}
}

func TestDeeperPathWins(t *testing.T) {
	requireSandbox(t)
	top := t.TempDir()
	private, inner := folder(t, top, "private"), folder(t, top, "private", "shown")
	write(t, filepath.Join(private, "key"), "secret")
	write(t, filepath.Join(inner, "file"), "open")
	spec := Spec{Dir: top, Writable: []string{top}, Masked: []string{private}, ReadOnly: []string{inner}}
	if out := mustInside(t, spec, "ls private; cat private/shown/file"); out != "shown\nopen" {
		t.Errorf("got %q", out)
	}
}

func TestTmpFolder(t *testing.T) {
	requireSandbox(t)
	dir, tmp := t.TempDir(), t.TempDir()
	mustInside(t, Spec{Dir: dir, Writable: []string{dir}, Tmp: tmp}, "echo big > /tmp/file")
	if got, err := os.ReadFile(filepath.Join(tmp, "file")); err != nil || string(got) != "big\n" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestRefusals(t *testing.T) {
	dir := t.TempDir()
	ours := folder(t, dir, "ours")
	if err := os.Symlink("/etc", filepath.Join(ours, "link")); err != nil {
		t.Fatal(err)
	}
	hiddenTool := write(t, filepath.Join(dir, "tool"), "#!/bin/sh\n")
	if err := os.Chmod(hiddenTool, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(ours, "plain"), "#!/bin/sh\n")
	if err := os.Chmod(write(t, filepath.Join(ours, "script"), "#!/no/such/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	base := Spec{Argv: []string{"/bin/sh"}, Dir: ours, Writable: []string{ours}}
	for name, c := range map[string]struct {
		change func(*Spec)
		want   error
		text   string
	}{
		"relative path":        {func(s *Spec) { s.ReadOnly = []string{"x"} }, nil, "not absolute"},
		"unclean path":         {func(s *Spec) { s.ReadOnly = []string{ours + "/../x"} }, nil, "not absolute and clean"},
		"root":                 {func(s *Spec) { s.ReadOnly = []string{"/"} }, nil, "/ cannot be shown"},
		"missing path":         {func(s *Spec) { s.ReadOnly = []string{dir + "/none"} }, os.ErrNotExist, ""},
		"two kinds of access":  {func(s *Spec) { s.ReadOnly = []string{ours} }, nil, "listed twice"},
		"mount through a link": {func(s *Spec) { s.ReadOnly = []string{ours + "/link"} }, nil, "symbolic link"},
		"hidden program":       {func(s *Spec) { s.Argv = []string{hiddenTool} }, ErrNotVisible, "read-only paths"},
		"hidden on PATH":       {func(s *Spec) { s.Argv, s.Env = []string{"tool"}, []string{"PATH=" + dir} }, ErrNotVisible, ""},
		"no program":           {func(s *Spec) { s.Argv, s.Env = []string{"nix-da"}, []string{"PATH=/usr/bin"} }, ErrNoProgram, `"nix-da" is in no directory of PATH=/usr/bin`},
		"no execute bit":       {func(s *Spec) { s.Argv = []string{"./plain"} }, program.ErrNotExecutable, "chmod +x ./plain"},
		"no execute bit, PATH": {func(s *Spec) { s.Argv, s.Env = []string{"plain"}, []string{"PATH=" + ours + ":/usr/bin"} }, program.ErrNotExecutable, "chmod +x"},
		"bad interpreter":      {func(s *Spec) { s.Argv = []string{"./script"} }, program.ErrInterpreter, "names /no/such/sh"},
		"hidden directory":     {func(s *Spec) { s.Dir = dir }, ErrNotVisible, "working directory"},
		"no argv":              {func(s *Spec) { s.Argv = nil }, nil, "no program"},
	} {
		t.Run(name, func(t *testing.T) {
			spec := base
			c.change(&spec)
			_, err := Command(Sandbox, spec)
			if err == nil || (c.want != nil && !errors.Is(err, c.want)) || !strings.Contains(err.Error(), c.text) {
				t.Errorf("got %v", err)
			}
		})
	}
	if _, err := Command("container", base); !errors.Is(err, ErrUnavailable) {
		t.Errorf("unknown kind: %v", err)
	}
}

func TestNoneChangesNothing(t *testing.T) {
	launch, err := Command(None, Spec{Argv: []string{"x", "y"}})
	if err != nil || !slices.Equal(launch.Argv, []string{"x", "y"}) {
		t.Errorf("%v, %v", launch.Argv, err)
	}
}

func TestVisiblePathDropsHomeFolders(t *testing.T) {
	dir := t.TempDir()
	shown, hidden := folder(t, dir, "shown", "bin"), folder(t, dir, "home", ".cargo", "bin")
	got, err := VisiblePath(strings.Join([]string{hidden, shown, "relative", "/usr/bin", "/missing"}, ":"),
		Spec{Dir: "/", ReadOnly: []string{filepath.Dir(shown)}})
	if err != nil || got != shown+":/usr/bin" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestVisiblePathDropsPrivateFolders(t *testing.T) {
	dir := t.TempDir()
	shown, private := folder(t, dir, "shown", "bin"), "/usr/bin"
	got, err := VisiblePath(shown+":"+private, Spec{Dir: "/", ReadOnly: []string{shown}, Private: []string{private}})
	if err != nil || got != shown {
		t.Errorf("%q, %v", got, err)
	}
}

func TestDetectSaysWhy(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	kind, reason := Detect(t.Context())
	if kind != None || !strings.Contains(reason, "bubblewrap is not installed") {
		t.Errorf("%s: %s", kind, reason)
	}
	broken := t.TempDir()
	write(t, filepath.Join(broken, "bwrap"), "#!/bin/sh\necho setting up uid map: Permission denied >&2\nexit 1\n")
	if err := os.Chmod(filepath.Join(broken, "bwrap"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", broken)
	if kind, reason = Detect(t.Context()); kind != None || !strings.Contains(reason, "Permission denied") {
		t.Errorf("%s: %s", kind, reason)
	}
}

// TestOldBubblewrap has a program that knows fewer options than today's.
func TestOldBubblewrap(t *testing.T) {
	dir := t.TempDir()
	old := write(t, filepath.Join(dir, "bwrap"), "#!/bin/sh\necho bubblewrap 0.6.1\n")
	if err := os.Chmod(old, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	for _, c := range []struct {
		version, weakness string
		mode              os.FileMode
	}{
		{"0.6.1", "is version 0.6", 0o755},
		{"0.11.0", "is installed setuid", 0o755 | os.ModeSetuid},
		{"0.8.0", "", 0o755},
		{"1.0.0", "", 0o755},
	} {
		write(t, old, "#!/bin/sh\necho bubblewrap "+c.version+"\n")
		if err := os.Chmod(old, c.mode); err != nil {
			t.Fatal(err)
		}
		launch, err := commandOn("linux", Sandbox, Spec{Argv: []string{"/bin/sh"}, Dir: "/"})
		if err != nil {
			t.Fatal(err)
		}
		if slices.Contains(launch.Argv, "--disable-userns") != (c.weakness == "") || !slices.Contains(launch.Argv, "--unshare-user") {
			t.Errorf("%s: %q", c.version, launch.Argv)
		}
		if got := Weakness(); !strings.Contains(got, c.weakness) || (got == "") != (c.weakness == "") {
			t.Errorf("%s: %q", c.version, got)
		}
	}
}

func TestSeatbeltProfile(t *testing.T) {
	p, err := newPlan([]string{"/usr"}, Spec{Dir: "/", Masked: []string{"/usr/local/state"}})
	if err != nil {
		t.Fatal(err)
	}
	p.mounts = append(p.mounts, mount{`/srv/"odd"\name`, writable})
	got := seatbeltProfile(p, Spec{Tmp: "/tmp/private"}, func(s string) string { return strings.Replace(s, "/tmp", "/private/tmp", 1) })
	for _, want := range []string{
		"(deny default)\n",
		`(allow file-read* (subpath "/usr"))`,
		`(deny file-read* file-write* (subpath "/usr/local/state"))`,
		`(allow file-read* file-write* (subpath "/srv/\"odd\"\\name"))`,
		`(allow file-read* file-write* (subpath "/private/tmp/private"))`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	if strings.Index(got, `"/usr"))`) > strings.Index(got, `"/usr/local/state"`) {
		t.Error("a deeper rule must come later: the last match wins")
	}
	if bytes.Count([]byte(got), []byte("(")) != bytes.Count([]byte(got), []byte(")")) {
		t.Error("unbalanced parentheses")
	}
}
