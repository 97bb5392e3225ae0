// Package talk has the commands of conversations: saying, chatting, answering and
// reading them.
package talk

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/drive"
	playbookcmd "github.com/stellwerk-dev/stellwerk/internal/cli/playbook"
	projectcmd "github.com/stellwerk-dev/stellwerk/internal/cli/project"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/playbook"
)

type sayOptions struct {
	role  string
	wait  bool
	in    string // conversation
	start api.StartRun
	after drive.After
}

func NewSay(sh *shell.Shell) *cobra.Command {
	o := &sayOptions{}
	cmd := &cobra.Command{
		Annotations: shell.Mark(shell.ForPeople),
		Use:         `say [PROJECT] TEXT... [flags]`,
		Short:       "Say something to a project's manager",
		Long: `Sends a message to a project's conversation and wakes its manager. Name the
PROJECT by its name, its id, a path in its repository, or one of its runs; the
default is the working directory's. If you give several words, the first is the
PROJECT; without a PROJECT, quote the text. With - as TEXT, the command reads
standard input.

If no run drives the project, the message starts one and becomes its goal. A
message never answers a question and never approves anything: use answer and
approve.` + drive.AfterHelp,
		Example: `  stellwerk say "the search must ignore case"
  stellwerk say shop --wait "how far are we?"
  stellwerk say ./shop - < notes.md`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: shell.CompleteAddressees(sh),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), sh, args) },
	}
	o.flags(sh, cmd)
	f := cmd.Flags()
	f.BoolVarP(&o.wait, "wait", "w", false, "wait for the manager's reply and show it")
	o.after.Flags(cmd)
	cmd.MarkFlagsMutuallyExclusive("wait", "follow", "detach")
	return cmd
}

// flags are those of commands that may start a run with a person's words.
func (o *sayOptions) flags(sh *shell.Shell, cmd *cobra.Command) {
	f := cmd.Flags()
	inConversation(cmd, sh, &o.in, "send it to this `CONVERSATION`, by name or id (default main)")
	f.StringVar(&o.role, "role", string(core.VoiceUser), "`ROLE` to speak as: user, or blue for a program that speaks for people")
	f.StringVarP(&o.start.Playbook, "playbook", "p", "", "playbook `FILE|NAME` for a new run (default the project's, or project)")
	f.StringVar(&o.start.Base, "base", "", "`BRANCH` that a new run starts from (default the current one)")
	f.StringVar(&o.start.Network, "network", "", "network for a new run's agents: listed, none or open (default listed)")
	f.StringVar(&o.start.Isolation, "isolation", "", "isolation of a new run: sandbox or none (default sandbox)")
	f.BoolVar(&o.start.Trust, "trust", false, "trust the repository's playbook and roles as they are now")
	shell.CompleteFlag(cmd, "role", shell.Choices(string(core.VoiceUser), string(core.VoiceBlue)))
	shell.CompleteFlag(cmd, "network", shell.Choices(config.NetworkModes()...))
	shell.CompleteFlag(cmd, "isolation", shell.Choices(config.IsolationSandbox, config.IsolationNone))
	shell.CompleteFlag(cmd, "playbook", shell.Offer(sh.PlaybookNames))
}

func (o *sayOptions) run(ctx context.Context, sh *shell.Shell, args []string) error {
	if err := o.check(sh); err != nil {
		return err
	}
	project, text, err := speech(sh, args)
	if err != nil {
		return err
	}
	if o.after.Detach {
		if err := sh.EnsureEngine(ctx); err != nil {
			return err
		}
	}
	return sh.Connect(ctx, func(svc api.Service) error {
		if project == "" {
			if err := notAName(ctx, svc, text); err != nil {
				return err
			}
		}
		spoken, err := o.speak(ctx, sh, svc, project, text)
		if err != nil {
			return err
		}
		return afterSpeaking(ctx, sh, svc, spoken, o.wait, o.after)
	})
}

// check refuses wrong flags.
func (o *sayOptions) check(sh *shell.Shell) error {
	if o.start.Trust {
		if err := sh.RefuseAgents("say with --trust"); err != nil {
			return err
		}
	}
	switch core.Voice(o.role) {
	case core.VoiceUser, core.VoiceBlue:
		return nil
	case core.VoiceGreen, core.VoiceRed:
		return shell.Usagef("--role %s: only agents have that role; use user or blue", o.role)
	}
	return shell.Usagef("--role %s: use user or blue", o.role)
}

// speech splits arguments into an addressee, if there are several, and a text.
func speech(sh *shell.Shell, args []string) (to, text string, err error) {
	text = args[0]
	if len(args) > 1 {
		to, text = args[0], strings.Join(args[1:], " ")
	}
	if text, err = sh.ReadText(text, ""); err != nil {
		return "", "", err
	}
	if text = strings.TrimSpace(text); text == "" {
		return "", "", shell.Usagef("the message is empty")
	}
	return to, text, nil
}

// notAName refuses a project's or a run's name without words: it would start a
// run.
func notAName(ctx context.Context, svc api.Service, text string) error {
	if strings.ContainsAny(text, " \t\n/") || strings.HasPrefix(text, ".") {
		return nil
	}
	_, err := svc.Messages(ctx, api.MessageQuery{Project: text, Limit: 1})
	switch core.CodeOf(err) {
	case core.CodeNotFound, core.CodeInvalid: // nothing is called so, or begins so
		return nil
	default:
	}
	if err != nil {
		return err
	}
	return shell.Usagef("%s is a project or a run; add your message", text)
}

// speak sends a message. If it starts a run that would use untrusted files of the
// repository, it asks the person once.
func (o *sayOptions) speak(ctx context.Context, sh *shell.Shell, svc api.Service, project, text string) (api.Spoken, error) {
	req := api.Speak{Project: project, Dir: sh.Dir, Text: text, Voice: core.Voice(o.role), Conversation: o.in, Start: &o.start}
	spoken, err := svc.Speak(ctx, req)
	if core.CodeOf(err) != core.CodeUntrusted || project != "" {
		return spoken, err
	}
	look := api.Trust{Dir: sh.Dir, Playbook: o.playbook(ctx, sh, svc, project), Base: o.start.Base}
	if err := playbookcmd.AskIfUntrusted(ctx, sh, svc, look, "say", err); err != nil {
		return spoken, err
	}
	return svc.Speak(ctx, req)
}

// playbook is the one for a run that a message starts.
func (o *sayOptions) playbook(ctx context.Context, sh *shell.Shell, svc api.Service, project string) string {
	if o.start.Playbook != "" {
		return o.start.Playbook
	}
	if name, err := projectcmd.Find(ctx, sh, svc, project); err == nil {
		if d, err := svc.Project(ctx, name); err == nil && d.Playbook != "" {
			return d.Playbook
		}
	}
	return playbook.Project
}

// afterSpeaking prints what the engine did with a message, and continues the run.
func afterSpeaking(ctx context.Context, sh *shell.Shell, svc api.Service, s api.Spoken, wait bool, a drive.After) error {
	sh.Warn(slices.Concat(s.Run.Warnings, s.Run.Notes))
	if sh.JSON && !wait && !a.Follow {
		return sh.PrintJSON(s)
	}
	if !sh.JSON {
		sh.PrintText(s.Run.Alias+": ", s.Next)
	}
	if paused := s.Run.Status == core.StatusPaused; paused && wait {
		return shell.Exit(shell.ExitWaiting) // nobody reads it now
	} else if paused && !a.Follow {
		return nil
	}
	if wait {
		return awaitReply(ctx, sh, svc, s)
	}
	return drive.Continue(ctx, sh, svc, s.Run, a)
}
