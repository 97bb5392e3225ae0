package cli

import (
	"fmt"
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
			if sh.json {
				return sh.printJSON(struct {
					Version  string `json:"version"`
					Go       string `json:"go"`
					Platform string `json:"platform"`
				}{sh.Version, runtime.Version(), platform()})
			}
			sh.printf("%s\n", sh.versionLine())
			return nil
		},
	}
}

func (sh *shell) versionLine() string {
	return fmt.Sprintf("stellwerk %s (%s, %s)", sh.Version, runtime.Version(), platform())
}

func platform() string { return runtime.GOOS + "/" + runtime.GOARCH }

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
