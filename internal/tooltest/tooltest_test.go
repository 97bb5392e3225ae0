package tooltest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/tooltest"
)

// TestVersions: the tests run what the scripts fetch.
func TestVersions(t *testing.T) {
	for script, tool := range map[string]tooltest.Tool{"fetch-claude.sh": tooltest.Claude, "fetch-axe.sh": tooltest.Axe, "fetch-versitygw.sh": tooltest.VersityGW} {
		text, err := os.ReadFile(filepath.Join("..", "..", "scripts", script))
		if err != nil {
			t.Fatal(err)
		}
		version := string(tool[strings.LastIndex(string(tool), " ")+1:])
		if !strings.Contains(string(text), "version="+version+"\n") {
			t.Errorf("%s does not fetch version %s", script, version)
		}
	}
}

// TestNeedLacks is what TestALackingTool runs as another process.
func TestNeedLacks(t *testing.T) {
	if os.Getenv("TOOLBOX_LACKS") == "" {
		return // on its own it says nothing
	}
	tooltest.Need(t, tooltest.Claude)
	t.Error("it was found")
}

// TestALackingTool skips, and fails where CI says that it must be there.
func TestALackingTool(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		return // `make tools` installs it there only
	}
	for ci, want := range map[string]string{"": "--- SKIP", "false": "--- SKIP", "true": "--- FAIL"} {
		cmd := exec.Command(os.Args[0], "-test.run", "^TestNeedLacks$", "-test.v")
		cmd.Env = []string{"TOOLBOX_LACKS=1", "CI=" + ci, "STELLWERK_CLAUDE_BINARY=" + filepath.Join(t.TempDir(), "none")}
		out, err := cmd.CombinedOutput()
		if !strings.Contains(string(out), want) || !strings.Contains(string(out), "`make tools` installs it") || (err != nil) != (ci == "true") {
			t.Errorf("CI=%s: %v: %s", ci, err, out)
		}
	}
	t.Setenv("STELLWERK_CLAUDE_BINARY", filepath.Join(t.TempDir(), "none"))
	t.Setenv("CI", "true")
	if found, err := tooltest.Has(tooltest.Claude); found || err == nil {
		t.Errorf("a scenario hears %t, %v", found, err)
	}
	t.Setenv("CI", "")
	if found, err := tooltest.Has(tooltest.Claude); found || err != nil {
		t.Errorf("a scenario hears %t, %v", found, err)
	}
}

// TestAnyChromium: a machine that has Chrome needs no Chromium, and Chrome is what
// is taken where both are.
func TestAnyChromium(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("PATH", folder)
	if _, err := tooltest.Find(tooltest.Chromium); err == nil {
		t.Error("a browser was found in an empty folder")
	}
	for _, name := range []string{"chromium", "google-chrome"} {
		program := filepath.Join(folder, name)
		if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		if found, err := tooltest.Find(tooltest.Chromium); err != nil || found != program {
			t.Errorf("found %q, %v; not %s", found, err, program)
		}
	}
}

// TestUnisolatedEnds is what TestASandboxThatMustWork runs as another process.
func TestUnisolatedEnds(t *testing.T) {
	if os.Getenv("TOOLBOX_ISOLATION") == "" {
		return // on its own it says nothing
	}
	tooltest.Unisolated(t, "it was called with wrong arguments")
}

// TestASandboxThatMustWork: where bubblewrap works, no test is skipped for want of a sandbox. Where it is missing or may not make
// one, tests are.
func TestASandboxThatMustWork(t *testing.T) {
	if runtime.GOOS != "linux" {
		return // bubblewrap is Linux's
	}
	for script, want := range map[string]string{"exit 0": "--- FAIL", "exit 1": "--- SKIP", "": "--- SKIP"} {
		folder := t.TempDir()
		if script != "" {
			if err := os.WriteFile(filepath.Join(folder, "bwrap"), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command(os.Args[0], "-test.run", "^TestUnisolatedEnds$", "-test.v")
		cmd.Env = []string{"TOOLBOX_ISOLATION=1", "PATH=" + folder}
		out, err := cmd.CombinedOutput()
		if !strings.Contains(string(out), want) || (err != nil) != (script == "exit 0") {
			t.Errorf("%q: %v: %s", script, err, out)
		}
	}
}

// TestPlainBubblewrap: what a sandbox is held to works on a machine that has one.
func TestPlainBubblewrap(t *testing.T) {
	kind, reason := sandbox.Detect(t.Context())
	if runtime.GOOS != "linux" || kind != sandbox.Sandbox {
		t.Skip("no sandbox to compare with:", reason)
	}
	if tooltest.Isolated(t.Context(), "") == nil {
		t.Error("bubblewrap works, and a sandbox that does not would be passed over")
	}
}
