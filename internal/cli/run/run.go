// Package run has the commands that start, show and steer runs.
package run

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/drive"
	"github.com/stellwerk-dev/stellwerk/internal/cli/engine"
	"github.com/stellwerk-dev/stellwerk/internal/cli/playbook"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

type runOptions struct {
	req     api.StartRun
	limits  core.Limits
	maxTime time.Duration
	detach  bool
	cockpit bool

	preflight   time.Duration
	noPreflight bool
	dryRun      bool
}

func New(sh *shell.Shell) *cobra.Command {
	o := &runOptions{}
	cmd := &cobra.Command{
		Use:   `run "GOAL" [flags]`,
		Short: "Take a goal to a pull request",
		Long: `Starts a run in the git repository of the working directory and follows it. It
does not touch your working copy: agents work on clones, and Stellwerk checks
their work before it counts.

First, a preflight of at most two minutes looks at agents, credentials and
checks, without a model. It stops the start if no attempt could succeed, and
says what helps; it also notes checks that fail already.

At a gate the command asks you; without a terminal it ends with exit code 3 and
says what to type. Ctrl-C leaves the run; you can resume it. With - as GOAL, the
command reads standard input.

Only one run at a time drives a project. If the playbook drives projects and
another run does so already, Stellwerk queues the goal and starts it in turn.

--cockpit also shows the run in a browser: the command prints a link that signs
you in, and opens it if there is a screen. The engine then runs in the
background, and the cockpit stays when the command ends.`,
		Example: `  stellwerk run "add a search field to the list"
  stellwerk run --issue 42 --playbook fullstack "$(cat issue.md)"
  stellwerk run --yes --max-cost 5 --detach "upgrade the linter"
  stellwerk run --cockpit "sort the list by name"
  stellwerk run --dry-run "sort the list by name"`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.req.Goal = strings.Join(args, " ")
			return o.run(cmd.Context(), sh, cmd)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.req.Project, "project", "", "use the project `NAME`, not the working directory's")
	f.StringVarP(&o.req.Playbook, "playbook", "p", "", "playbook `FILE|NAME` (default the project's, or feature)")
	f.StringVar(&o.req.Issue, "issue", "", "number or URL `N` of the issue behind the goal")
	f.StringVar(&o.req.Title, "title", "", "title of the run and the pull request")
	f.StringVar(&o.req.Base, "base", "", "`BRANCH` to start from and merge into (default the current one)")
	f.StringVar(&o.req.Branch, "branch", "", "`BRANCH` for the work (default feature/…)")
	f.BoolVarP(&o.req.Yes, "yes", "y", false, "approve every gate; recorded as policy, not as you")
	f.BoolVar(&o.req.Trust, "trust", false, "trust the repository's playbook and roles as they are now")
	f.BoolVarP(&o.detach, "detach", "d", false, "leave the run to an engine in the background")
	f.BoolVar(&o.cockpit, "cockpit", false, "also show the run in a browser")
	f.StringVar(&o.req.Isolation, "isolation", "", "sandbox or none (default sandbox)")
	f.StringVar(&o.req.Network, "network", "", "network for agents: listed, none or open (default listed)")
	f.StringVar(&o.req.Agent, "agent", "", "`AGENT` for roles that name none")
	f.StringVar(&o.req.Forge, "forge", "", "local, or a `FORGE` from your settings")
	f.StringVar(&o.req.Remote, "remote", "", "git remote `NAME` to start from and publish to")
	f.StringVar(&o.req.Repository, "repository", "", "`OWNER/NAME` on the forge, if the remote does not tell")
	f.Float64Var(&o.limits.CostUSD, "max-cost", 0, "pause when the run has cost this many `USD`")
	f.Int64Var(&o.limits.Tokens, "max-tokens", 0, "pause after `N` tokens")
	f.Float64Var(&o.limits.Attempt.CostUSD, "max-attempt-cost", 0, "end an attempt when it has cost this many `USD`")
	f.Int64Var(&o.limits.Attempt.Tokens, "max-attempt-tokens", 0, "end an attempt after `N` tokens")
	f.DurationVar(&o.maxTime, "max-time", 0, "pause after this `TIME`, such as 2h30m")
	f.IntVar(&o.limits.Attempts, "attempts", 0, "tries per stage and round (default 3)")
	f.IntVar(&o.req.Options.Coverage, "coverage", 0, "test coverage target in `PERCENT`")
	f.StringVar((*string)(&o.req.Options.ModelTier), "model-tier", "", "models for roles that name none: fast, balanced or strong")
	f.BoolVar(&o.req.Options.UIDesigner, "ui-designer", false, "add a UI designer to the planning team")
	f.BoolVar(&o.req.NoQueue, "no-queue", false, "fail instead of queueing if another run drives the project")
	f.DurationVar(&o.preflight, "preflight", 0, "limit the preflight to this `TIME` (default 2m)")
	f.BoolVar(&o.dryRun, "dry-run", false, "show stages, prompts, checks, roles, limits and preflight; start nothing")
	f.BoolVar(&o.noPreflight, "no-preflight", false, "skip the preflight of agents, credentials and checks")
	f.StringVar(&o.req.Session, "session", "", "let the interactive session `ID` start the agents")
	completeRunFlags(sh, cmd)
	shell.CompleteFlag(cmd, "project", shell.CompleteProjects(sh))
	return cmd
}

