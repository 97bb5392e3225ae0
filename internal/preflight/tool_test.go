package preflight

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// put writes a program that runs a line of shell, and returns its path.
func put(t *testing.T, line string, at ...string) string {
	t.Helper()
	file := filepath.Join(at...)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"+line+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestToolsOfAnyName: a program of the home folder that is another one inside is named, whatever it is called, if its
// version is another one, too.
func TestToolsOfAnyName(t *testing.T) {
	dir := t.TempDir()
	mine, theirs := filepath.Join(dir, "home", ".local", "bin"), filepath.Join(dir, "shown")
	for name, versions := range map[string][2]string{
		"checkit": {"echo checkit 8.2.0", "echo checkit 7.4.3"},
		"alike":   {"echo alike 1", "echo alike 1; true"},
		"mute":    {"exit 2", "exit 2"},
		"argued":  {"touch ran; echo 2", "echo 1"}, // no command of a line: it is only spoken of
	} {
		put(t, versions[0], mine, name)
		put(t, versions[1], theirs, name)
	}
	put(t, "touch "+dir+"/started", mine, "alone")
	in := stage(nil, run("CI=1 checkit -q argued && alike | mute"), run("alone || echo argued"))
	in.Playbook.Setup = "checkit --prepare"
	in.Place.Isolated, in.Place.Path, in.Place.ReadOnly = true, mine+":"+theirs+":/usr/bin:/bin", []string{theirs}
	found, err := Run(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	want := []core.ToolVersion{
		{Name: "alone", Outside: "at " + mine + "/alone"},
		{Name: "checkit", Outside: "checkit 8.2.0 at " + mine + "/checkit", Inside: "checkit 7.4.3 at " + theirs + "/checkit"},
	}
	if diff := cmp.Diff(want, found.Tools); diff != "" {
		t.Error(diff)
	}
	if _, err := os.Stat(dir + "/started"); err == nil {
		t.Error("a program that is not there inside was started")
	}
}

// TestToolsThatAreTooSlow: once time is up, what was not compared is named, the one under way first.
func TestToolsThatAreTooSlow(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	pipe := filepath.Join(dir, "asked")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for folder, version := range map[string]string{"mine": "2", "theirs": "1"} {
		put(t, "echo "+version, dir, folder, "first")
		put(t, "echo asked > "+pipe+"; exec sleep 600", dir, folder, "slow")
		put(t, "echo "+version, dir, folder, "third")
	}
	asked := make(chan error, 1)
	go func() {
		_, err := os.ReadFile(pipe)
		asked <- err
		cancel()
	}()
	in := stage(nil, run("third && slow && first"))
	in.Place.Isolated, in.Place.Path, in.Place.ReadOnly = true, dir+"/mine:"+dir+"/theirs:/usr/bin:/bin", []string{dir + "/theirs"}
	differ, uncompared := in.tools(ctx, commands(in.Playbook))
	if err := <-asked; err != nil {
		t.Fatal(err)
	}
	if len(differ) != 1 || differ[0].Name != "first" {
		t.Errorf("%+v", differ)
	}
	if diff := cmp.Diff([]string{"slow", "third"}, uncompared); diff != "" {
		t.Error(diff)
	}
}

// TestProgramsOfCommands: what a line starts counts, and not what it says.
func TestProgramsOfCommands(t *testing.T) {
	for line, want := range map[string][]string{
		"pytest -q && ruff check .":              {"pytest", "python3", "ruff"},
		"if lint a; then (cd b; grunt) | mv; fi": {"grunt", "lint", "mv"},
		".venv/bin/pytest":                       nil,
		"./gradlew test":                         {"java"},
		"echo node && test -f go":                nil,
		"timeout 60 sh -c 'jest --ci'":           {"jest"},
		"PATH=.venv/bin:$PATH tool":              nil,
		"ruff; $RUNNER; jest":                    {"ruff"},
		". .venv/bin/activate && pytest":         nil,
		"ruff; eval \"$(pyenv init -)\"; pytest": {"pyenv", "ruff"},
		"$(":                                     nil,
		"":                                       nil,
	} {
		if diff := cmp.Diff(want, programs([]string{line})); diff != "" {
			t.Errorf("%s: %s", line, diff)
		}
	}
}

// TestTools: a tool that is another file inside is asked for its version, one that is the same is not.
func TestTools(t *testing.T) {
	dir := t.TempDir()
	for folder, text := range map[string]string{"mine": "echo v2", "theirs": "echo v1"} {
		if err := os.Mkdir(filepath.Join(dir, folder), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, folder, "node"), []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	mine, theirs := filepath.Join(dir, "mine"), filepath.Join(dir, "theirs")
	in := stage(nil, run("npm run test"))
	in.Place.Isolated, in.Place.Path, in.Place.ReadOnly = true, mine+":"+theirs+":/usr/bin:/bin", []string{theirs}
	found, err := Run(t.Context(), in)
	if err != nil || len(found.Tools) != 1 || found.Tools[0].Outside != "v2 at "+mine+"/node" || found.Tools[0].Inside != "v1 at "+theirs+"/node" {
		t.Errorf("%+v, %v", found, err)
	}
	in.Place.ReadOnly = []string{mine, theirs}
	if found, err = Run(t.Context(), in); err != nil || len(found.Tools) != 0 {
		t.Errorf("what is shown differs: %+v, %v", found, err)
	}
}

// TestAVersionIsNotItsPlace: pip and others say where they are as well.
func TestAVersionIsNotItsPlace(t *testing.T) {
	for _, test := range []struct {
		a, b string
		same bool
	}{
		{"pip 24.0 from /home/me/lib (python 3.11)", "pip 24.0 from /usr/lib (python 3.11)", true},
		{"pip 24.0 from /home/me/lib (python 3.11)", "pip 23.2 from /home/me/lib (python 3.11)", false},
	} {
		if same := unplaced(test.a) == unplaced(test.b); same != test.same {
			t.Errorf("%q and %q: the same is %v", test.a, test.b, same)
		}
	}
}
