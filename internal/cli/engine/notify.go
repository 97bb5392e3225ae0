package engine

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
)

func NewNotify(sh *shell.Shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "notify",
		Short: "Test your notifications",
		Long: `The setting notify says how Stellwerk tells you that something waits for you:
bell, desktop, webhook, slack.`,
		Example: `  stellwerk notify test`,
	}
	cmd.AddCommand(&cobra.Command{
		Annotations: shell.Mark(shell.ForPeople),
		Use:         "test",
		Short:       "Send one test message in each way",
		Long: `The engine sends one message in each way that the setting notify lists, even in
quiet hours, with the engine's own secrets. Prints the result of each; the exit
code is 1 if one failed.`,
		Example: `  stellwerk notify test
  STELLWERK_NOTIFY=desktop stellwerk notify test`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return notifyTest(cmd.Context(), sh) },
	})
	return cmd
}

func notifyTest(ctx context.Context, sh *shell.Shell) error {
	return sh.Connect(ctx, func(svc api.Service) error {
		tests, err := svc.TestNotices(ctx)
		if err != nil {
			return err
		}
		var lines []string
		exit := shell.ExitOK
		for _, t := range tests {
			outcome := sh.Console.Style.Good("sent   ")
			if !t.OK {
				exit, outcome = shell.ExitError, sh.Console.Style.Bad("failed ")
			}
			way := terminal.Pad(terminal.Line(t.Way), 9)
			lines = append(lines, terminal.Hang(outcome+way, terminal.Line(t.Error), sh.Console.Width())...)
		}
		const none = "The engine sends no notifications: set notify to desktop, webhook or slack. Only commands that follow a run and Claude Code sessions ring the bell."
		err = sh.PrintList(api.NoticeTests{Tests: append([]api.NoticeTest{}, tests...)}, lines, none)
		return cmp.Or(err, shell.Exit(exit))
	})
}
