package relay

import (
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// slashes are the plugin's commands for a paused run, as a person is told of them.
func slashes(verb core.Verb) string {
	return map[core.Verb]string{
		core.VerbResume:   "/stellwerk:resume to go on",
		core.VerbRetry:    "/stellwerk:retry-reset to reset the stage's attempts",
		core.VerbFeedback: "/stellwerk:feedback to say what is to be different",
		core.VerbRollback: "/stellwerk:rollback to go back to an earlier stage",
		core.VerbSkip:     "/stellwerk:skip to skip it",
		core.VerbStatus:   "/stellwerk:status to see more",
		core.VerbCancel:   "/stellwerk:cancel to discard the run",
	}[verb]
}

// slash lists what the person can type in the session about a pause. If the pause
// names nothing, it is the usual commands.
func slash(p *core.Pause) string {
	var says []string
	for _, c := range p.Choices {
		if said := slashes(c.Verb); said != "" && c.Verb != core.VerbCancel {
			says = append(says, said)
		}
	}
	if len(p.Choices) == 0 {
		says = []string{slashes(core.VerbResume), slashes(core.VerbRetry), slashes(core.VerbSkip)}
	}
	if len(says) > 1 {
		return strings.Join(says, ", ") + ", or " + slashes(core.VerbCancel)
	}
	return strings.Join(append(says, slashes(core.VerbCancel)), " or ")
}

// elsewhere is what only a terminal can do about a pause.
func elsewhere(p *core.Pause) string {
	here := func(c core.Choice) bool { return slashes(c.Verb) != "" }
	return wording.Advice(p.Code, core.Advice{Choices: slices.DeleteFunc(slices.Clone(p.Choices), here)})
}