func (o *runOptions) run(ctx context.Context, sh *shell.Shell, cmd *cobra.Command) error {
	if err := o.complete(sh, cmd); err != nil {
		return err
	}
	if o.dryRun && (o.detach || o.cockpit || o.req.Session != "") {
		return shell.Usagef("--dry-run starts nothing: leave out --detach, --cockpit and --session")
	}
	if o.req.Yes || o.req.Trust {
		if err := sh.RefuseAgents("run with --yes or --trust"); err != nil {
			return err
		}
	}
	if o.dryRun {
		return o.dry(ctx, sh)
	}
	if o.req.Session != "" {
		return o.runInSession(ctx, sh)
	}
	if err := o.background(ctx, sh); err != nil {
		return err
	}
	return sh.Connect(ctx, func(svc api.Service) error {
		var code api.SignInCode
		var err error
		if o.cockpit { // first: a run that cannot be shown is not started
			if code, err = engine.SignIn(ctx, sh, svc); err != nil {
				return err
			}
		}
		run, err := o.start(ctx, sh, svc)
		if err != nil {
			return err
		}
		sh.Warn(slices.Concat(run.Warnings, run.Notes))
		if o.cockpit {
			engine.ShowCockpit(ctx, sh, code, run)
		}
		if run.Epic != nil {
			return drive.PrintQueued(sh, svc, run)
		}
		if o.detach {
			return tellDetached(sh, run)
		}
		return drive.Run(ctx, sh, svc, run, 0)
	}, shell.Anew)
}

// background starts an engine that outlives the command, if one is needed.
func (o *runOptions) background(ctx context.Context, sh *shell.Shell) error {
	switch {
	case o.cockpit:
		if err := sh.RefuseAgents("run with --cockpit"); err != nil {
			return err
		}
		return engine.EnsureServing(ctx, sh)
	case o.detach:
		return sh.EnsureEngine(ctx, shell.Anew)
	}
	return nil
}

// complete checks the flags and completes the request.
func (o *runOptions) complete(sh *shell.Shell, cmd *cobra.Command) error {
	var err error
	if o.req.Goal, err = sh.ReadText(o.req.Goal, ""); err != nil {
		return err
	}
	if o.cockpit && o.req.Session != "" {
		return shell.Usagef("--cockpit is for a terminal and --session for a session's hooks: use one")
	}
	o.req.Goal = strings.TrimSpace(o.req.Goal)
	if o.req.Goal == "" {
		return shell.Usagef("the goal is empty: say what you want done")
	}
	switch o.req.Isolation {
	case "", config.IsolationSandbox, config.IsolationNone:
	default:
		return shell.Usagef("--isolation %s: use %s or %s", o.req.Isolation, config.IsolationSandbox, config.IsolationNone)
	}
	if modes := config.NetworkModes(); o.req.Network != "" && !slices.Contains(modes, o.req.Network) {
		return shell.Usagef("--network %s: use one of %s", o.req.Network, strings.Join(modes, ", "))
	}
	if c := o.req.Options.Coverage; c < 0 || c > 100 || c == 0 && cmd.Flags().Changed("coverage") {
		return shell.Usagef("--coverage %d: must be between 1 and 100", c)
	}
	if t := o.req.Options.ModelTier; !slices.Contains(append(core.KnownTiers(), ""), t) {
		return shell.Usagef("--model-tier %s: use %s, %s or %s", t, core.TierFast, core.TierBalanced, core.TierStrong)
	}
	if err := shell.Positive(cmd, "max-cost", "max-tokens", "max-attempt-cost", "max-attempt-tokens", "max-time", "attempts", "preflight"); err != nil {
		return err
	}
	switch {
	case o.noPreflight && o.preflight > 0:
		return shell.Usagef("--preflight and --no-preflight: use only one")
	case o.noPreflight:
		o.req.Preflight = "off"
	case o.preflight > 0:
		o.req.Preflight = o.preflight.String()
	}
	if o.limits.WallTime = o.maxTime; o.limits != (core.Limits{}) {
		o.req.Limits = &o.limits
	}
	o.req.Dir = sh.Dir
	return nil
}

// start starts the run. If nobody trusted the repository's files yet, it asks the
// person once.
func (o *runOptions) start(ctx context.Context, sh *shell.Shell, svc api.Service) (api.Run, error) {
	run, err := watched(ctx, sh, svc, &o.req, svc.StartRun)
	if core.CodeOf(err) != core.CodeUntrusted {
		return run, err
	}
	look := api.Trust{
		Dir: o.req.Dir, Project: o.req.Project, Playbook: o.req.Playbook, Base: o.req.Base, Forge: o.req.Forge, Remote: o.req.Remote,
	}
	if err := playbook.AskIfUntrusted(ctx, sh, svc, look, "run", err); err != nil {
		return run, err
	}
	return watched(ctx, sh, svc, &o.req, svc.StartRun)
}

func tellDetached(sh *shell.Shell, run api.Run) error {
	return sh.Print(run, append(sh.View().Runs([]api.Run{run}), "  look: "+sh.Command("watch "+run.Alias))...)
}
