package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
)

func TestDoctorGetsTheCredentialFromItsPlace(t *testing.T) {
	b := newBench(t)
	inRepository(t, b)
	b.Dial, b.Credentials = refuseConnect, func() []string { return []string{"KEY_A"} }
	file := filepath.Join(t.TempDir(), "key")
	b.env["STELLWERK_CREDENTIAL_FILE"] = file
	b.run(t, shell.ExitOK, "doctor")
	b.said(t, b.out, "warn  credentials claude: the file "+file+" gives no credential")
	writeFile(t, file, "hush-3\n")
	b.run(t, shell.ExitOK, "doctor")
	b.said(t, b.out, "claude: the file "+file+" gives a credential (api-key)")
	delete(b.env, "STELLWERK_CREDENTIAL_FILE")
	b.env["STELLWERK_CREDENTIAL_COMMAND"] = "echo hush-4"
	b.run(t, shell.ExitOK, "doctor")
	b.said(t, b.out, "claude: the command echo gives a credential (api-key)")
	b.env["STELLWERK_CREDENTIAL_COMMAND"] = "false"
	b.run(t, shell.ExitOK, "doctor")
	b.said(t, b.out, "claude: the command false gives no credential")
	if strings.Contains(b.out.String(), "hush") {
		t.Errorf("a secret is shown: %s", b.out)
	}
}
