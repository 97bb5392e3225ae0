package shell

import (
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/access"
	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
)

// serverVariable names an engine elsewhere.
const serverVariable = "STELLWERK_SERVER"

// engineFlags are the flags by which this command line reaches its engine. The
// next one has the same environment.
func (sh *Shell) engineFlags() string {
	var flags []string
	if sh.StateFlag != "" {
		flags = append(flags, "--state "+plain.ShellWord(sh.StateFlag))
	}
	if sh.serverFlag != "" {
		flags = append(flags, "--server "+plain.ShellWord(sh.serverFlag))
	}
	if sh.tokenFlag != "" {
		flags = append(flags, "--token-file "+plain.ShellWord(sh.tokenFlag))
	}
	return strings.Join(flags, " ")
}

// Command is what to type so that a command reaches the same engine.
func (sh *Shell) Command(words string) string {
	if flags := sh.engineFlags(); flags != "" {
		words = flags + " " + words
	}
	return "stellwerk " + words
}

// WithFlags makes the commands of a hint reach the same engine.
func (sh *Shell) WithFlags(hint string) string {
	flags := sh.engineFlags()
	if flags == "" {
		return hint
	}
	if rest, ok := strings.CutPrefix(hint, "stellwerk "); ok {
		hint = "stellwerk " + flags + " " + rest
	}
	return strings.ReplaceAll(hint, "`stellwerk ", "`stellwerk "+flags+" ")
}

// token is the credential for the engine elsewhere.
func (sh *Shell) token() (string, error) {
	const hint = "an admin creates one: stellwerk tokens add NAME --role ROLE; put it into a file of mode 0600 for --token-file, or into STELLWERK_TOKEN"
	token, from := sh.Env(agent.EnvToken), agent.EnvToken
	if file := sh.tokenFlag; file != "" {
		var err error
		if token, err = readToken(file); err != nil {
			return "", err
		}
		from = file
	}
	if token == "" {
		return "", core.Errorf(core.CodeForbidden, "the engine at %s needs a token", sh.Server).WithHint(hint)
	}
	if !access.LooksLikeToken(token) {
		return "", core.Errorf(core.CodeForbidden, "%s does not contain a person's token", from).WithHint(hint)
	}
	return token, nil
}

// readToken reads a file that only its owner can read.
func readToken(file string) (string, error) {
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", core.Errorf(core.CodeNotFound, "there is no token file %s", file)
	}
	if err != nil {
		return "", err
	}
	if perm := info.Mode().Perm(); perm&0o077 != 0 {
		return "", core.Errorf(core.CodeForbidden, "others can read %s (mode %04o)", file, perm).
			WithHint("chmod 600 %s; if others may have read it, revoke the token", file)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(string(data)), nil
}

// NotElsewhere refuses what an engine elsewhere cannot see.
func (sh *Shell) NotElsewhere(what, hint string) error {
	if sh.Server == "" {
		return nil
	}
	return core.Errorf(core.CodeInvalid, "the engine at %s cannot see %s", sh.Server, what).WithHint("%s", hint)
}
