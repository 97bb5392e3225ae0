package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTheEnvironmentIsForTheInside: every value arrives as it is, and none has a say in what runs outside. The loader of
// programs writes a file where these variables say; bubblewrap is outside, and there it must not.
func TestTheEnvironmentIsForTheInside(t *testing.T) {
	requireSandbox(t)
	t.Setenv("OF_THIS_PROCESS", "leak")
	traces, work := t.TempDir(), t.TempDir()
	long := strings.Repeat("long ", 20_000)
	spec := Spec{
		Argv: []string{"/bin/sh", "-c", `printf '%s|' "$LINES_OF" "$EMPTY" "${OF_THIS_PROCESS-unset}" "${#LONG}" "${#LONGER}" "$LD_DEBUG_OUTPUT"`},
		Dir:  work, Writable: []string{work},
		Env: []string{
			"PATH=/usr/bin:/bin", "LINES_OF=one\ntwo=2", "EMPTY=", "LONG=" + long, "LONGER=" + long + "er", "LD_DEBUG=libs", "LD_DEBUG_OUTPUT=" + filepath.Join(traces, "trace"),
		},
	}
	launch, err := Command(Sandbox, spec)
	if err != nil {
		t.Fatal(err)
	}
	for _, env := range [][]string{spec.Env, nil} {
		out, err := launched(t, launch, env, nil)
		if want := "one\ntwo=2||unset|100000|100002|" + filepath.Join(traces, "trace") + "|"; err != nil || !strings.HasSuffix(out, want) {
			t.Errorf("inside, the environment is %q, %v", out, err)
		}
	}
	found, err := os.ReadDir(traces)
	if err != nil || len(found) != 0 {
		t.Errorf("what is outside obeyed the environment of the inside: %v, %v", found, err)
	}
	if strings.Contains(strings.Join(launch.Argv, " "), "two=2") {
		t.Error("everybody on the machine can read the environment")
	}
}
