package shim

import (
	"os"
	"path/filepath"
	"testing"
)

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
		path, err := install(file, dir)
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
	if err := os.WriteFile(filepath.Join(dir, stampName), []byte(identity+" 0123456789abcdef\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got, err := install(source, dir); err != nil || got != path {
		t.Errorf("the copy is at %s: %v", got, err)
	}
}
