package snapshot

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

const maxSession = 128

// IsSession reports whether a name can be a session's: it becomes a path.
func IsSession(name string) bool {
	odd := func(r rune) bool { return !plain(r) }
	return name != "" && len(name) <= maxSession && !strings.ContainsFunc(name, odd)
}

func plain(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_'
}

// Dir is the folder of a session below the state folder. It stays when the
// session owns nothing any more: the hooks' journal is in it.
func Dir(state, session string) (string, error) {
	if !IsSession(session) {
		return "", fmt.Errorf("%.80q is not the name of a session", session)
	}
	return filepath.Join(state, "sessions", session), nil
}

// State is the state folder that the environment names: STELLWERK_STATE,
// $XDG_STATE_HOME/stellwerk or ~/.local/state/stellwerk. It follows the rule of
// the command line, for programs that must start fast.
func State(env func(string) string) (string, error) {
	if given := env("STELLWERK_STATE"); given != "" {
		return filepath.Abs(given)
	}
	if base := env("XDG_STATE_HOME"); filepath.IsAbs(base) {
		return filepath.Join(base, "stellwerk"), nil
	}
	if home := env("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".local/state", "stellwerk"), nil
	}
	return "", errors.New("neither STELLWERK_STATE, XDG_STATE_HOME nor HOME names the state folder")
}
