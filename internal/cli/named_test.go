package cli

import (
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
)

// TestWordsForGoodAreAskedAbout: at a terminal, a run that nobody named is neither
// ended nor moved on before its person says that it is meant.
func TestWordsForGoodAreAskedAbout(t *testing.T) {
	for verb, question := range map[string]string{
		"skip": "Skip the stage review of alias-1? [y/N]", "cancel": "End alias-1 for good, at stage review? [y/N]",
	} {
		b := newBench(t).at("")
		b.put("1", "paused")
		b.run(t, shell.ExitError, verb)
		b.said(t, b.out, question, "Nothing was done.")
		b.asked(t)

		b = newBench(t).at("y")
		b.put("1", "paused")
		b.run(t, shell.ExitOK, verb)
		b.asked(t, verb)

		b = newBench(t).at("")
		b.put("1", "paused")
		b.run(t, shell.ExitOK, verb, "alias-1")
		b.asked(t, verb)

		b = newBench(t) // no terminal
		b.put("1", "paused")
		b.run(t, shell.ExitOK, verb)
		b.asked(t, verb)
	}
}
