package examine_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/cli/clitest"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
)

func TestDoctorGetsTheCredentialFromItsPlace(t *testing.T) {
	b := clitest.New(t)
	clitest.InRepository(t, b)
	b.Dial, b.Credentials = clitest.NoEngine, func() []string { return []string{"KEY_A"} }
	file := filepath.Join(t.TempDir(), "key")
	b.Env["STELLWERK_CREDENTIAL_FILE"] = file
	b.Run(t, shell.ExitOK, "doctor")
	b.Said(t, b.Out, "warn  credentials claude: the file "+file+" gives no credential")
	clitest.WriteFile(t, file, "hush-3\n")
	b.Run(t, shell.ExitOK, "doctor")
	b.Said(t, b.Out, "claude: the file "+file+" gives a credential (api-key)")
	delete(b.Env, "STELLWERK_CREDENTIAL_FILE")
	b.Env["STELLWERK_CREDENTIAL_COMMAND"] = "echo hush-4"
	b.Run(t, shell.ExitOK, "doctor")
	b.Said(t, b.Out, "claude: the command echo gives a credential (api-key)")
	b.Env["STELLWERK_CREDENTIAL_COMMAND"] = "false"
	b.Run(t, shell.ExitOK, "doctor")
	b.Said(t, b.Out, "claude: the command false gives no credential")
	if strings.Contains(b.Out.String(), "hush") {
		t.Errorf("a secret is shown: %s", b.Out)
	}
}
