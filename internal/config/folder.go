package config

import (
	"path/filepath"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// StateFolder is where Stellwerk keeps its state: the flag --state, STELLWERK_STATE, $XDG_STATE_HOME/stellwerk, or
// ~/.local/state/stellwerk. The result is absolute; relative paths of the first two are meant from the working directory.
func StateFolder(flag string, env func(string) string) (string, error) {
	for _, given := range []string{flag, env("STELLWERK_STATE")} {
		if given == "" {
			continue
		}
		folder, err := filepath.Abs(given)
		if err != nil {
			return "", core.Wrap(core.CodeInvalid, err, "the state folder "+given+" does not exist", "give an absolute path")
		}
		return folder, nil
	}
	return baseFolder(env, "XDG_STATE_HOME", ".local/state")
}

// UserFile is the person's own settings file: $XDG_CONFIG_HOME/stellwerk/config.yaml or ~/.config/stellwerk/config.yaml.
func UserFile(env func(string) string) (string, error) {
	folder, err := baseFolder(env, "XDG_CONFIG_HOME", ".config")
	if err != nil {
		return "", err
	}
	return filepath.Join(folder, "config.yaml"), nil
}

// baseFolder follows the XDG rule that a relative value counts as none.
func baseFolder(env func(string) string, variable, fallback string) (string, error) {
	if base := env(variable); filepath.IsAbs(base) {
		return filepath.Join(base, "stellwerk"), nil
	}
	home := env("HOME")
	if !filepath.IsAbs(home) {
		return "", core.Errorf(core.CodeInvalid, "neither %s nor HOME names an absolute path", variable).
			WithHint("set HOME, or name the state folder with --state")
	}
	return filepath.Join(home, fallback, "stellwerk"), nil
}
