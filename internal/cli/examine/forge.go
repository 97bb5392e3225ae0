package examine

import (
	"fmt"
	"os"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/doctor"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// examineForge checks the settings of the forge, that the token exists, and that
// others cannot read it. It does not try the token.
func examineForge(sh *shell.Shell, f config.ForgeSettings) api.Examined {
	const what = "forge"
	if f.Local() {
		return doctor.OK(what, "local: pull requests are records on this machine")
	}
	if err := f.Check(); err != nil {
		return doctor.Fail(what, err.Error(), wording.Hint(err))
	}
	found := fmt.Sprintf("%s at %s, remote %s", f.Kind.V, f.Server(), f.RemoteName())
	if missing, advice := missingToken(sh, f); missing != "" {
		return doctor.Fail(what, found+": "+missing, advice)
	}
	return doctor.OK(what, found+", with a token")
}

func missingToken(sh *shell.Shell, f config.ForgeSettings) (missing, advice string) {
	variable, file := f.TokenVariable(), f.TokenFile.V
	if variable != "" && sh.Env(variable) != "" {
		return "", ""
	}
	if file == "" {
		return variable + " is not set", "set it in the engine's environment, or name a file of mode 0600 with forge_token_file"
	}
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return "cannot read the token file: " + err.Error(), "write the token into it and chmod 0600 it"
	case !info.Mode().IsRegular() || info.Mode().Perm() != 0o600:
		return fmt.Sprintf("the token file %s has mode %04o", file, info.Mode().Perm()), "chmod 0600 " + plain.ShellWord(file)
	}
	return "", ""
}
