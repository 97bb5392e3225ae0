package cli

import (
	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/config"
)

func newLimits(sh *shell) *cobra.Command {
	return &cobra.Command{
		Use:   "limits",
		Short: "Show the limits and settings in force",
		Long: `Shows what would hold for a run in the working directory, and where each value
comes from: a flag of run, the environment, your own settings, the
repository's ` + config.ProjectFile + `, or the defaults. A repository can
tighten limits and isolation, not loosen them.`,
		Example: `  stellwerk limits
  STELLWERK_LIMITS_ATTEMPTS=5 stellwerk limits --json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return limits(sh) },
	}
}

// settingEntry is a setting on the wire.
type settingEntry struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	From  string `json:"from"`
}

func limits(sh *shell) error {
	repo, err := sh.repository()
	if err != nil {
		return err
	}
	settings, warnings, err := repo.settings()
	if err != nil {
		return err
	}
	for _, w := range warnings {
		sh.warn([]string{w.String()})
	}
	entries := []settingEntry{}
	for _, e := range settings.Entries() {
		entries = append(entries, settingEntry{e.Key, e.Value, e.From.String()})
	}
	if sh.json {
		return sh.printJSON(struct {
			Settings []settingEntry `json:"settings"`
		}{entries})
	}
	for _, e := range entries {
		sh.printf("%-20s %-20s %s\n", e.Key, terminal.Line(e.Value), sh.Console.Style.Faint(terminal.Line(e.From)))
	}
	return nil
}
