package shell

import (
	"cmp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/snapshot"
)

// SessionVariable is where Claude Code names the session to the commands it runs.
const SessionVariable = "CLAUDE_CODE_SESSION_ID"

// Marks of commands; a mark holds for a command's subcommands as well.
const (
	Local      = "local"       // it concerns this machine, and never speaks to an engine elsewhere
	ForPeople  = "for-people"  // attempts may not say it; sessions may pass it on
	AtTerminal = "at-terminal" // neither attempts nor sessions may say it
	OwnSignals = "own-signals" // it handles signals itself
)

// Mark is the annotations of a command with marks.
func Mark(marks ...string) map[string]string {
	annotations := map[string]string{}
	for _, mark := range marks {
		annotations[mark] = ""
	}
	return annotations
}

// Marked reports a command with a mark.
func Marked(cmd *cobra.Command, mark string) bool {
	_, is := cmd.Annotations[mark]
	return is || cmd.HasParent() && Marked(cmd.Parent(), mark)
}

// Begin finds out who runs cmd and which engine is meant, and refuses what the
// marks of cmd forbid. A session's requests are marked as its own.
func (sh *Shell) Begin(cmd *cobra.Command) error {
	sh.Attempt = sh.Env("STELLWERK_ATTEMPT")
	if name := sh.Env(SessionVariable); snapshot.IsSession(name) {
		sh.Session = name
		cmd.SetContext(api.AsSession(cmd.Context(), name))
	}
	sh.Server = cmp.Or(sh.serverFlag, sh.Env(serverVariable))
	switch local := Marked(cmd, Local); {
	case local && (sh.serverFlag != "" || sh.tokenFlag != ""):
		return Usagef("%s works only on this machine: leave out --server and --token-file", cmd.CommandPath())
	case local:
		sh.Server = ""
	case sh.tokenFlag != "" && sh.Server == "":
		return Usagef("--token-file needs --server")
	}
	what := strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
	switch {
	case Marked(cmd, AtTerminal):
		return sh.RefuseAgents(what)
	case Marked(cmd, ForPeople):
		return sh.RefuseAttempt(what)
	}
	return nil
}

// RefuseAttempt refuses what only a person may say if an attempt says it. The
// engine would refuse it too: an attempt has no person's token.
func (sh *Shell) RefuseAttempt(what string) error {
	if sh.Attempt == "" {
		return nil
	}
	return core.Errorf(core.CodeForbidden, "%s is for people only, and this is attempt %s", what, sh.Attempt).
		WithHint("finish the work and hand it in; Stellwerk asks a person when it needs one")
}

// RefuseAgents refuses what a person must say at their own terminal.
func (sh *Shell) RefuseAgents(what string) error {
	if err := sh.RefuseAttempt(what); err != nil || sh.Session == "" {
		return err
	}
	return core.Errorf(core.CodeForbidden, "%s is for people only, and this is session %s", what, sh.Session).
		WithHint("ask the person to do it in their own terminal")
}

// SessionHere is the session if the engine is on its machine: hooks tell that one
// what the session does.
func (sh *Shell) SessionHere() string {
	if sh.Server != "" {
		return ""
	}
	return sh.Session
}
