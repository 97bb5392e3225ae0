package run

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/drive"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/cli/view"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/snapshot"
)

type resumeOptions struct {
	trust    bool
	session  string
	headless bool
	req      api.Resume
	after    drive.After
}

func NewResume(sh *shell.Shell) *cobra.Command {
	o := &resumeOptions{}
	cmd := &cobra.Command{
		Annotations: shell.Mark(shell.ForPeople),
		Use:         "resume [RUN|FOLDER] [flags]",
		Short:       "Resume a paused run, or rebuild one from its folder",
		Long: `Resumes a paused run, with higher limits if you give them. A run that you left
with Ctrl-C goes on as it is. A run that has ended stays ended: the exit code
says how.

With a run FOLDER, first rebuilds the run from the events in that folder, in
case the database is lost. It keeps runs that the database knows, cuts off and
reports a torn last line, and refuses a different history.

The engine or session that started the run's agents keeps starting them. With
--session an interactive session takes over, with --headless the engine.` + drive.AfterHelp,
		Example: `  stellwerk resume
  stellwerk resume brisk-otter --max-cost 10
  stellwerk resume ~/.local/state/stellwerk/runs/0198c1d2-…`,
		Args:              cobra.MaximumNArgs(2),
		ValidArgsFunction: shell.CompleteOpenRuns(sh),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := shell.Positive(cmd, "max-cost", "max-tokens", "max-project-cost", "max-project-tokens", "max-project-time", "max-project-attempts"); err != nil {
				return err
			}
			args, err := o.place(sh, args)
			if err != nil {
				return err
			}
			if len(args) > 1 {
				return shell.Usagef("resume takes one run, but got %s", strings.Join(args, " and "))
			}
			return o.run(cmd.Context(), sh, shell.First(args))
		},
	}
	cmd.Flags().Float64Var(&o.req.MaxCostUSD, "max-cost", 0, "new limit in `USD`")
	cmd.Flags().Int64Var(&o.req.MaxTokens, "max-tokens", 0, "new limit of `N` tokens")
	cmd.Flags().Float64Var(&o.req.MaxProjectCostUSD, "max-project-cost", 0, "new limit in `USD` for all of the project's runs")
	cmd.Flags().Int64Var(&o.req.MaxProjectTokens, "max-project-tokens", 0, "new limit of `N` tokens for all of the project's runs")
	cmd.Flags().DurationVar(&o.req.MaxProjectTime, "max-project-time", 0, "new working time limit `D` for all of the project's runs, such as 90m")
	cmd.Flags().IntVar(&o.req.MaxProjectAttempts, "max-project-attempts", 0, "new limit of `N` attempts for all of the project's runs")
	cmd.Flags().BoolVar(&o.trust, "trust", false, "trust a run folder that comes from elsewhere")
	cmd.Flags().StringVar(&o.session, "session", "", "let the interactive session `ID` start the agents (default: the session that runs this)")
	cmd.Flags().Lookup("session").NoOptDefVal = thisSession
	cmd.Flags().BoolVar(&o.headless, "headless", false, "let the engine start the agents")
	cmd.MarkFlagsMutuallyExclusive("session", "headless")
	o.after.Flags(cmd)
	return cmd
}

// thisSession stands for the session that runs the command.
const thisSession = "this"

// place sets who starts the run's agents from now on. It returns the arguments
// without the session's name, because a flag with an optional value does not take
// the word behind it.
func (o *resumeOptions) place(sh *shell.Shell, args []string) ([]string, error) {
	switch {
	case o.headless:
		o.req.Session = new(string)
		return args, nil
	case o.session == "":
		return args, nil
	case o.session == thisSession:
		own := sh.SessionHere()
		if i := slices.Index(args, own); own != "" && i >= 0 {
			args = slices.Delete(slices.Clone(args), i, i+1)
		}
		o.session = own
	}
	if !snapshot.IsSession(o.session) {
		return nil, shell.Usagef("--session: this command does not run in a session; name one with --session=ID")
	}
	o.req.Session = &o.session
	return args, nil
}

