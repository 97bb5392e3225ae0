package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestManual(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	first, second := t.TempDir(), t.TempDir()
	for _, dir := range []string{first, second} {
		if err := write(dir); err != nil {
			t.Fatal(err)
		}
	}
	for file, want := range map[string]string{
		"man1/stellwerk.1":                 "Nov 2023",
		"man1/stellwerk-run.1":             "--dry-run",
		"man1/stellwerk-playbook-import.1": "phases.conf",
		"completions/stellwerk.bash":       "__start_stellwerk",
		"completions/_stellwerk":           "#compdef stellwerk",
		"completions/stellwerk.fish":       "complete -c stellwerk",
	} {
		data, err := os.ReadFile(filepath.Join(first, file))
		if err != nil {
			t.Error(err)
			continue
		}
		if !strings.Contains(string(data), want) {
			t.Errorf("%s lacks %q", file, want)
		}
		again, err := os.ReadFile(filepath.Join(second, file))
		if err != nil || string(again) != string(data) {
			t.Errorf("%s differs when written again (%v)", file, err)
		}
	}
	// What only the program itself starts is in nobody's manual.
	if _, err := os.Stat(filepath.Join(first, "man1/stellwerk-worker.1")); err == nil {
		t.Error("there is a page for a hidden command")
	}
}
