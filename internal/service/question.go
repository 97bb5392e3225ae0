package service

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/show"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// Questions implements api.Conversation.
func (a *Service) Questions(ctx context.Context) ([]api.Question, error) {
	rows, err := a.store.Questions(ctx)
	if err != nil {
		return nil, err
	}
	load := func(run string) (*core.Run, error) {
		r, err := a.engine.Load(ctx, run)
		if unreadable(ctx, err) { // which the inbox says
			return nil, nil
		}
		return r, err
	}
	return show.Questions(rows, load, func(project string) (string, error) { return a.find.ProjectName(ctx, project) })
}

// pending are open questions of a run as they are in the inbox.
func pending(run *core.Run, project string, rows []store.MessageRow) []api.Waiting {
	var all []api.Waiting
	for _, row := range rows {
		q := show.Question(run, project, row)
		all = append(all, api.Waiting{
			Kind: api.WaitQuestion, Since: q.At, Reason: fmt.Sprintf("%s asks (%s): %s", q.Asker, q.ID, q.Text),
			Next: wording.Advice("", core.Question{ID: q.ID}.Ask()), Question: &q,
		})
	}
	return all
}

// Answer implements api.Conversation.
func (a *Service) Answer(ctx context.Context, question string, req api.Answer) (api.Spoken, error) {
	open, err := a.questionNamed(ctx, question)
	if err != nil {
		return api.Spoken{}, err
	}
	before, err := a.engine.Load(ctx, open.Run)
	if err != nil {
		return api.Spoken{}, err
	}
	run, err := a.engine.Submit(ctx, open.Run, api.CallerFrom(ctx).Actor, core.QuestionAnswered{ID: open.Question, Text: a.redactor.String(req.Text)})
	if err != nil {
		return api.Spoken{}, err
	}
	spoken := api.Spoken{Run: show.Run(run), Seq: before.Stream.Seq, Next: heard(run, "")}
	if run.Pause == nil {
		spoken.Next = open.Question + " is answered; " + spoken.Next
	}
	return spoken, nil
}

// questionNamed finds the open question of which somebody gives the beginning.
func (a *Service) questionNamed(ctx context.Context, given string) (store.MessageRow, error) {
	prefix := "q-" + strings.TrimPrefix(given, "q-")
	rows, err := a.store.Questions(ctx)
	if err != nil {
		return store.MessageRow{}, err
	}
	var found []store.MessageRow
	var ids []string
	for _, q := range rows {
		if strings.HasPrefix(q.Question, prefix) && !slices.Contains(ids, q.Question) {
			found, ids = append(found, q), append(ids, q.Question)
		}
	}
	switch len(found) {
	case 0:
		return store.MessageRow{}, a.closedQuestion(ctx, given, prefix)
	case 1:
		return found[0], nil
	}
	return store.MessageRow{}, core.Errorf(core.CodeInvalid, "%d questions begin with %q", len(found), given).
		WithHint("one of: %s", strings.Join(ids, ", "))
}

// closedQuestion says why a question cannot be answered.
func (a *Service) closedQuestion(ctx context.Context, given, prefix string) error {
	about, err := a.store.About(ctx, prefix)
	if err != nil {
		return err
	}
	if len(about) == 0 || len(given) < 3 {
		return core.Errorf(core.CodeNotFound, "there is no question %.80q", given).WithHint("look at what waits for you").Offer(core.Choice{Verb: core.VerbInbox})
	}
	last := about[len(about)-1]
	if last.Kind == core.SaidAnswer {
		by := last.By
		if last.Voice == "" {
			by = "nobody in time, so that its default holds"
		}
		if last.By == core.PlannerStage {
			by = "the planner, from what was known"
		}
		run, err := a.engine.Load(ctx, last.Run)
		if err != nil {
			return err
		}
		return core.Errorf(core.CodeConflict, "question %s was answered before by %s: %s", last.Question, by, last.Text).
			Advise(run.Differently())
	}
	return core.Errorf(core.CodeConflict, "the run that asked question %s is over", last.Question).
		WithHint("look at what waits for you").Offer(core.Choice{Verb: core.VerbInbox})
}
