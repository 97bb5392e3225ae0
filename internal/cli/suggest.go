package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// maxSlips is how many letters a word may be off and still be recognised.
const maxSlips = 2

// onlyCommands refuses arguments of a command that only has subcommands, and
// names the one that was probably meant.
func onlyCommands(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	err := core.Errorf(core.CodeInvalid, "unknown command %q for %q", args[0], cmd.CommandPath())
	if meant := nearestWord(args[0], names); meant != "" {
		return shell.UsageError{Err: err.WithHint("%s %s", cmd.CommandPath(), meant)}
	}
	return shell.UsageError{Err: err.WithHint("%s --help", cmd.CommandPath())}
}

// nearestFlag makes a usage error of err, and names the flag that was probably
// meant.
func nearestFlag(cmd *cobra.Command, err error) error {
	var missing *pflag.NotExistError
	if !errors.As(err, &missing) {
		return shell.UsageError{Err: err}
	}
	var names []string
	visit := func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	}
	cmd.Flags().VisitAll(visit)
	cmd.InheritedFlags().VisitAll(visit)
	hint := cmd.CommandPath() + " --help"
	if meant := nearestWord(missing.GetSpecifiedName(), names); meant != "" {
		hint = fmt.Sprintf("--%s, or %s", meant, hint)
	}
	return shell.UsageError{Err: core.Errorf(core.CodeInvalid, "%w", err).WithHint("%s", hint)}
}

// nearestWord is the word that differs least from the given one, within maxSlips;
// "" if none does.
func nearestWord(given string, words []string) string {
	best, nearest := maxSlips+1, ""
	for _, w := range words {
		slips := distance(given, w)
		if len(given) > maxSlips && strings.HasPrefix(w, given) {
			slips = 1
		}
		if slips < best && slips < len(w) {
			best, nearest = slips, w
		}
	}
	return nearest
}

// distance is how many letters must be added, dropped or replaced to make one
// word of the other.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
