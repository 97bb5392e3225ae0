package cli

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func newVersion(sh *shell) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Long:    `Prints the version of this program and what it was built with.`,
		Example: `  stellwerk version`,
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			platform := runtime.GOOS + "/" + runtime.GOARCH
			if sh.json {
				return sh.printJSON(struct {
					Version  string `json:"version"`
					Go       string `json:"go"`
					Platform string `json:"platform"`
				}{sh.Version, runtime.Version(), platform})
			}
			sh.printf("stellwerk %s (%s, %s)\n", sh.Version, runtime.Version(), platform)
			return nil
		},
	}
}

// version is what the build recorded: the module's version, or the commit.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	commit, dirty := "", ""
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			commit = s.Value
		case "vcs.modified":
			if s.Value == "true" {
				dirty = "+changes"
			}
		}
	}
	if len(commit) < 12 {
		return "devel"
	}
	return "devel-" + commit[:12] + dirty
}
