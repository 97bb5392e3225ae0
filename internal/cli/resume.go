package cli

import (
	"context"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

type resumeOptions struct {
	trust bool
	req   api.Resume
	after after
}

func newResume(sh *shell) *cobra.Command {
	o := &resumeOptions{}
	cmd := &cobra.Command{
		Use:   "resume [RUN|FOLDER] [flags]",
		Short: "Let a paused run go on, or rebuild one from its folder",
		Long: `Lets a paused run go on, with raised limits where given. A run that was only
left goes on as it is.

With a run FOLDER, first rebuilds the run from the events written there, for
when the database is lost: what is known already is left alone, a torn last
line is cut and reported, and a different history is refused.` + afterHelp,
		Example: `  stellwerk resume
  stellwerk resume brisk-otter --max-cost 10
  stellwerk resume ~/.local/state/stellwerk/runs/0198c1d2-…`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeRuns(sh),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), sh, first(args)) },
	}
	cmd.Flags().Float64Var(&o.req.MaxCostUSD, "max-cost", 0, "new limit in `USD`")
	cmd.Flags().Int64Var(&o.req.MaxTokens, "max-tokens", 0, "new limit of `N` tokens")
	cmd.Flags().BoolVar(&o.trust, "trust", false, "obey a run folder that comes from elsewhere")
	o.after.flags(cmd)
	return cmd
}

func (o *resumeOptions) run(ctx context.Context, sh *shell, given string) error {
	folder, err := runFolder(sh, given)
	if err != nil {
		return err
	}
	return sh.say(ctx, "resume", given, o.after, func(svc api.Service, id string) (api.Run, error) {
		if folder != "" {
			imported, err := svc.Import(ctx, api.Import{Folder: folder, Trust: o.trust})
			if err != nil {
				return api.Run{}, err
			}
			sh.reportImport(imported)
			id = imported.Run.ID
		}
		detail, err := svc.Run(ctx, id)
		if err != nil {
			return api.Run{}, err
		}
		if detail.Status != string(core.StatusPaused) && o.req == (api.Resume{}) {
			return detail.Run, nil
		}
		return svc.Resume(ctx, detail.ID, o.req)
	})
}

// runFolder is the argument as an absolute path where it is a path: a bare name
// is a run's, whatever lies in the working directory.
func runFolder(sh *shell, given string) (string, error) {
	if given == "" || filepath.Base(given) == given && given != "." && given != ".." {
		return "", nil
	}
	dir, err := sh.Dir()
	if err != nil {
		return "", err
	}
	folder := given
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(dir, folder)
	}
	info, err := os.Stat(folder)
	switch {
	case err == nil && info.IsDir():
		return folder, nil
	case err == nil:
		return "", core.Errorf(core.CodeInvalid, "%s is no folder", given)
	}
	return "", core.Wrap(core.CodeNotFound, err, "there is no run folder "+given, "stellwerk status lists the runs that are known")
}

func (sh *shell) reportImport(i api.Imported) {
	if sh.json {
		return
	}
	sh.printf("%s: %d events taken over from its folder\n", terminal.Line(i.Run.Alias), i.Events)
	if i.Torn != "" {
		sh.printf("  cut off: %s\n", terminal.Line(i.Torn))
	}
}
