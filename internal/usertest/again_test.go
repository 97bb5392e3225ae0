package usertest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// again reports a test that Again runs: it has no file of this folder but the one that TestAgain names.
func again() bool {
	_, err := os.Stat("again.go")
	return err != nil
}

func TestEndsWell(t *testing.T) {
	if !again() {
		return
	}
	if os.Getuid() != nobody {
		t.Errorf("runs as %d", os.Getuid())
	}
	if _, err := os.Stat("again_test.go"); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"HOME", "TMPDIR"} {
		if err := os.WriteFile(filepath.Join(os.Getenv(name), "file"), nil, 0o600); err != nil {
			t.Error(err)
		}
	}
}

func TestEndsBadly(t *testing.T) {
	t.Run("skips", func(t *testing.T) {
		if again() {
			t.Skip("as it is meant to")
		}
	})
	t.Run("fails", func(t *testing.T) {
		if again() {
			t.Error("as it is meant to")
		}
	})
}

func TestAgain(t *testing.T) {
	files := []string{"again_test.go"}
	Again(t, files, "TestEndsWell")
	if os.Getuid() != 0 {
		return
	}
	for test, want := range map[string]string{
		"TestEndsWell":         "",
		"TestEndsBadly/skips":  "TestEndsBadly/skips did not pass, something was skipped",
		"TestEndsBadly/fails":  "TestEndsBadly/fails did not pass",
		"TestEnds":             "TestEnds did not pass",
		"TestEndsWell/nothing": "TestEndsWell/nothing did not pass",
	} {
		out, err := newUser(t, nobody).run(t, files, []string{test})
		if got := strings.Join(faults(out, []string{test}), ", "); got != want || (err != nil) != strings.HasSuffix(test, "fails") {
			t.Errorf("%s: %v, found %q, want %q\n%s", test, err, got, want, out)
		}
	}
}
