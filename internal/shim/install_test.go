package shim

import (
	"debug/buildinfo"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"testing"
)

// installInto makes a copy of the test binary the program that installs itself, into this folder.
const installInto = "SHIM_TEST_INSTALL_INTO"

// InterceptInstall is for TestMain, which belongs to another package.
func InterceptInstall() {
	dir := os.Getenv(installInto)
	if dir == "" {
		return
	}
	programs, err := InstallSelf(dir)
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(programs)
	}
	if err != nil {
		panic(err)
	}
	os.Exit(0)
}

// installedBy runs a program that installs itself.
func installedBy(t *testing.T, program, dir string) Programs {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Env = append(os.Environ(), installInto+"="+dir)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var programs Programs
	if err := json.Unmarshal(out, &programs); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return programs
}

func buildWorker(t *testing.T, path string) {
	t.Helper()
	// A test binary knows no commit, either.
	cmd := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-o", path, "github.com/stellwerk-dev/stellwerk/cmd/stellwerk-worker")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// TestTheWorkerBesideAProgramIsCopied has a program with the worker beside it, the copy that an engine in the background runs
// from, a program alone, and one with something else beside it.
func TestTheWorkerBesideAProgramIsCopied(t *testing.T) {
	from, dir := t.TempDir(), t.TempDir()
	program, worker := filepath.Join(from, "stellwerk"), filepath.Join(from, workerName)
	content, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, content, 0o755); err != nil {
		t.Fatal(err)
	}
	if alone := installedBy(t, program, t.TempDir()); alone.Worker != alone.Self {
		t.Errorf("alone it has the worker %s", alone.Worker)
	}
	buildWorker(t, worker)
	first := installedBy(t, program, dir)
	if first.Worker == first.Self || filepath.Base(first.Worker) != workerName || sameFile(worker, first.Worker) {
		t.Fatalf("installed are %+v", first)
	}
	if err := os.RemoveAll(from); err != nil {
		t.Fatal(err)
	}
	if again := installedBy(t, first.Self, dir); again != first {
		t.Errorf("the copy installs %+v instead of %+v", again, first)
	}
	if err := os.Remove(filepath.Join(filepath.Dir(first.Self), workerName)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(first.Self), workerName), content, 0o755); err != nil {
		t.Fatal(err)
	}
	if wrong := installedBy(t, first.Self, dir); wrong.Worker != wrong.Self {
		t.Errorf("it takes another program for its worker: %+v", wrong)
	}
}

// TestAWorkerOfAnotherBuildIsNotUsed: after half an upgrade a program does without.
func TestAWorkerOfAnotherBuildIsNotUsed(t *testing.T) {
	path := filepath.Join(t.TempDir(), workerName)
	buildWorker(t, path)
	own, err := buildinfo.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !builtWith(own, path) {
		t.Error("the same build is refused")
	}
	newer := *own
	newer.Main.Version = "v9.9.9"
	other := *own
	other.Settings = append(slices.Clone(own.Settings), debug.BuildSetting{Key: "vcs.revision", Value: "1234"})
	changed := *own
	changed.Settings = append(slices.Clone(own.Settings), debug.BuildSetting{Key: "vcs.modified", Value: "true"})
	for name, b := range map[string]*debug.BuildInfo{"a newer release": &newer, "another commit": &other, "a changed tree": &changed} {
		if builtWith(b, path) {
			t.Errorf("%s takes it", name)
		}
	}
}

// TestACopyIsMadeOfEveryVersion overwrites a program in place, with as many bytes and the times it had before: what runs
// beside agents is the new one, and the old copy stays for those that still run.
func TestACopyIsMadeOfEveryVersion(t *testing.T) {
	dir, program := t.TempDir(), filepath.Join(t.TempDir(), "stellwerk")
	copied := func(content string) string {
		t.Helper()
		file, err := os.Open(program)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = file.Close() }()
		path, err := install(file, dir, programName)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != content {
			t.Errorf("the copy holds %q, want %q: %v", got, content, err)
		}
		return path
	}
	write := func(content string) {
		t.Helper()
		if err := os.WriteFile(program, []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write("one")
	before, err := os.Stat(program)
	if err != nil {
		t.Fatal(err)
	}
	first := copied("one")
	if again := copied("one"); again != first {
		t.Errorf("the same program is at %s and %s", first, again)
	}
	write("two")
	if err := os.Chtimes(program, before.ModTime(), before.ModTime()); err != nil {
		t.Fatal(err)
	}
	if second := copied("two"); second == first {
		t.Error("a program that was overwritten is not copied again")
	}
	if content, err := os.ReadFile(first); err != nil || string(content) != "one" {
		t.Errorf("the first copy holds %q: %v", content, err)
	}
	if err := os.RemoveAll(filepath.Dir(first)); err != nil {
		t.Fatal(err)
	}
	write("one")
	copied("one")
	if err := os.RemoveAll(filepath.Dir(first)); err != nil {
		t.Fatal(err)
	}
	copied("one") // although the stamp says that it is there
}

// TestAKnownProgramIsNotReadAgain takes the file's content away: the copy is found without it.
func TestAKnownProgramIsNotReadAgain(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "0123456789abcdef", programName)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("copy"), 0o755); err != nil {
		t.Fatal(err)
	}
	source, err := os.Open(path) // any file will do
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = source.Close() }()
	identity, err := identify(source)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, stampOf(programName)), []byte(identity+" 0123456789abcdef\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got, err := install(source, dir, programName); err != nil || got != path {
		t.Errorf("the copy is at %s: %v", got, err)
	}
}
