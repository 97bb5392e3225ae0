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
	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/doctor"
)

func New(sh *shell.Shell) *cobra.Command {
	return &cobra.Command{
		Annotations: shell.Mark(shell.Local),
		Use:         "doctor",
		Short:       "Check that this machine has what runs need",
		Long: `Checks git and your commit identity, your settings and price list, isolation and
each wall around agents, their resource limits, the state folder and its free
space, the database, the agents on PATH and their credentials, passwords in
proxy variables, the forge and its token, the clock, the engine and whether it
answers on the network, your notifications, the Claude Code plugin, and the key
that signs the history. For each problem it says what to do.

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
	settings, _, wrong := sh.Repository().Settings()
	// A mistake in the settings is found once; what needs them is not examined then.
	settled := func(what string, examine func(*config.Settings) api.Examined) api.Examined {
		if wrong != nil {
			return doctor.Warn(what, "not checked: your settings have a mistake, see above", "")
		}
		return examine(settings)
	}
	kind, why := sh.Isolation(ctx)
	isolated := kind == config.IsolationSandbox
	findings := []api.Examined{
		doctor.Git(ctx),
		examineIdentity(ctx, sh),
		examineSettings(sh, wrong),
		doctor.Isolation(kind, why, sh.Remedy()),
	}
	if isolated {
		findings = append(findings, doctor.Walls(sh.Walls(ctx))...)
	} else {
		findings = append(findings, doctor.Warn("walls", "none: Stellwerk cannot isolate agents here", ""))
	}
	findings = append(findings,
		doctor.Resources(sh.Bounds(isolated)),
		examineState(opts.State),
		doctor.Space(nearest(opts.State)),
		settled("kept", func(s *config.Settings) api.Examined { return examineKept(ctx, opts.State, s.Retention.V > 0) }),
		examineDatabase(ctx, sh, opts.State),
		examineAgents(ctx),
		settled("credentials", func(s *config.Settings) api.Examined { return examineCredentials(ctx, sh, s.Credential) }),
		settled("forge", func(s *config.Settings) api.Examined { return examineForge(sh, s.Forge) }),
		examineClock(sh, opts.State),
		examineEngine(ctx, sh),
		examineListener(ctx, opts.State),
		settled("notify", func(s *config.Settings) api.Examined { return examineNotices(ctx, sh, s.Notify.V, s.Telling) }),
		examinePlugin(ctx, sh.Dir),
	)
	if settings != nil && settings.Audit.Key.V != "" {
		findings = append(findings, examineAudit(settings))
	}
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
