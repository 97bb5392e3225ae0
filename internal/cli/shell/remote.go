package shell

import (
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/access"
	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
)

// serverVariable names an engine elsewhere.
const serverVariable = "STELLWERK_SERVER"

// local marks commands that concern this machine: they never speak to an engine
// elsewhere.
const local = "local"

// OwnSignals marks commands that handle signals themselves.
const OwnSignals = "own-signals"

// OnThisMachine is the annotation of such a command.
func OnThisMachine() map[string]string { return map[string]string{local: ""} }

// remoteFlags say which engine elsewhere is meant, if any.
type remoteFlags struct {
	server    string
	tokenFile string
	here      bool // the command stays on this machine
}

// Server is the URL of the engine elsewhere that is meant; "" for the one here.
func (sh *Shell) Server() string {
	if sh.remote.here {
		return ""
	}
	if sh.remote.server != "" {
		return sh.remote.server
	}
	return sh.Env(serverVariable)
}

// engineFlags are the flags by which this command line leads to its engine. What the
// environment says holds for the next one, too.
func (sh *Shell) engineFlags() string {
	var flags []string
	if sh.StateFlag != "" {
		flags = append(flags, "--state "+plain.ShellWord(sh.StateFlag))
	}
	if sh.remote.server != "" {
		flags = append(flags, "--server "+plain.ShellWord(sh.remote.server))
	}
	if sh.remote.tokenFile != "" {
		flags = append(flags, "--token-file "+plain.ShellWord(sh.remote.tokenFile))
	}
	return strings.Join(flags, " ")
}

// Command is how a command is typed that is to reach the same engine.
func (sh *Shell) Command(words string) string {
	if flags := sh.engineFlags(); flags != "" {
		words = flags + " " + words
	}
	return "stellwerk " + words
}

// WithFlags is a hint whose commands reach the same engine.
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

func (sh *Shell) IsElsewhere() bool { return sh.Server() != "" }

// StayHere keeps commands on this machine that concern it. What the environment
// says is for the others.
func (sh *Shell) StayHere(cmd *cobra.Command) error {
	for c := cmd; c != nil; c = c.Parent() {
		if _, here := c.Annotations[local]; !here {
			continue
		}
		sh.remote.here = true
		if sh.remote.server != "" || sh.remote.tokenFile != "" {
			return Usagef("%s works only on this machine: leave out --server and --token-file", cmd.CommandPath())
		}
		return nil
	}
	if sh.remote.tokenFile != "" && !sh.IsElsewhere() {
		return Usagef("--token-file needs --server")
	}
	return nil
}

// dialElsewhere has a connection lead to the engine that --server names.
func (sh *Shell) dialElsewhere(opts *ConnectOptions) error {
	if !sh.IsElsewhere() {
		return nil
	}
	token, err := sh.token()
	opts.Server, opts.Token = sh.Server(), token
	return err
}

// token is the credential for the engine elsewhere.
func (sh *Shell) token() (string, error) {
	const hint = "an admin creates one: stellwerk tokens add NAME --role ROLE; put it into a file of mode 0600 for --token-file, or into STELLWERK_TOKEN"
	token, from := sh.Env(agent.EnvToken), agent.EnvToken
	if file := sh.remote.tokenFile; file != "" {
		var err error
		if token, err = readToken(file); err != nil {
			return "", err
		}
		from = file
	}
	if token == "" {
		return "", core.Errorf(core.CodeForbidden, "the engine at %s needs a token", sh.Server()).WithHint(hint)
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

// NotElsewhere refuses what an engine elsewhere does not have.
func (sh *Shell) NotElsewhere(what, hint string) error {
	if !sh.IsElsewhere() {
		return nil
	}
	return core.Errorf(core.CodeInvalid, "the engine at %s cannot see %s", sh.Server(), what).WithHint("%s", hint)
}
