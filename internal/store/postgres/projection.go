package postgres

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/postgres/query"
)

// Run finds a run by its id, or the newest of an alias.
func (s *Store) Run(ctx context.Context, idOrAlias string) (store.RunRow, error) {
	row, err := s.q.Run(ctx, idOrAlias)
	if absent(err) {
		row, err = s.q.RunByAlias(ctx, idOrAlias)
	}
	if err != nil {
		return store.RunRow{}, missing("run "+idOrAlias, err)
	}
	return runRow(row), nil
}

// never is later than anything.
var never = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)

// Runs lists runs, newest first.
func (s *Store) Runs(ctx context.Context, f store.Filter) ([]store.RunRow, error) {
	page := query.RunsParams{At: never, Status: string(f.Status), Most: most(f.Limit)}
	if f.Before != "" {
		before, err := s.q.Run(ctx, f.Before)
		if err != nil {
			return nil, missing("run "+f.Before, err)
		}
		page.At, page.ID = before.StartedAt, before.ID
	}
	rows, err := s.runs(ctx, f, page)
	return list("runs", rows, err, runRow)
}

func (s *Store) runs(ctx context.Context, f store.Filter, page query.RunsParams) ([]query.Run, error) {
	switch {
	case f.Project != "" && f.Open:
		return s.q.OpenProjectRuns(ctx, query.OpenProjectRunsParams{ProjectID: f.Project, At: page.At, ID: page.ID, Status: page.Status, Most: page.Most})
	case f.Project != "":
		return s.q.ProjectRuns(ctx, query.ProjectRunsParams{ProjectID: f.Project, At: page.At, ID: page.ID, Status: page.Status, Most: page.Most})
	case f.Open:
		return s.q.OpenRuns(ctx, query.OpenRunsParams(page))
	}
	return s.q.Runs(ctx, page)
}

func runRow(r query.Run) store.RunRow {
	return store.RunRow{
		ID: r.ID, Alias: r.Alias, Project: r.ProjectID, Title: r.Title, Goal: r.Goal, Issue: r.Issue,
		Status: core.RunStatus(r.Status), Reason: r.Reason, Stage: r.Stage, Branch: r.Branch, Base: r.Base, URL: r.Url,
		Isolation: r.Isolation, Attempts: int(r.Attempts), CostUSD: r.CostUsd, Unpriced: int(r.Unpriced), Tokens: r.Tokens, HeldUSD: r.HeldUsd, HeldTokens: r.HeldTokens,
		StartedAt: r.StartedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC(), EndedAt: inUTC(r.EndedAt), Limited: r.Limited, Worked: time.Duration(r.Worked) * time.Microsecond,
	}
}

// RunTotals sums up all runs of a project.
func (s *Store) RunTotals(ctx context.Context, project string) (store.RunTotals, error) {
	row, err := s.q.RunTotals(ctx, project)
	if err != nil {
		return store.RunTotals{}, explain("totals of project "+project, err)
	}
	totals := store.RunTotals{Runs: int(row.Runs), CostUSD: core.SumUSD(row.CostUsd), Unpriced: int(row.Unpriced), Tokens: row.Tokens}
	if row.Runs > 0 {
		totals.UpdatedAt = row.UpdatedAt.UTC()
	}
	return totals, nil
}

// Project finds a project by its id, or the oldest of a name.
func (s *Store) Project(ctx context.Context, idOrName string) (store.ProjectRow, error) {
	row, err := s.q.Project(ctx, idOrName)
	if err != nil {
		return store.ProjectRow{}, missing("project "+idOrName, err)
	}
	return projectRow(query.ProjectsRow(row)), nil
}

// Projects lists projects, the one where something happened last first.
func (s *Store) Projects(ctx context.Context, limit int) ([]store.ProjectRow, error) {
	rows, err := s.q.Projects(ctx, most(limit))
	return list("projects", rows, err, projectRow)
}

func projectRow(p query.ProjectsRow) store.ProjectRow {
	return store.ProjectRow{
		ID: p.ID, Name: p.Name, RepoURL: p.RepoUrl, DefaultBranch: p.DefaultBranch, IntegrationBranch: p.IntegrationBranch,
		Status: core.RunStatus(p.Status), CurrentEpic: p.CurrentEpic, LastActivity: p.LastActivity.UTC(), CreatedAt: p.CreatedAt.UTC(), CreatedBy: p.CreatedBy,
		TotalTasks: int(p.TotalTasks), CompletedTasks: int(p.CompletedTasks), FailedTasks: int(p.FailedTasks),
		TotalCostUSD: core.SumUSD(p.TotalCostUsd), Unpriced: int(p.Unpriced), PRURL: p.PrUrl, PRNumber: int(p.PrNumber),
		Playbook: p.Playbook, Paused: p.Paused, ArchivedAt: inUTC(p.ArchivedAt), Queued: int(p.Queued), Refused: int(p.Refused), Reason: p.RunReason,
	}
}

