package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
)

func newNotify(sh *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "notify",
		Short: "Test your notifications",
		Long: `The setting notify says how Stellwerk tells you that something waits for you:
bell, desktop, webhook, slack.`,
		Example: `  stellwerk notify test`,
	}
	cmd.AddCommand(&cobra.Command{
		Use:   "test",
		Short: "Send one test message in each way",
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

func notifyTest(ctx context.Context, sh *shell) error {
	if err := sh.personal("a test of the notifications"); err != nil {
		return err
	}
	var tests []api.NoticeTest
	err := sh.connect(ctx, func(svc api.Service) (err error) {
		tests, err = svc.TestNotices(ctx)
		return err
	})
	if err != nil {
		return err
	}
	if sh.json {
		if err := sh.printJSON(api.NoticeTests{Tests: append([]api.NoticeTest{}, tests...)}); err != nil {
			return err
		}
	} else {
		sh.printTests(tests)
	}
	for _, t := range tests {
		if !t.OK {
			return exitWith(ExitError)
		}
	}
	return nil
}

func (sh *shell) printTests(tests []api.NoticeTest) {
	if len(tests) == 0 {
		sh.printf("The engine sends no notifications: set notify to desktop, webhook or slack. Only commands that follow a run and Claude Code sessions ring the bell.\n")
	}
	for _, t := range tests {
		if t.OK {
			sh.printText(sh.Console.Style.Good("sent   ")+terminal.Pad(terminal.Line(t.Way), 9), "")
			continue
		}
		sh.printText(sh.Console.Style.Bad("failed ")+terminal.Pad(terminal.Line(t.Way), 9), terminal.Line(t.Error))
	}
}
