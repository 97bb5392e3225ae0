package hook

import (
	"io"

	"github.com/stellwerk-dev/stellwerk/internal/guard"
)

// Keep is the program for PreToolUse of an agent that the engine runs itself,
// where its role holds the shell to rules. Claude Code follows such rules, but
// lets commands pass besides that it takes for harmless. What tools there are,
// and rules for files, it sees to by itself.
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
