package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// counted makes a command say in our words that it got too few or too many
// arguments.
func counted(cmd *cobra.Command) {
	fits := cmd.Args
	if fits == nil {
		return
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		err := fits(cmd, args)
		var usage shell.UsageError
		if err == nil || errors.As(err, &usage) || core.CodeOf(err) != core.CodeInternal {
			return err
		}
		if len(args) > 0 && fits(cmd, args[:len(args)-1]) == nil {
			return shell.Usagef("%s: %q is one argument too many", commandName(cmd), args[len(args)-1])
		}
		if len(cmd.ValidArgs) > 0 && len(args) > 0 {
			return shell.UsageError{Err: err}
		}
		example, _, _ := strings.Cut(strings.TrimSpace(cmd.Example), "\n")
		return shell.UsageError{Err: core.Errorf(core.CodeInvalid, "%s needs %s, but got %s", commandName(cmd), needed(cmd), counting(len(args))).WithHint("%s", example)}
	}
}

// commandName is what a person types after the program's name, which begins every message.
func commandName(cmd *cobra.Command) string {
	return strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
}

// needed are the arguments that a command must have.
func needed(cmd *cobra.Command) string {
	var words []string
	for _, w := range strings.Fields(cmd.Use)[1:] {
		if !strings.HasPrefix(w, "[") && !strings.HasPrefix(w, "-") {
			words = append(words, w)
		}
	}
	if len(words) == 0 {
		return "an argument"
	}
	return strings.Join(words, " ")
}

func counting(n int) string {
	switch n {
	case 0:
		return "nothing"
	case 1:
		return "one argument"
	}
	return fmt.Sprintf("%d arguments", n)
}

// flagError says what is wrong with a flag: it is unknown, lacks a value, or has a
// wrong one.
func flagError(cmd *cobra.Command, err error) error {
	var value *pflag.InvalidValueError
	var missing *pflag.ValueRequiredError
	switch {
	case errors.As(err, &value):
		f := value.GetFlag()
		return shell.Usagef("--%s %s: must be %s (%s)", f.Name, value.GetValue(), kindOf(f, value), about(f))
	case errors.As(err, &missing):
		f := missing.GetFlag()
		return shell.Usagef("--%s needs a value (%s)", f.Name, about(f))
	}
	return nearestFlag(cmd, err)
}

// kindOf says what a flag takes.
func kindOf(f *pflag.Flag, err *pflag.InvalidValueError) string {
	switch f.Value.Type() {
	case "float64":
		return "a number, such as 2.5"
	case "int", "int64":
		return "a whole number, such as 3"
	case "uint":
		return "a whole number, 0 or more"
	case "duration":
		return "a time, such as 45m or 2h30m"
	case "bool":
		return "true or false"
	}
	return err.Unwrap().Error()
}

// about is the flag's help without the marks around its placeholder.
func about(f *pflag.Flag) string {
	_, usage := pflag.UnquoteUsage(f)
	return usage
}

// combined says which flags are missing or exclude each other, if cobra refused the
// command line for that.
func combined(cmd *cobra.Command, err error) error {
	var absent, exclusive []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if slices.Equal(f.Annotations[cobra.BashCompOneRequiredFlag], []string{"true"}) && !f.Changed {
			absent = append(absent, fmt.Sprintf("--%s (%s)", f.Name, about(f)))
		}
		if len(f.Annotations[annotationExclusive]) > 0 && f.Changed {
			exclusive = append(exclusive, "--"+f.Name)
		}
	})
	switch {
	case len(absent) > 0:
		return shell.Usagef("%s needs %s", commandName(cmd), strings.Join(absent, ", "))
	case len(exclusive) > 1:
		return shell.Usagef("%s: use only one", strings.Join(exclusive, " and "))
	}
	return err
}

// annotationExclusive is what cobra marks flags with that exclude others.
const annotationExclusive = "cobra_annotation_mutually_exclusive"
