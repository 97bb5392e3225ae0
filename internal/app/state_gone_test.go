package app_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestAnEngineEndsWithItsStateFolder takes the folder of an engine away, and puts another in its place.
func TestAnEngineEndsWithItsStateFolder(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, lose := range map[string]func(state string) error{
		"moved away": func(state string) error { return os.Rename(state, state+".old") },
		"replaced": func(state string) error {
			return errors.Join(os.Rename(state, state+".old"), os.Mkdir(state, 0o700), os.WriteFile(filepath.Join(state, "engine.lock"), nil, 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			state := filepath.Join(t.TempDir(), "state")
			var errs bytes.Buffer
			cmd := exec.CommandContext(t.Context(), self, "serve", "--state", state)
			cmd.Stderr = &errs
			cmd.Env = append(os.Environ(), "XDG_CONFIG_HOME="+t.TempDir())
			cmd.WaitDelay = time.Minute
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			for {
				if _, err := os.Stat(filepath.Join(state, "engine.sock")); err == nil {
					break
				}
				select {
				case <-t.Context().Done():
					t.Fatal("the engine did not start")
				case <-time.After(20 * time.Millisecond):
				}
			}
			if err := lose(state); err != nil {
				t.Fatal(err)
			}
			// The test's own deadline ends one that lives on.
			if err := cmd.Wait(); err == nil || !strings.Contains(errs.String(), "was deleted or replaced") {
				t.Errorf("ended with %v and said %s", err, errs.String())
			}
		})
	}
}