func (o *resumeOptions) run(ctx context.Context, sh *shell.Shell, given string) error {
	if o.trust {
		if err := sh.RefuseAgents("resume --trust"); err != nil {
			return err
		}
	}
	folder, err := runFolder(sh, given)
	if err != nil {
		return err
	}
	began := time.Now()
	o.after.Anew = folder != ""
	return drive.Steer(ctx, sh, given, o.after, func(ctx context.Context, svc api.Service, run api.Run) (api.Run, error) {
		if folder != "" {
			imported, err := svc.Import(ctx, api.Import{Folder: folder, Trust: o.trust})
			if err != nil {
				return api.Run{}, err
			}
			reportImport(sh, imported)
			run = imported.Run
		}
		detail, err := svc.Run(ctx, run.ID)
		if err != nil {
			return api.Run{}, err
		}
		if folder == "" && detail.Status.Terminal() && (detail.EndedAt == nil || detail.EndedAt.Before(began)) {
			return detail.Run, tellOver(sh, detail)
		}
		goes := detail.Status != core.StatusPaused || folder != "" && view.AsksOnly(detail)
		if goes && o.req == (api.Resume{}) {
			if detail.Seq, err = before(ctx, svc, detail.Run, began); err != nil {
				return api.Run{}, err
			}
			return detail.Run, elsewhere(detail.Run)
		}
		return svc.Resume(ctx, detail.ID, o.req)
	})
}

// before is the newest event of a run from before a moment: the engine that the
// command started may have been faster than its first look.
func before(ctx context.Context, svc api.Service, run api.Run, began time.Time) (int64, error) {
	const most = 200
	after := max(run.Seq-most, 0)
	events, err := svc.Events(ctx, run.ID, after, most)
	if err != nil {
		return 0, err
	}
	for _, e := range events {
		if e.At.Before(began) {
			after = e.Seq
		}
	}
	return after, nil
}

// elsewhere refuses to wait for agents that a session must start.
func elsewhere(run api.Run) error {
	if run.Session == "" || run.Status != core.StatusActive {
		return nil
	}
	return core.Errorf(core.CodeConflict, "session %[2]s starts the agents of run %[1]s", run.Alias, run.Session).
		WithHint("continue there, or take the run over: `stellwerk resume %s --headless`", run.Alias)
}

// tellOver says that an ended run cannot be resumed, and ends with its exit code.
func tellOver(sh *shell.Shell, d api.RunDetail) error {
	if sh.JSON {
		if err := sh.PrintJSON(d.Run); err != nil {
			return err
		}
	}
	why := ""
	if d.Reason != "" {
		why = " (" + d.Reason + ")"
	}
	sh.Complain(fmt.Sprintf("run %s is %s%s; it cannot be resumed", d.Alias, d.Status, why),
		fmt.Sprintf("`stellwerk status %s` shows how it ended, `stellwerk run \"…\"` starts another", d.Alias))
	return shell.Exit(shell.ExitByStatus(d.Status))
}

// runFolder is the argument as an absolute path, if it is a path. A bare name is a
// run's, whatever the working directory contains.
func runFolder(sh *shell.Shell, given string) (string, error) {
	if given == "" || filepath.Base(given) == given && given != "." && given != ".." {
		return "", nil
	}
	if err := sh.NotElsewhere("a run folder here", "import it on the engine's own machine"); err != nil {
		return "", err
	}
	folder := sh.Absolute(given)
	info, err := os.Stat(folder)
	switch {
	case err == nil && info.IsDir():
		return folder, nil
	case err == nil:
		return "", core.Errorf(core.CodeInvalid, "%s is not a folder", given)
	}
	return "", core.Wrap(core.CodeNotFound, err, "there is no run folder "+given, "stellwerk status lists the known runs")
}

func reportImport(sh *shell.Shell, i api.Imported) {
	if sh.JSON {
		return
	}
	sh.Printf("%s: %d events imported from its folder\n", terminal.Line(i.Run.Alias), i.Events)
	if i.Torn != "" {
		sh.Printf("  cut off: %s\n", terminal.Line(i.Torn))
	}
}