// TaskCounts counts the tasks of a project by their status.
func (s *Store) TaskCounts(ctx context.Context, project string) (map[string]int, error) {
	rows, err := s.q.TaskCounts(ctx, project)
	if err != nil {
		return nil, explain("tasks of project "+project, err)
	}
	counts := map[string]int{}
	for _, r := range rows {
		counts[r.Status] = int(r.Tasks)
	}
	return counts, nil
}

// Tasks lists the tasks of a run in the order they were made.
func (s *Store) Tasks(ctx context.Context, run string) ([]store.TaskRow, error) {
	rows, err := s.q.Tasks(ctx, run)
	return list("tasks of run "+run, rows, err, func(t query.TasksRow) store.TaskRow {
		return store.TaskRow{
			Run: t.RunID, ID: t.Task, Addressee: t.Addressee, Project: t.ProjectID, Kind: t.TaskType, Status: store.TaskStatus(t.Status),
			Prompt: t.Prompt, RepoURL: t.RepoUrl, Branch: t.Branch, TriggeredBy: t.TriggeredBy, CreatedBy: t.CreatedBy,
			CreatedAt: t.CreatedAt.UTC(), StartedAt: inUTC(t.StartedAt), CompletedAt: inUTC(t.CompletedAt), Result: t.Result, Worker: t.WorkerPod,
		}
	})
}

// Messages reads what was said in a project, the oldest first.
func (s *Store) Messages(ctx context.Context, f store.MessageFilter) ([]store.MessageRow, error) {
	if f.Last {
		rows, err := s.q.LastMessages(ctx, query.LastMessagesParams{ProjectID: f.Project, Conversation: f.Conversation, Most: most(f.Limit)})
		slices.Reverse(rows)
		return messageRows(rows, err)
	}
	from := query.MessagesParams{ProjectID: f.Project, Conversation: f.Conversation, Most: most(f.Limit)}
	if f.After != "" {
		m, err := s.q.MessageByEvent(ctx, f.After)
		if err == nil && m.ProjectID != f.Project {
			err = pgx.ErrNoRows
		}
		if err != nil {
			return nil, missing("message "+f.After, err)
		}
		from.At, from.RunID, from.Seq = m.At, m.RunID, m.Seq
	}
	return messageRows(s.q.Messages(ctx, from))
}

// Conversations lists those of a project, the first first.
func (s *Store) Conversations(ctx context.Context, project string) ([]store.ConversationRow, error) {
	rows, err := s.q.Conversations(ctx, project)
	return list("conversations of project "+project, rows, err, func(c query.ConversationsRow) store.ConversationRow {
		row := store.ConversationRow{ID: c.ID, Project: c.ProjectID, Name: c.Name, CreatedBy: c.CreatedBy, CreatedAt: c.CreatedAt.UTC(), Messages: int(c.Messages)}
		if c.Messages > 0 {
			row.LastAt = c.LastAt.UTC()
		}
		return row
	})
}

// Questions lists what nobody has answered, the oldest first.
func (s *Store) Questions(ctx context.Context) ([]store.MessageRow, error) {
	return messageRows(s.q.OpenQuestions(ctx))
}

// About lists the questions whose ids begin with prefix, and their answers.
func (s *Store) About(ctx context.Context, prefix string) ([]store.MessageRow, error) {
	return messageRows(s.q.AboutQuestion(ctx, prefix))
}

func messageRows(rows []query.Message, err error) ([]store.MessageRow, error) {
	return list("messages", rows, err, func(m query.Message) store.MessageRow {
		row := store.MessageRow{
			Project: m.ProjectID, Run: m.RunID, Seq: m.Seq, Event: m.Event, At: m.At.UTC(),
			Said: core.Said{Kind: core.SaidKind(m.Kind), Voice: core.Voice(m.Voice), By: m.Who, Text: m.Text, Question: m.QuestionID, Default: m.DefaultText},
		}
		if m.ConversationID != m.ProjectID {
			row.Conversation = m.ConversationID
		}
		if m.DueAt != nil {
			row.Due = m.DueAt.UTC()
		}
		return row
	})
}
