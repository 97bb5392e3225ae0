package app

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// Questions implements api.Conversation.
func (a *App) Questions(ctx context.Context) ([]api.Question, error) {
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
	return viewQuestions(rows, load, func(project string) (string, error) { return a.projectName(ctx, project) })
}

// viewQuestions shows questions to people. Each run is loaded once, however much it
// asks; those of a run that load has none for are left out.
func viewQuestions(rows []store.MessageRow, load func(run string) (*core.Run, error), name func(project string) (string, error)) ([]api.Question, error) {
	list := make([]api.Question, 0, len(rows))
	type asking struct {
		run     *core.Run
		project string
	}
	known := map[string]asking{}
	for _, row := range rows {
		from, ok := known[row.Run]
		if !ok {
			var err error
			if from.run, err = load(row.Run); err != nil {
				return nil, err
			}
			if from.project, err = name(row.Project); err != nil {
				return nil, err
			}
			known[row.Run] = from
		}
		if from.run != nil {
			list = append(list, viewQuestion(from.run, from.project, row))
		}
	}
	return list, nil
}

// viewQuestion shows a question of a run, whose project is called so.
func viewQuestion(run *core.Run, project string, m store.MessageRow) api.Question {
	q := api.Question{ID: m.Question, Project: project, Run: run.Alias, Text: m.Text, Default: m.Default, Due: m.Due, At: m.At, Asker: "the manager"}
	if open := run.Question(m.Question); open != nil {
		q.Asker, q.From, q.Blocking = asker(run, *open), open.From, open.Blocking
	}
	return q
}

// asker is who wants to know something, for a person.
func asker(r *core.Run, q core.Question) string {
	switch {
	case q.From != "":
		return "delegation " + q.From
	case r.ByWaves():
		return "the planner"
	}
	return "the manager"
}

// pending are open questions of a run as they are in the inbox.
func pending(run *core.Run, project string, rows []store.MessageRow) []api.Waiting {
	var all []api.Waiting
	for _, row := range rows {
		q := viewQuestion(run, project, row)
		all = append(all, api.Waiting{
			Kind: api.WaitQuestion, Since: q.At, Reason: fmt.Sprintf("%s asks (%s): %s", q.Asker, q.ID, q.Text),
			Next: wording.Advice("", core.Question{ID: q.ID}.Ask()), Question: &q,
		})
	}
	return all
}

// Answer implements api.Conversation.
func (a *App) Answer(ctx context.Context, question string, req api.Answer) (api.Spoken, error) {
	open, err := a.questionNamed(ctx, question)
	if err != nil {
		return api.Spoken{}, err
	}
	before, err := a.engine.Load(ctx, open.Run)
	if err != nil {
		return api.Spoken{}, err
	}
	run, err := a.engine.Submit(ctx, open.Run, CallerOf(ctx), core.QuestionAnswered{ID: open.Question, Text: a.redactor.String(req.Text)})
	if err != nil {
		return api.Spoken{}, err
	}
	spoken := api.Spoken{Run: viewRun(run), Seq: before.Stream.Seq, Next: heard(run, "")}
	if run.Pause == nil {
		spoken.Next = open.Question + " is answered; " + spoken.Next
	}
	return spoken, nil
}

// questionNamed finds the open question of which somebody gives the beginning.
func (a *App) questionNamed(ctx context.Context, given string) (store.MessageRow, error) {
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
	return store.MessageRow{}, core.Errorf(core.CodeInvalid, "%q is the beginning of %d questions", given, len(found)).
		WithHint("one of: %s", strings.Join(ids, ", "))
}

// closedQuestion says why a question cannot be answered.
func (a *App) closedQuestion(ctx context.Context, given, prefix string) error {
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
	return core.Errorf(core.CodeConflict, "question %s is of a run that is over", last.Question).
		WithHint("look at what waits for you").Offer(core.Choice{Verb: core.VerbInbox})
}

// viewManager shows how a run stands that a manager drives.
func viewManager(r *core.Run) *api.Manager {
	m := &api.Manager{Wakes: r.Wakes, Busy: r.InTurn()}
	m.Idle = !m.Busy && len(m.Wakes) == 0 && !r.UnderWay()
	if s := r.Manager(); s != nil {
		m.Turn = s.Round
		if s.Turn != nil {
			m.Woken = s.Turn.Wakes
		}
	}
	m.Asks = r.Pause != nil && r.Pause.Code == core.PauseQuestion
	m.Due = goesOn(r)
	for _, q := range r.Questions {
		m.Questions = append(m.Questions, openQuestion(r, q))
	}
	for _, d := range r.Delegations {
		view := api.Delegation{ID: d.ID, Title: d.Proposal.Name(), Kind: string(d.Proposal.Kind), Status: string(d.Status), Reason: d.Reason}
		if s := r.Stage(d.Stage); s != nil {
			view.Branch = s.Branch
		}
		m.Delegations = append(m.Delegations, view)
	}
	return m
}

// openQuestion is a question of a run that nobody has answered.
func openQuestion(r *core.Run, q core.Question) api.Question {
	return api.Question{
		ID: q.ID, Project: r.Project, Run: r.Alias, Asker: asker(r, q), From: q.From, Blocking: q.Blocking,
		Text: q.Text, Default: q.Default, Due: q.Due, At: q.At,
	}
}

// goesOn is when a run that waits for answers goes on without them: all its
// questions have defaults. Zero where it does not.
func goesOn(r *core.Run) time.Time {
	var due time.Time
	for _, q := range r.Questions {
		if q.Due.IsZero() {
			return time.Time{}
		}
		if q.Due.After(due) {
			due = q.Due
		}
	}
	return due
}
