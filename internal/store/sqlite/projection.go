package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/query"
)

// project writes the projections and the snapshot of a commit.
func project(ctx context.Context, tx *txn, c store.Commit) error {
	if c.Run != nil {
		if err := putRun(ctx, tx, runParams(c.Run)); err != nil {
			return fmt.Errorf("row of run %s: %w", c.Run.ID, err)
		}
	}
	if c.Project != nil {
		if err := tx.PutProject(ctx, projectParams(c.Project)); err != nil {
			return fmt.Errorf("row of project %s: %w", c.Project.ID, err)
		}
	}
	for i := range c.Tasks {
		if err := tx.PutTask(ctx, taskParams(&c.Tasks[i])); err != nil {
			return fmt.Errorf("row of task %s: %w", c.Tasks[i].ID, err)
		}
	}
	for i := range c.Messages {
		if err := tx.PutMessage(ctx, messageParams(&c.Messages[i])); err != nil {
			return fmt.Errorf("message %s: %w", c.Messages[i].Event, err)
		}
	}
	for _, talk := range c.Conversations {
		err := tx.PutConversation(ctx, query.PutConversationParams{
			ID: talk.ID, ProjectID: talk.Project, Name: talk.Name, CreatedBy: talk.CreatedBy, CreatedAt: micros(talk.CreatedAt),
		})
		if err != nil {
			return fmt.Errorf("row of conversation %s: %w", talk.ID, err)
		}
	}
	if p := c.Progress; p != nil {
		err := tx.DriveProject(ctx, query.DriveProjectParams{
			ID: p.Project, Status: string(p.Status), CurrentEpic: p.Epic, IntegrationBranch: p.Branch, LastActivity: micros(p.At),
			PrUrl: p.PRURL, PrNumber: int64(p.PRNumber), Reason: p.Reason,
		})
		if err != nil {
			return fmt.Errorf("row of project %s: %w", p.Project, err)
		}
	}
	if p := c.Standing; p != nil {
		err := tx.StandProject(ctx, query.StandProjectParams{
			ID: p.Project, Name: p.Name, Playbook: p.Playbook, Paused: p.Paused, ArchivedAt: optionalMicros(p.ArchivedAt),
			Queued: int64(p.Queued), Refused: int64(p.Refused), At: micros(p.At),
		})
		if err != nil {
			return fmt.Errorf("row of project %s: %w", p.Project, err)
		}
	}
	if snap := c.Snapshot; snap != nil {
		err := tx.PutSnapshot(ctx, query.PutSnapshotParams{
			Stream: c.Stream, Seq: snap.Head.Seq, Hash: snap.Head.Hash, At: micros(snap.Head.At),
			Format: int64(snap.Format), State: snap.State,
		})
		if err != nil {
			return fmt.Errorf("snapshot of %s: %w", c.Stream, err)
		}
	}
	return nil
}

// putRun writes a run's row, and the indices only where it is new to them.
func putRun(ctx context.Context, tx *txn, r query.PutRunParams) error {
	n, err := tx.UpdateRun(ctx, query.UpdateRunParams{
		Title: r.Title, Goal: r.Goal, Issue: r.Issue, Reason: r.Reason, Stage: r.Stage, Branch: r.Branch, Base: r.Base,
		Url: r.Url, Isolation: r.Isolation, Attempts: r.Attempts, CostUsd: r.CostUsd, Tokens: r.Tokens,
		UpdatedAt: r.UpdatedAt, EndedAt: r.EndedAt, Worked: r.Worked, Unpriced: r.Unpriced, HeldUsd: r.HeldUsd, HeldTokens: r.HeldTokens,
		ID: r.ID, Alias: r.Alias, ProjectID: r.ProjectID, Status: r.Status, StartedAt: r.StartedAt, Limited: r.Limited,
	})
	if err != nil || n > 0 {
		return err
	}
	return tx.PutRun(ctx, r)
}

