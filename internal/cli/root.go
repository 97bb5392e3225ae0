package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/cli/audit"
	"github.com/stellwerk-dev/stellwerk/internal/cli/engine"
	"github.com/stellwerk-dev/stellwerk/internal/cli/examine"
	"github.com/stellwerk-dev/stellwerk/internal/cli/playbook"
	"github.com/stellwerk-dev/stellwerk/internal/cli/plugin"
	"github.com/stellwerk-dev/stellwerk/internal/cli/project"
	runcmd "github.com/stellwerk-dev/stellwerk/internal/cli/run"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/store"
	"github.com/stellwerk-dev/stellwerk/internal/cli/talk"
	"github.com/stellwerk-dev/stellwerk/internal/cli/tool"
)

// The groups of the help text.
const (
	groupRuns   = "runs"
	groupWords  = "words"
	groupBooks  = "books"
	groupEngine = "engine"
)

func NewRoot(sh *shell.Shell) *cobra.Command {
	root := &cobra.Command{
		Use:   "stellwerk",
		Short: "Drive coding agents from a goal to a reviewed pull request",
		Long: `Stellwerk drives coding agents from a goal to a reviewed pull request. Fixed
rules decide what happens next, and Stellwerk checks the work itself: it never
takes an agent's word for it.

Exit codes: 0 completed, 1 error, 2 usage, 3 waiting for a person or paused,
4 failed or cancelled, 130 ended by a second Ctrl-C.`,
		Example: `  stellwerk run "add a search field to the list"
  stellwerk status
  stellwerk approve`,
		Version:       sh.Build.Version,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	sh.Flags(root)
	root.AddGroup(
		&cobra.Group{ID: groupRuns, Title: "Runs:"},
		&cobra.Group{ID: groupWords, Title: "Decisions and feedback:"},
		&cobra.Group{ID: groupBooks, Title: "Playbooks and settings:"},
		&cobra.Group{ID: groupEngine, Title: "The engine:"},
	)
	add(root, groupRuns, runcmd.New(sh), runcmd.NewStatus(sh), runcmd.NewWatch(sh), runcmd.NewLog(sh), runcmd.NewEffects(sh), runcmd.NewDiff(sh), runcmd.NewShow(sh), runcmd.NewPlan(sh), runcmd.NewFacts(sh), runcmd.NewInbox(sh), project.New(sh), talk.NewMessages(sh), talk.NewConversations(sh), runcmd.NewReplay(sh))
	add(root, groupWords, talk.NewSay(sh), talk.NewChat(sh), talk.NewAnswer(sh), runcmd.NewApprove(sh), runcmd.NewMerge(sh), runcmd.NewFeedback(sh), runcmd.NewRollback(sh), runcmd.NewSkip(sh), runcmd.NewRetry(sh),
		runcmd.NewPause(sh), runcmd.NewResume(sh), runcmd.NewCancel(sh), playbook.NewTrust(sh), runcmd.NewAdvance(sh), tool.New(sh))
	add(root, groupBooks, playbook.NewInit(sh), playbook.New(sh), playbook.NewRoles(sh), playbook.NewSchema(sh), runcmd.NewLimits(sh))
	add(root, groupEngine, engine.NewServe(sh), engine.NewStop(sh), engine.NewEngines(sh), engine.NewCockpit(sh), engine.NewTokens(sh), plugin.New(sh), tool.NewMCP(sh), examine.New(sh), engine.NewNotify(sh), engine.NewBackup(sh), engine.NewRestore(sh), engine.NewPrune(sh), store.New(sh), audit.New(sh), newDemo(sh), engine.NewScriptedModel(sh), newVersion(sh), newCompletion(sh))
	add(root, "", engine.NewWorker(sh), plugin.NewHook(sh), engine.NewScriptedAgent())
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetHelpCommandGroupID(groupEngine)
	root.SetUsageTemplate(usageTemplate)
	root.SetVersionTemplate(sh.Build.String() + "\n")
	root.Flags().Bool("version", false, "print the version")
	root.SetFlagErrorFunc(flagError)
	prepare(sh, root)
	return root
}

func add(root *cobra.Command, group string, commands ...*cobra.Command) {
	for _, c := range commands {
		c.GroupID = group
		root.AddCommand(c)
	}
}

// prepare wraps every command: interrupts end its context, and its errors are
// told from those of reading the command line.
func prepare(sh *shell.Shell, cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		prepare(sh, c)
	}
	if cmd.HasSubCommands() && cmd.Args == nil {
		cmd.Args = onlyCommands
	}
	if cmd.RunE == nil { // it only has subcommands
		cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	}
	counted(cmd)
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if sh.Interruptible != nil && !shell.Marked(cmd, shell.OwnSignals) {
			ctx, stop := sh.Interruptible(cmd.Context())
			defer stop()
			cmd.SetContext(ctx)
		}
		err := sh.Begin(cmd)
		if err == nil {
			err = run(cmd, args)
		}
		if err != nil {
			return ranError{err}
		}
		return nil
	}
}

// usageTemplate is cobra's, wrapped at 80 columns.
const usageTemplate = `Usage:{{if .Runnable}}
  {{.UseLine}}{{end}}{{if .HasAvailableSubCommands}}
  {{.CommandPath}} [command]{{end}}{{if .HasExample}}

Examples:
{{.Example}}{{end}}{{if .HasAvailableSubCommands}}{{$cmds := .Commands}}{{if eq (len .Groups) 0}}

Commands:{{range $cmds}}{{if (or .IsAvailableCommand (eq .Name "help"))}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}{{else}}{{range $group := .Groups}}

{{.Title}}{{range $cmds}}{{if (and (eq .GroupID $group.ID) (or .IsAvailableCommand (eq .Name "help")))}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}{{end}}{{end}}{{end}}{{if .HasAvailableLocalFlags}}

Flags:
{{.LocalFlags.FlagUsagesWrapped 80 | trimTrailingWhitespaces}}{{end}}{{if .HasAvailableInheritedFlags}}

Global flags:
{{.InheritedFlags.FlagUsagesWrapped 80 | trimTrailingWhitespaces}}{{end}}{{if .HasAvailableSubCommands}}

Use "{{.CommandPath}} [command] --help" for more about a command.{{end}}
`

// Run executes a command line and returns the exit code.
func Run(ctx context.Context, p shell.Program, args []string) int {
	life, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	sh := &shell.Shell{Program: p, GiveUp: giveUp}
	root := NewRoot(sh)
	root.SetArgs(args)
	root.SetIn(p.Console.In)
	root.SetOut(p.Console.Out)
	root.SetErr(p.Console.Err)
	cmd, err := root.ExecuteContextC(life)
	if ctx.Err() == nil && life.Err() != nil {
		err = ranError{context.Cause(life)} // all other errors come of it
	}
	return conclude(sh, cmd, err, sh.JSON || asksForJSON(args))
}

// Commands is the tree of all commands, for man pages and completion scripts.
func Commands() *cobra.Command { return NewRoot(&shell.Shell{}) }

// asksForJSON looks for the flag in a command line that was not read to its end.
func asksForJSON(args []string) bool {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	return slices.Contains(args, "--json")
}
