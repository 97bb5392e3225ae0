package hook

import (
	"io"

	"github.com/stellwerk-dev/stellwerk/internal/guard"
)

// Keep is the program for PreToolUse of an agent that the engine runs itself, if its
// role restricts the shell. Claude Code enforces such rules, but also lets commands
// pass that it considers harmless. It enforces the list of tools, and rules for files,
// by itself.
func Keep(tools []string, stdin io.Reader, stdout, stderr io.Writer) int {
	data, err := ReadBytes(stdin)
	if err != nil {
		return undecided(stderr, err)
	}
	in, err := Parse(data)
	if err != nil {
		return undecided(stderr, err)
	}
	answer := Silent()
	if kindOf(in.Tool) == runs {
		if no, is := refused(guard.ToolList(tools).Command(in.Tool, in.text("command"))); is {
			answer = no
		}
	}
	if err := answer.Write(stdout); err != nil {
		return undecided(stderr, err)
	}
	return exitAnswered
}
