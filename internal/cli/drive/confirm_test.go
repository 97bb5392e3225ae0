package drive_test

import (
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/cli/clitest"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
)

// TestWordsForGoodAreAskedAbout: at a terminal, a run that nobody named is neither
// ended nor moved on before its person says that it is meant.
func TestWordsForGoodAreAskedAbout(t *testing.T) {
	for verb, question := range map[string]string{
		"skip": "Skip the stage review of alias-1? [y/N]", "cancel": "End alias-1 for good, at stage review? [y/N]",
	} {
		b := clitest.New(t).At("")
		b.Put("1", "paused")
		b.Run(t, shell.ExitError, verb)
		b.Said(t, b.Out, question, "Nothing was done.")
		b.Asked(t)

		b = clitest.New(t).At("y")
		b.Put("1", "paused")
		b.Run(t, shell.ExitOK, verb)
		b.Asked(t, verb)

		b = clitest.New(t).At("")
		b.Put("1", "paused")
		b.Run(t, shell.ExitOK, verb, "alias-1")
		b.Asked(t, verb)

		b = clitest.New(t).At("") // there is nothing left to lose
		b.Put("1", "completed")
		b.Run(t, shell.ExitOK, verb)
		b.Asked(t, verb)

		b = clitest.New(t) // no terminal
		b.Put("1", "paused")
		b.Run(t, shell.ExitOK, verb)
		b.Asked(t, verb)
	}
}
