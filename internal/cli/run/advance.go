package run

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/drive"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/hook/relay"
	"github.com/stellwerk-dev/stellwerk/internal/snapshot"
)

type advanceOptions struct {
	session string
	to      string
	base    string
}

func NewAdvance(sh *shell.Shell) *cobra.Command {
	o := &advanceOptions{}
	cmd := &cobra.Command{
		Annotations: shell.Mark(shell.Local, shell.ForPeople),
		Use:         "advance VERB [TEXT...] [flags]",
		Short:       "Do what the person in a session asked for",
		Long: `Agents call this in an interactive session that owns a run. It does what the
person in the session asked for and prints what the session must do next. VERB
is one of

  approve, complete    approve what waits; complete only if that publishes.
                       With --base the pull request targets another branch, and
                       the person is asked again
  feedback [TEXT]      do the stage again
  rollback [STAGE] [TEXT]
                       go back to a stage, by its id or the number of its phase
                       (or --to STAGE). Put TEXT into quotes
  skip, retry          skip the stage, or give it its attempts back
  pause, resume        stop the run for now, or let it go on
  status               only print what is next

Without TEXT the command passes on the person's last message, word for word. It
refuses a verb that needs the person if they have written nothing in the session
since they were asked.`,
		Example: `  stellwerk advance approve
  stellwerk advance rollback 2 "check who may do it"
  stellwerk advance rollback --to backend "check who may do it"`,
		Args:      cobra.MinimumNArgs(1),
		ValidArgs: []string{"approve", "complete", "feedback", "rollback", "skip", "retry", "pause", "resume", "status"},
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), sh, args[0], args[1:])
		},
	}
	cmd.Flags().StringVar(&o.session, "session", "", "`ID` of the session (default $"+shell.SessionVariable+")")
	cmd.Flags().StringVar(&o.to, "to", "", "`STAGE` to go back to, or the number of a phase")
	cmd.Flags().StringVar(&o.base, "base", "", "another target `BRANCH` for the pull request; asks the person again")
	return cmd
}

func (o *advanceOptions) run(ctx context.Context, sh *shell.Shell, verb string, words []string) error {
	o.session = cmp.Or(o.session, sh.Session)
	if !snapshot.IsSession(o.session) {
		return shell.Usagef("name a session with --session or %s; in a terminal, use stellwerk %s", shell.SessionVariable, verb)
	}
	if o.to != "" && verb != "rollback" {
		return shell.Usagef("--to goes only with rollback")
	}
	if o.base != "" && verb != "approve" && verb != "complete" {
		return shell.Usagef("--base goes only with approve and complete")
	}
	if err := sh.EnsureEngine(ctx); err != nil {
		return err
	}
	ctx = api.AsSession(ctx, o.session)
	return sh.Connect(ctx, func(svc api.Service) error {
		turn, err := svc.Turn(ctx, o.session, api.TurnQuery{Peek: true})
		if err != nil {
			return err
		}
		if turn.Run == nil {
			return o.without(ctx, sh, svc, verb)
		}
		if verb == "rollback" && o.to == "" {
			if words, err = o.target(ctx, svc, turn.Run.ID, words); err != nil {
				return err
			}
		}
		run, err := o.steer(ctx, sh, svc, turn, verb, strings.TrimSpace(strings.Join(words, " ")))
		if err != nil {
			return err
		}
		if verb != "status" {
			return drive.TellNext(ctx, sh, svc, o.session, run)
		}
		detail, err := svc.Run(ctx, run.ID)
		if err != nil {
			return err
		}
		return sh.Print(detail, sh.View().Run(detail)...)
	})
}

// target takes the stage to go back to from the words of a rollback, if the first
// is a stage's id or number and at most one argument follows, the text. More
// arguments are a sentence, which may begin with a stage's name too.
func (o *advanceOptions) target(ctx context.Context, svc api.Service, run string, words []string) ([]string, error) {
	if len(words) == 0 || len(words) > 2 {
		return words, nil
	}
	detail, err := svc.Run(ctx, run)
	if err != nil {
		return nil, err
	}
	for _, s := range detail.Stages {
		if words[0] == s.ID || words[0] == s.Number && s.Number != "" {
			o.to = s.ID
			return words[1:], nil
		}
	}
	return words, nil
}

// without answers if the session owns no run.
func (o *advanceOptions) without(ctx context.Context, sh *shell.Shell, svc api.Service, verb string) error {
	if verb != "status" {
		return core.Errorf(core.CodeConflict, "session %s owns no run", o.session).
			WithHint("if the person wants it to take one over: stellwerk resume RUN --session")
	}
	open, err := svc.Runs(ctx, api.RunQuery{Dir: sh.Dir, Open: true})
	if err != nil {
		return err
	}
	elsewhere := slices.DeleteFunc(open, func(r api.Run) bool { return r.Session == "" })
	lines := sh.View().Runs(elsewhere)
	if len(elsewhere) > 0 {
		lines = append(lines, fmt.Sprintf("The person decides: /stellwerk:resume %s continues it here, /stellwerk:cancel ends it.", terminal.Line(elsewhere[0].Alias)))
	}
	return sh.PrintList(elsewhere, lines, "No session owns a run in this repository.")
}

// steer does what the verb says to the session's run.
func (o *advanceOptions) steer(ctx context.Context, sh *shell.Shell, svc api.Service, turn api.Turn, verb, text string) (api.Run, error) {
	id := turn.Run.ID
	var subject *core.Subject
	if turn.Gate != nil {
		subject = &turn.Gate.Subject
	}
	if text == "" && (verb == "feedback" || verb == "rollback") {
		var err error
		if text, err = o.lastSaid(sh, verb); err != nil {
			return api.Run{}, err
		}
	}
	switch verb {
	case "status":
		return *turn.Run, nil
	case "approve", "complete":
		if verb == "complete" && (subject == nil || subject.Ref == "") {
			return api.Run{}, core.Errorf(core.CodeConflict, "run %s is not waiting to publish anything", turn.Run.Alias).WithHint("stellwerk advance status")
		}
		return svc.Approve(ctx, id, api.Approve{Subject: subject, Comment: text, Base: o.base})
	case "feedback":
		return svc.Feedback(ctx, id, api.Feedback{Subject: subject, Text: text})
	case "rollback":
		return svc.Rollback(ctx, id, api.Rollback{Subject: subject, To: o.to, Text: text})
	case "skip":
		return svc.Skip(ctx, id, api.Skip{Reason: text})
	case "retry":
		return svc.Retry(ctx, id, api.Retry{})
	case "pause":
		return svc.Pause(ctx, id, api.Pause{Reason: text})
	case "resume":
		return svc.Resume(ctx, id, api.Resume{})
	}
	return api.Run{}, shell.Usagef("advance %s: VERB is one of approve, complete, feedback, rollback, skip, retry, pause, resume, status", verb)
}

// lastSaid is the person's last message in the session.
func (o *advanceOptions) lastSaid(sh *shell.Shell, verb string) (string, error) {
	opts, err := sh.Options()
	if err != nil {
		return "", err
	}
	said, err := relay.LastSaid(opts.State, o.session, verb)
	if err == nil && said == "" {
		err = shell.Usagef("say what to change: stellwerk advance %s 'the person's words'", verb)
	}
	return said, err
}
