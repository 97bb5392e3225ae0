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
		Short: "Try the ways in which you are told that something waits",
		Long: `The setting notify says in which ways you are told that something waits for you:
bell, desktop, webhook, slack.`,
		Example: `  stellwerk notify test`,
		Args:    onlyCommands,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(&cobra.Command{
		Use:   "test",
		Short: "Send one message in each way, and say what became of it",
		Long: `Has the engine send one message in each way that the setting notify names, quiet
hours or not, and says what became of it. The secrets are those the engine has.
Ends with exit code 1 where a way failed.`,
		Example: `  stellwerk notify test
  STELLWERK_NOTIFY=desktop stellwerk notify test`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return notifyTest(cmd.Context(), sh) },
	})
	return cmd
}

func notifyTest(ctx context.Context, sh *shell) error {
	if err := sh.personal("a test of what tells people"); err != nil {
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
		sh.printf("The engine tells you in no way: set notify to desktop, webhook or slack. The bell is rung by the command that follows a run, and in sessions of Claude Code.\n")
	}
	for _, t := range tests {
		if t.OK {
			sh.printText(sh.Console.Style.Good("sent   ")+padded(t.Way, 9), "")
			continue
		}
		sh.printText(sh.Console.Style.Bad("failed ")+padded(t.Way, 9), terminal.Line(t.Error))
	}
}
