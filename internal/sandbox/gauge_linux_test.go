package sandbox

import (
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestATrialOutlivesItsStarter gives bubblewrap what a supervisor leaves that died at once: nobody reads what bubblewrap
// tells, and nobody lets it go on. It must come to its end all the same, or a process is left that waits for ever.
func TestATrialOutlivesItsStarter(t *testing.T) {
	requireSandbox(t)
	launch, err := Command(Sandbox, Spec{
		Argv: []string{"/bin/sh", "-c", "echo ran"}, Dir: "/", Private: []string{}, Brief: true, Env: []string{"PATH=/usr/bin:/bin"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if slices.Contains(launch.Argv, "--die-with-parent") {
		t.Error("bubblewrap dies with who starts it, and may leave its child behind")
	}
	told, tells, err := unbroken()
	if err != nil {
		t.Fatal(err)
	}
	waits, lets, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	for _, end := range []*os.File{told, lets} {
		if err := end.Close(); err != nil {
			t.Fatal(err)
		}
	}
	filter, err := readable(launch.filter)
	if err != nil {
		t.Fatal(err)
	}
	inside, err := inMemory(launch.environment)
	if err != nil {
		t.Fatal(err)
	}
	files := []*os.File{filter, inside, tells, waits}
	args := slices.Insert(slices.Clone(launch.Argv[1:]), 0,
		"--info-fd", strconv.Itoa(firstInherited+2), "--block-fd", strconv.Itoa(firstInherited+3))
	cmd := exec.CommandContext(t.Context(), launch.Argv[0], args...)
	cmd.ExtraFiles, cmd.Env = files, outside(nil)
	out, err := cmd.CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "ran" {
		t.Errorf("%v: %s", err, out)
	}
	for _, f := range files {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}
