package shell

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// Positive refuses limits that are not more than 0.
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
