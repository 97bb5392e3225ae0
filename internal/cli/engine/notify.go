package engine

import (
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
	var tests []api.NoticeTest
	err := sh.Connect(ctx, func(svc api.Service) (err error) {
		tests, err = svc.TestNotices(ctx)
		return err
	})
	if err != nil {
		return err
	}
	if sh.JSON {
		if err := sh.PrintJSON(api.NoticeTests{Tests: append([]api.NoticeTest{}, tests...)}); err != nil {
			return err
		}
	} else {
		printTests(sh, tests)
	}
	for _, t := range tests {
		if !t.OK {
			return shell.Exit(shell.ExitError)
		}
	}
	return nil
}

func printTests(sh *shell.Shell, tests []api.NoticeTest) {
	if len(tests) == 0 {
		sh.Printf("The engine sends no notifications: set notify to desktop, webhook or slack. Only commands that follow a run and Claude Code sessions ring the bell.\n")
	}
	for _, t := range tests {
		if t.OK {
			sh.PrintText(sh.Console.Style.Good("sent   ")+terminal.Pad(terminal.Line(t.Way), 9), "")
			continue
		}
		sh.PrintText(sh.Console.Style.Bad("failed ")+terminal.Pad(terminal.Line(t.Way), 9), terminal.Line(t.Error))
	}
}
