package examine_test

import (
	"path/filepath"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/cli/clitest"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
)

// TestDoctorLooksAtTheKeyForHistory where the settings name one. Runs work without.
func TestDoctorLooksAtTheKeyForHistory(t *testing.T) {
	b := clitest.New(t)
	b.Env["STELLWERK_STATE"] = filepath.Join(t.TempDir(), "state")
	b.Dial = clitest.NoEngine
	b.Env["STELLWERK_AUDIT_KEY"] = filepath.Join(b.Dir, "key")
	b.Run(t, shell.ExitOK, "doctor")
	b.Said(t, b.Out, "warn  audit       the history is not signed: the key for checkpoints cannot be read", "ssh-keygen -t ed25519")
}
