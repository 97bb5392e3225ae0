package show

import (
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// Asker is who wants to know something, for a person.
func Asker(r *core.Run, q core.Question) string {
	switch {
	case q.From != "":
		return "delegation " + q.From
	case r.ByWaves():
		return "the planner"
	}
	return "the manager"
}

// manager shows how a run stands that a manager drives.
func manager(r *core.Run) *api.Manager {
	m := &api.Manager{Wakes: r.Managing.Wakes, Busy: r.InTurn()}
	m.Idle = !m.Busy && len(m.Wakes) == 0 && !r.UnderWay()
	if s := r.Manager(); s != nil {
		m.Turn = s.Round
		if s.Turn != nil {
			m.Woken = s.Turn.Wakes
		}
	}
	m.Asks = r.Pause != nil && r.Pause.Code == core.PauseQuestion
	m.Due = goesOn(r.Questions)
	for _, q := range r.Questions {
		m.Questions = append(m.Questions, openQuestion(r, q))
	}
	for _, d := range r.Managing.Delegations {
		view := api.Delegation{ID: d.ID, Title: d.Proposal.Name(), Kind: d.Proposal.Kind, Status: d.Status, Reason: d.Reason}
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
		ID: q.ID, Project: r.Project, Run: r.Alias, Asker: Asker(r, q), From: q.From, Blocking: q.Blocking,
		Text: q.Text, Default: q.Default, Due: q.Due, At: q.At,
	}
}

// goesOn is when a run that waits for answers goes on without them: all of these
// questions have defaults. Zero if it does not.
func goesOn(questions []core.Question) time.Time {
	var due time.Time
	for _, q := range questions {
		if q.Due.IsZero() {
			return time.Time{}
		}
		if q.Due.After(due) {
			due = q.Due
		}
	}
	return due
}

// Questions shows questions to people. Each run is loaded once, however much it
// asks; those of a run that load has none for are left out.
func Questions(rows []store.MessageRow, load func(run string) (*core.Run, error), name func(project string) (string, error)) ([]api.Question, error) {
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
			list = append(list, Question(from.run, from.project, row))
		}
	}
	return list, nil
}

// Question shows a question of a run, whose project is called so.
func Question(run *core.Run, project string, m store.MessageRow) api.Question {
	q := api.Question{ID: m.Question, Project: project, Run: run.Alias, Text: m.Text, Default: m.Default, Due: m.Due, At: m.At, Asker: "the manager"}
	if open := run.Question(m.Question); open != nil {
		q.Asker, q.From, q.Blocking = Asker(run, *open), open.From, open.Blocking
	}
	return q
}
