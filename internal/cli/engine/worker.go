package engine

import (
	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/hook"
	"github.com/stellwerk-dev/stellwerk/internal/worker"
)

// NewWorker is what an attempt or a session starts inside its walls. What every attempt starts is no command:
// worker.Intercept has taken it before any command is made.
func NewWorker(sh *shell.Shell) *cobra.Command {
	cmd := &cobra.Command{
		Use: "worker", Hidden: true, Annotations: shell.Mark(shell.OwnSignals),
		Short:   "Run attempts (called by the engine)",
		Long:    `Runs attempts. The engine calls this; people do not.`,
		Example: `  stellwerk worker await attempts/0198c1d2/build.r1.a1/turn`,
	}
	cmd.AddCommand(
		&cobra.Command{
			Use: "await FOLDER", Args: cobra.ExactArgs(1),
			Short:   "Wait for a session's agent to end",
			Long:    "Stands in, inside the attempt's sandbox, for an agent that runs in a person's\nown session.",
			Example: `  stellwerk worker await attempts/0198c1d2/build.r1.a1/turn`,
			RunE:    func(cmd *cobra.Command, args []string) error { return worker.Await(cmd.Context(), args[0]) },
		},
		&cobra.Command{
			Use: "shell FOLDER LINE", Args: cobra.ExactArgs(2),
			Short:   "Run a shell command in an attempt",
			Long:    "Runs a command for the agent of a person's own session, inside the attempt's\nsandbox.",
			Example: `  stellwerk worker shell attempts/0198c1d2/build.r1.a1 'go test ./...'`,
			RunE:    func(_ *cobra.Command, args []string) error { return ended(worker.AttemptShell(args[0], args[1])) },
		},
		newLook(),
		&cobra.Command{
			Use: "keep TOOL...", Args: cobra.MinimumNArgs(1),
			Short:   "Enforce a role's list of tools",
			Long:    "Reads a tool call of Claude Code from standard input, and prints whether the\nrole's list of tools allows it.",
			Example: `  stellwerk worker keep Read 'Bash(git log *)' < event.json`,
			RunE: func(_ *cobra.Command, args []string) error {
				return shell.Exit(hook.Keep(args, sh.Console.In, sh.Console.Out, sh.Console.Err))
			},
		},
	)
	return cmd
}

func newLook() *cobra.Command {
	var limits string
	cmd := &cobra.Command{
		Use: "look ROOT FOLDER LINE", Args: cobra.ExactArgs(3),
		Short: "Run a shell command for a session itself",
		Long: `Runs a command for a person's own session. It sees their checkout, read-only,
and nothing else of theirs.`,
		Example: `  stellwerk worker look ~/shop ~/shop 'git status'`,
		RunE: func(_ *cobra.Command, args []string) error {
			return ended(worker.LookShell(limits, args[0], args[1], args[2]))
		},
	}
	cmd.Flags().StringVar(&limits, "resources", "", "resource limits, as JSON")
	return cmd
}

// ended passes a process's exit code on.
func ended(code int, err error) error {
	if err != nil {
		return err
	}
	return shell.Exit(code)
}
