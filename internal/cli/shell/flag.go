package shell

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// Positive refuses limits that let nothing happen, or that are none.
func Positive(cmd *cobra.Command, names ...string) error {
	for _, name := range names {
		f := cmd.Flags().Lookup(name)
		value := f.Value.String()
		if f.Changed && (slices.Contains([]string{"0", "0s", "NaN", "+Inf"}, value) || strings.HasPrefix(value, "-")) {
			return Usagef("--%s %s: must be more than 0", name, value)
		}
	}
	return nil
}

// Must holds a registration that can only fail for a misspelt flag.
func Must(err error) {
	if err != nil {
		panic(err)
	}
}
