package main

import (
	"os"
	"slices"
	"strings"
	"testing"
)

func TestAFolderOfItsOwn(t *testing.T) {
	parent := t.TempDir()
	first, err := shortFolder(parent)
	if err != nil {
		t.Fatal(err)
	}
	second, err := shortFolder(parent)
	if err != nil || second == first {
		t.Fatalf("%s after %s, %v", second, first, err)
	}
	info, err := os.Stat(second)
	if err != nil || info.Mode() != os.ModeDir|os.ModeSticky|0o777 {
		t.Errorf("mode %v, %v: another user cannot write there, or can remove what is not theirs", info.Mode(), err)
	}
	if _, err := shortFolder(parent + "/none"); err == nil {
		t.Error("a folder was made in none")
	}
}

func TestAPersonsOwnFolderIsKept(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	env, remove := inMemory(shared)
	remove()
	if !slices.Equal(env, os.Environ()) {
		t.Errorf("the environment was changed: %q", env)
	}
}

func TestOnlyMemoryIsRoomy(t *testing.T) {
	for _, dir := range []string{"/proc", "/none"} {
		if roomy(dir) {
			t.Errorf("%s is taken for memory", dir)
		}
	}
}

func TestTestsAreInMemoryWhereThereIsRoom(t *testing.T) {
	if !roomy(shared) {
		t.Skip("no room in memory on this machine")
	}
	t.Setenv("TMPDIR", "")
	t.Setenv("GOTMPDIR", "")
	env, remove := inMemory(shared)
	dir, ok := strings.CutPrefix(env[len(env)-2], "TMPDIR="+shared+"/")
	if !ok || env[len(env)-1] != "GOTMPDIR="+os.TempDir() {
		t.Errorf("the environment ends with %q", env[len(env)-2:])
	}
	if _, err := os.Stat(shared + "/" + dir); err != nil {
		t.Error(err)
	}
	remove()
	if _, err := os.Stat(shared + "/" + dir); !os.IsNotExist(err) {
		t.Errorf("it is still there: %v", err)
	}
}
