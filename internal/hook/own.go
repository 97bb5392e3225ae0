package hook

import (
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/guard"
)

// ownVerbs are the commands of Stellwerk that the session runs for a person. They
// steer through the engine, which asks for the person's word if one is needed; others
// may start programs or read files. They must be called alone: together with something
// else they could be called in the person's name.
func ownVerbs() []string {
	return []string{"status", "log", "show", "inbox", "advance", "run", "resume", "retry", "skip", "pause", "cancel"}
}

// ownCall reports a line that is one plain call of Stellwerk: no variable, no
// redirection, no other command, and the program by its name, because a path may lead
// to any other.
func ownCall(line string) bool {
	if !strings.HasPrefix(strings.TrimLeft(line, " \t\n"), "stellwerk") {
		return false // a long line need not be read for this
	}
	commands, ok := guard.Plain(line)
	if !ok || len(commands) != 1 {
		return false
	}
	words := commands[0]
	return len(words) > 1 && words[0] == "stellwerk" && slices.Contains(ownVerbs(), words[1])
}
