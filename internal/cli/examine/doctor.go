// Package examine is the command doctor. It grades what only the person's side
// knows (settings, credentials, state folder, engine, plugin); internal/doctor
// grades the machine.
package examine

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/doctor"
)

func New(sh *shell.Shell) *cobra.Command {
	return &cobra.Command{
		Annotations: shell.OnThisMachine(),
		Use:         "doctor",
		Short:       "Check that this machine has what runs need",
		Long: `Checks git and your commit identity, your settings and price list, isolation and
each wall around agents, their resource limits, the state folder and its free
space, the database, the agents on PATH and their credentials, passwords in
proxy variables, the forge and its token, the clock, the engine and whether it
answers on the network, your notifications, and the Claude Code plugin. For each
problem it says what to do.

It checks that a credential exists and never shows it. It connects to servers
and sends them nothing. Exit code 1 means that runs cannot work yet.`,
		Example: `  stellwerk doctor
  stellwerk doctor --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runDoctor(cmd.Context(), sh) },
	}
}

func runDoctor(ctx context.Context, sh *shell.Shell) error {
	opts, err := sh.Options()
	if err != nil {
		return err
	}
	findings := append([]api.Examined{
		doctor.Git(ctx),
		examineIdentity(ctx, sh),
		examineSettings(sh),
		examineIsolation(ctx, sh),
	}, examineWalls(ctx, sh)...)
	findings = append(findings,
		examineResources(ctx, sh),
		examineState(opts.State),
		doctor.Space(nearest(opts.State)),
		examineKept(ctx, sh, opts.State),
		examineDatabase(ctx, sh, opts.State),
		examineAgents(ctx),
		examineCredentials(ctx, sh),
		examineForge(sh),
		examineClock(sh, opts.State),
		examineEngine(ctx, sh, opts),
		examineListener(ctx, opts.State),
		examineNotices(ctx, sh),
		examinePlugin(ctx, sh),
	)
	if proxy, found := examineProxies(sh); found {
		findings = append(findings, proxy)
	}
	if sh.JSON {
		if err := sh.PrintJSON(api.ExaminedList{Findings: findings}); err != nil {
			return err
		}
	} else {
		printFindings(sh, findings)
	}
	for _, f := range findings {
		if f.Grade == api.GradeFail {
			return shell.Exit(shell.ExitError)
		}
	}
	return nil
}

func printFindings(sh *shell.Shell, findings []api.Examined) {
	style := sh.Console.Style
	paint := map[string]func(string) string{api.GradeOK: style.Good, api.GradeWarn: style.Asking, api.GradeFail: style.Bad}
	for _, f := range findings {
		sh.PrintText(fmt.Sprintf("%s %-11s ", paint[f.Grade](terminal.Pad(f.Grade, 5)), f.What), f.Found)
		if f.Advice != "" {
			sh.PrintText("      ", f.Advice)
		}
	}
}
