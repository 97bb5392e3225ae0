package program

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func write(t *testing.T, dir, name, text string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLook(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	plain := write(t, first, "both", "", 0o644)
	good := write(t, second, "both", "", 0o755)
	write(t, first, "plain", "", 0o644)
	if err := os.Mkdir(filepath.Join(first, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	path := strings.Join([]string{"relative", first, second}, ":")
	if got, err := Look(path, "both"); err != nil || got != good {
		t.Errorf("%s before %s: %q, %v", plain, good, got, err)
	}
	for name, want := range map[string]error{"plain": ErrNotExecutable, "folder": ErrMissing, "none": ErrMissing} {
		if got, err := Look(path, name); !errors.Is(err, want) || !Hopeless(err) || got != "" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if _, err := Look(path, "plain"); !strings.Contains(err.Error(), "is not executable: chmod +x "+first+"/plain") {
		t.Errorf("what helps is not said: %v", err)
	}
}

func TestCheckInterpreter(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "here", "", 0o755)
	for text, missing := range map[string]bool{
		"#!/bin/sh -e\n": false, "no script": false, "": false, "#!\n": false,
		"#!/no/such/sh\n": true, "#!/usr/bin/env here\n": false, "#!/usr/bin/env gone\nx": true, "#!/usr/bin/env -S gone\n": false,
	} {
		script := write(t, dir, "script", text, 0o755)
		err := CheckInterpreter(script, Interpreter(script), dir)
		if errors.Is(err, ErrInterpreter) != missing || missing && !strings.Contains(err.Error(), script) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