// Run finds a run by its id, or the newest of an alias.
func (s *Store) Run(ctx context.Context, idOrAlias string) (store.RunRow, error) {
	row, err := s.read.Run(ctx, idOrAlias)
	if errors.Is(err, sql.ErrNoRows) {
		row, err = s.read.RunByAlias(ctx, idOrAlias)
	}
	if err != nil {
		return store.RunRow{}, s.missing(err, "run "+idOrAlias)
	}
	return runRow(row), nil
}

// Runs lists runs, newest first.
func (s *Store) Runs(ctx context.Context, f store.Filter) ([]store.RunRow, error) {
	rows, err := s.runs(ctx, f)
	if err != nil {
		err = s.missing(err, "run "+f.Before)
	}
	return list(s, rows, err, runRow)
}

func (s *Store) runs(ctx context.Context, f store.Filter) ([]query.Run, error) {
	limit := sqlLimit(f.Limit)
	switch {
	case f.Before != "" || f.Status != "":
		return s.runPage(ctx, f)
	case f.Project != "" && f.Open:
		return s.read.OpenProjectRuns(ctx, query.OpenProjectRunsParams{ProjectID: f.Project, Most: limit})
	case f.Project != "":
		return s.read.ProjectRuns(ctx, query.ProjectRunsParams{ProjectID: f.Project, Most: limit})
	case f.Open:
		return s.read.OpenRuns(ctx, limit)
	}
	return s.read.Runs(ctx, limit)
}

// runPage lists runs of a status, or those that come after one in the list.
func (s *Store) runPage(ctx context.Context, f store.Filter) ([]query.Run, error) {
	page := query.ProjectRunPageParams{
		ProjectID: f.Project, At: math.MaxInt64, Status: string(f.Status), AnyStatus: 1, Most: sqlLimit(f.Limit),
	}
	if f.Open {
		page.AnyStatus = 0
	}
	if f.Before != "" {
		before, err := s.read.Run(ctx, f.Before)
		if err != nil {
			return nil, err
		}
		page.At, page.ID = before.StartedAt, before.ID
	}
	if f.Project != "" {
		return s.read.ProjectRunPage(ctx, page)
	}
	return s.read.RunPage(ctx, query.RunPageParams{At: page.At, ID: page.ID, Status: page.Status, AnyStatus: page.AnyStatus, Most: page.Most})
}

// RunTotals sums up all runs of a project.
func (s *Store) RunTotals(ctx context.Context, project string) (store.RunTotals, error) {
	row, err := s.read.RunTotals(ctx, project)
	if err != nil {
		return store.RunTotals{}, s.explain(err)
	}
	totals := store.RunTotals{Runs: int(row.Runs), CostUSD: core.SumUSD(row.CostUsd), Unpriced: int(row.Unpriced), Tokens: row.Tokens}
	if row.Runs > 0 {
		totals.UpdatedAt = fromMicros(row.UpdatedAt)
	}
	return totals, nil
}

// Project finds a project by its id, or the oldest of a name.
func (s *Store) Project(ctx context.Context, idOrName string) (store.ProjectRow, error) {
	row, err := s.read.Project(ctx, idOrName)
	if errors.Is(err, sql.ErrNoRows) {
		row, err = s.read.ProjectByName(ctx, idOrName)
	}
	if err != nil {
		return store.ProjectRow{}, s.missing(err, "project "+idOrName)
	}
	return projectRow(row), nil
}

// TaskCounts counts the tasks of a project by their status.
func (s *Store) TaskCounts(ctx context.Context, project string) (map[string]int, error) {
	rows, err := s.read.TaskCounts(ctx, project)
	if err != nil {
		return nil, s.explain(err)
	}
	counts := map[string]int{}
	for _, r := range rows {
		counts[r.Status] = int(r.Tasks)
	}
	return counts, nil
}

// Projects lists projects, the one where something happened last first.
func (s *Store) Projects(ctx context.Context, limit int) ([]store.ProjectRow, error) {
	rows, err := s.read.Projects(ctx, sqlLimit(limit))
	return list(s, rows, err, projectRow)
}

// Tasks lists the tasks of a run in the order they were made.
func (s *Store) Tasks(ctx context.Context, run string) ([]store.TaskRow, error) {
	rows, err := s.read.Tasks(ctx, run)
	return list(s, rows, err, taskRow)
}
