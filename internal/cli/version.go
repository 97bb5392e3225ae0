package cli

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
)

func newVersion(sh *shell.Shell) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Long: `Prints the version of this program, the commit and date it was built from, and
the Go version.`,
		Example: `  stellwerk version
  stellwerk version --json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return sh.Print(struct {
				shell.Build
				Go       string `json:"go"`
				Platform string `json:"platform"`
			}{sh.Build, runtime.Version(), shell.Platform()}, sh.Build.String())
		},
	}
}

// built reads this program's Build.
func built() shell.Build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return shell.Build{Version: "unknown"}
	}
	return recorded(info.Main.Version, info.Settings)
}

// recorded is the Build of a program by its module's version and the toolchain's settings.
func recorded(version string, settings []debug.BuildSetting) shell.Build {
	b := shell.Build{Version: version}
	for _, s := range settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Date = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	if b.Version == "" || b.Version == "(devel)" {
		b.Version = "devel"
	}
	return b
}
