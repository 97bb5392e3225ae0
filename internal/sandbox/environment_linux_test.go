package sandbox

import (
	"fmt"
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

// TestWhatAnEnvironmentCanHold arrives, and what is more is refused before bubblewrap fails at it.
func TestWhatAnEnvironmentCanHold(t *testing.T) {
	requireSandbox(t)
	work := t.TempDir()
	env := []string{"PATH=/usr/bin:/bin"}
	for len(env) < mostVariables-1 {
		env = append(env, fmt.Sprintf("V%d=v", len(env)))
	}
	longest := "LONG=" + strings.Repeat("x", longestVariable-len("LONG="))
	spec := Spec{Argv: []string{"/bin/sh", "-c", `printf '%s %s' "$V2498" "${#LONG}"`}, Dir: work, Writable: []string{work}, Env: append(env, longest)}
	launch, err := Command(Sandbox, spec)
	if err != nil {
		t.Fatal(err)
	}
	if out, err := launched(t, launch, spec.Env, nil); err != nil || out != fmt.Sprint("v ", longestVariable-len("LONG=")) {
		t.Errorf("inside, the environment is %q, %v", out, err)
	}
	for want, env := range map[string][]string{
		"2501 environment variables":    append(spec.Env, "ONE=more"),
		"environment variable LONG has": {"PATH=/usr/bin:/bin", longest + "x"},
	} {
		spec.Env = env
		if _, err := Command(Sandbox, spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestWhoCleansUpKnowsBubblewrap: the output folder is how processes of a dead supervisor are found.
func TestWhoCleansUpKnowsBubblewrap(t *testing.T) {
	if got := strings.Join(outside([]string{"SECRET=s", "STELLWERK_OUT=/attempt/out", "LD_PRELOAD=x", "PATH=/bin"}), " "); got != "STELLWERK_OUT=/attempt/out PATH=/bin" {
		t.Errorf("bubblewrap has %q", got)
	}
}
