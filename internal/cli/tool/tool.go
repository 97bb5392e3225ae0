// Package tool has the tools of agents as commands, and serves them over MCP.
package tool

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/access"
	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/playbook"
	"github.com/stellwerk-dev/stellwerk/internal/tool"
)

func New(sh *shell.Shell) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "tool",
		Short: "Use a project manager's tools",
		Long: `The tools of a project's manager. Its agent calls them through scripts on its
PATH: delegate-to-red, send-message, update-plan and request-clarification.
Agents of a run in waves read documents with fetch-detail. A person can use the
tools in the manager's place; without --run or --project they act on the project
of the working directory.

Every tool takes --role: people speak as user, programs that speak for people as
blue, and agents only as themselves.

If the engine refuses a call, the command says why and what to do instead, and
the exit code is not 0.`,
		Example: `  stellwerk tool delegate "Add GET /health; it answers 200 and ok."
  stellwerk tool message "The API is done."
  stellwerk tool plan "step 2 is done"
  stellwerk tool question "Which database?" --default SQLite --after 2h
  stellwerk tool detail d3 --run calm-fox`,
	}
	f := cmd.PersistentFlags()
	f.StringVar(&o.run, "run", "", "the `RUN` to work on")
	f.StringVar(&o.project, "project", "", "the `PROJECT` whose open run to work on")
	cmd.AddCommand(newDelegate(sh, o), newMessage(sh, o), newPlan(sh, o), newQuestion(sh, o), newDetail(sh, o))
	for _, sub := range cmd.Commands() {
		if sub.Flags().Lookup("role") == nil { // delegate's also says who does the work
			o.speaks(sub)
		}
	}
	return cmd
}

// options say for which run the tools are.
type options struct{ run, project, voice string }

// voiceHelp explains --role if it is the caller's voice.
const voiceHelp = "`VOICE` to speak as: user or blue; agents are green (manager) or red (worker)"

// conversationHelp explains --conversation of the tools that say something.
const conversationHelp = "`CONVERSATION` to write to, by name or id (default the one that woke the manager, or that started the run)"

// speaks gives a command the flag for the caller's voice.
func (o *options) speaks(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.voice, "role", "", voiceHelp)
	shell.CompleteFlag(cmd, "role", shell.Choices(string(core.VoiceUser), string(core.VoiceBlue)))
}

// isVoice reports a word that names a voice, not a worker's role.
func isVoice(word string) bool {
	switch core.Voice(word) {
	case core.VoiceUser, core.VoiceBlue, core.VoiceGreen, core.VoiceRed:
		return true
	}
	return false
}

// check refuses an unknown voice. The engine decides whether the caller may use it.
func (o *options) check() error {
	if o.voice == "" || isVoice(o.voice) {
		return nil
	}
	return shell.Usagef("--role %s: use user, blue, green or red", o.voice)
}

// use calls fn with the tools of the attempt that runs this process, or with those
// of the person.
func (o *options) use(ctx context.Context, sh *shell.Shell, fn func(tool.Kit) error) error {
	if err := o.check(); err != nil {
		return err
	}
	if token := sh.Env(agent.EnvToken); token != "" && !access.LooksLikeToken(token) {
		return o.useAsAttempt(ctx, sh, token, fn)
	}
	if err := sh.RefuseAttempt("a tool call without a token"); err != nil {
		return err
	}
	if voice := core.Voice(o.voice); voice == core.VoiceGreen || voice == core.VoiceRed {
		return shell.Usagef("--role %s: only agents have that role; use user or blue", o.voice)
	}
	return sh.Connect(ctx, func(svc api.Service) error {
		run, err := o.find(ctx, sh, svc)
		if err != nil {
			return err
		}
		return fn(tool.Kit{Tools: svc, Run: run, Dir: sh.Repository().Root, Voice: core.Voice(o.voice)})
	})
}

// call uses a tool and prints its answer, as JSON or as say puts it.
func call[T any](ctx context.Context, sh *shell.Shell, o *options, say func(T) string, use func(tool.Kit) (T, error)) error {
	return o.use(ctx, sh, func(k tool.Kit) error {
		answer, err := use(k)
		if err != nil {
			return err
		}
		return sh.Print(answer, terminal.Text(say(answer)))
	})
}

func (o *options) useAsAttempt(ctx context.Context, sh *shell.Shell, token string, fn func(tool.Kit) error) error {
	if o.project != "" {
		return shell.Usagef("an attempt can act only on its own run: leave out --project")
	}
	tools, closeEngine, err := sh.Tools(ctx, sh.Env(agent.EnvSocket), token)
	if err != nil {
		return err
	}
	kit := tool.Kit{Tools: tools, Run: cmp.Or(o.run, sh.Env(agent.EnvRun)), Dir: sh.Dir, Origin: sh.Env(agent.EnvOrigin), Voice: core.Voice(o.voice)}
	if err = fn(kit); core.CodeOf(err) == core.CodeUnavailable {
		err = errors.Join(err, kit.Unheard())
	}
	if closing := closeEngine(); err == nil {
		err = closing
	}
	return err
}

// find names the run that a person means: the open one of their project.
func (o *options) find(ctx context.Context, sh *shell.Shell, svc api.Service) (string, error) {
	if o.run != "" {
		return o.run, nil
	}
	q := api.RunQuery{Open: true}
	if o.project == "" {
		q.Dir = sh.Dir
	}
	runs, err := svc.Runs(ctx, q)
	if err != nil {
		return "", err
	}
	runs = slices.DeleteFunc(runs, func(r api.Run) bool {
		return r.Kind != playbook.KindManager && r.Kind != playbook.KindRules && r.Kind != playbook.KindWaves || o.project != "" && r.Project != o.project
	})
	switch len(runs) {
	case 0:
		return "", core.Errorf(core.CodeNotFound, "no project has an open run here").
			WithHint("name it with --run or --project, or start one: stellwerk run \"…\" --playbook project")
	case 1:
		return runs[0].ID, nil
	}
	return "", shell.Ambiguous(runs)
}
