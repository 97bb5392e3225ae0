package drive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// errDecided ends a question that somebody else has answered.
var errDecided = errors.New("already decided")

// question is a gate that is put to the person.
type question struct {
	sh  *shell.Shell
	svc api.Service
	d   api.RunDetail
	// stands ends when the gate is no longer the one that was shown.
	stands context.Context
}

// askAtGate asks the person about a gate. It returns nil if they leave it, and the
// run as it was shown if somebody else has decided meanwhile.
func askAtGate(ctx context.Context, sh *shell.Shell, svc api.Service, d api.RunDetail) (*api.Run, error) {
	stands, unwatch := watchGate(ctx, svc, d)
	defer unwatch()
	q := &question{sh: sh, svc: svc, d: d, stands: stands}
	sh.PrintLines(sh.View().Run(d))
	run, err := q.put(ctx)
	if errors.Is(err, errDecided) {
		sh.Printf("Somebody else already decided %s.\n", terminal.Line(d.Alias))
		return &d.Run, nil
	}
	return run, err
}

// watchGate follows the run while its gate is shown. The context that it returns
// ends with errDecided once the gate has changed, and with CodeUnavailable if the
// engine goes.
func watchGate(ctx context.Context, svc api.Service, d api.RunDetail) (context.Context, func()) {
	stands, cancel := context.WithCancelCause(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		err := svc.Follow(stands, d.ID, d.Seq, func(core.Event) error {
			now, err := svc.Run(stands, d.ID)
			if err == nil && !sameGate(now, d) {
				err = errDecided
			}
			return err
		})
		if err == nil { // the run has ended
			err = errDecided
		}
		cancel(err)
	}()
	return stands, func() {
		cancel(nil)
		<-ended
	}
}

func sameGate(now, shown api.RunDetail) bool {
	return now.Status == shown.Status && now.Gate != nil && !now.Gate.Approved &&
		now.Gate.Event == shown.Gate.Event && now.Gate.Subject == shown.Gate.Subject
}

// put asks until there is an answer.
func (q *question) put(ctx context.Context) (*api.Run, error) {
	feedback, rollback := "[f]eedback, ", "[r]ollback, "
	if q.d.Onward {
		rollback = ""
	}
	if !takesFeedback(q.d) {
		feedback = ""
	}
	base := ""
	if q.d.Gate.Subject.Base != "" {
		base = "another [b]ase branch, "
	}
	for {
		choice, err := q.sh.Answer(q.stands, "\n[a]pprove, "+feedback+rollback+base+"[s]how documents, show [d]iff, or [l]eave: ")
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		run, decided, err := q.choose(ctx, strings.ToLower(choice))
		switch {
		case err != nil && q.stands.Err() != nil:
			return nil, context.Cause(q.stands)
		case core.CodeOf(err) == core.CodeUnavailable:
			return nil, err
		case err != nil:
			// A refusal is an answer: say why, and ask again.
			q.sh.Complain(err.Error(), q.sh.WithFlags(wording.Hint(err)))
		case decided:
			return run, nil
		}
	}
}

// choose carries out one answer, about the gate that was shown. decided is false
// if the question must be asked again.
func (q *question) choose(ctx context.Context, choice string) (run *api.Run, decided bool, err error) {
	sh, svc, d := q.sh, q.svc, q.d
	said := func(r api.Run, err error) (*api.Run, bool, error) { return &r, err == nil, err }
	switch choice {
	case "a", "approve":
		with, err := q.withSecrets()
		if err != nil || !with && len(d.Gate.Leaks) > 0 {
			return nil, false, err
		}
		return said(svc.Approve(ctx, d.ID, api.Approve{Subject: &d.Gate.Subject, WithSecrets: with}))
	case "f", "feedback":
		text, err := sh.Prompt(q.stands, "What should change? ")
		if err != nil || text == "" {
			return nil, false, err
		}
		return said(svc.Feedback(ctx, d.ID, api.Feedback{Subject: &d.Gate.Subject, Text: text}))
	case "r", "rollback":
		to, err := q.wayBack()
		if err != nil || to == "" && d.Gate.Suggestion == "" {
			return nil, false, err
		}
		text, err := sh.Prompt(q.stands, "What should change there? (optional) ")
		if err != nil {
			return nil, false, err
		}
		return said(svc.Rollback(ctx, d.ID, api.Rollback{Subject: &d.Gate.Subject, To: to, Text: text}))
	case "b", "base":
		return q.rebase(ctx)
	case "s", "show":
		showGate(ctx, sh, svc, d)
		return nil, false, nil
	case "d", "diff":
		return nil, false, PrintDiff(ctx, sh, svc, d, api.DiffQuery{})
	case "":
		return nil, false, nil
	case "l", "leave", "q":
		return nil, true, nil
	}
	sh.Printf("Please answer with one of the letters.\n")
	return nil, false, nil
}

// withSecrets asks whether to publish possible secrets. It wants words: a letter is
// typed too easily.
func (q *question) withSecrets() (bool, error) {
	n := core.Places(q.d.Gate.Leaks)
	if n == 0 {
		return false, nil
	}
	answer, err := q.sh.Prompt(q.stands, fmt.Sprintf("%s above may be a secret. To publish anyway, type: with secrets\n> ", wording.Count(n, "place")))
	return strings.EqualFold(strings.TrimSpace(answer), "with secrets"), err
}

// rebase has the engine prepare the pull request for another target branch, and ask
// again.
func (q *question) rebase(ctx context.Context) (run *api.Run, decided bool, err error) {
	now := q.d.Gate.Subject.Base
	if now == "" {
		q.sh.Printf("This gate publishes nothing.\n")
		return nil, false, nil
	}
	base, err := q.sh.Prompt(q.stands, fmt.Sprintf("Into which branch? [%s] ", terminal.Line(now)))
	if err != nil || base == "" || base == now {
		return nil, false, err
	}
	r, err := q.svc.Approve(ctx, q.d.ID, api.Approve{Subject: &q.d.Gate.Subject, Base: base})
	return &r, err == nil, err
}

// takesFeedback reports a gate with an agent to act on feedback: not one of a stage
// in which the engine acts, nor in waves, whose planner reads only answers.
func takesFeedback(d api.RunDetail) bool {
	at := slices.IndexFunc(d.Stages, func(s api.Stage) bool { return s.ID == d.Gate.Subject.Stage })
	return d.Waves == nil && (d.Onward || at < 0 || !acts(d.Stages[at]))
}

// acts reports a stage in which the engine itself acts, and no agent.
func acts(s api.Stage) bool {
	return slices.ContainsFunc(s.Tasks, func(t api.Task) bool { return t.Act != "" })
}

// wayBack asks which stage to go back to: one of those that an agent has worked on.
func (q *question) wayBack() (string, error) {
	var begun []string
	for _, s := range q.d.Stages {
		if s.Round > 0 && !acts(s) {
			begun = append(begun, s.ID)
		}
	}
	line := "Back to which stage? (" + strings.Join(begun, ", ") + ")"
	if s := q.d.Gate.Suggestion; s != "" {
		line += " [" + s + "]"
	}
	return q.sh.Prompt(q.stands, terminal.Line(line)+" ")
}
