package sqlite

import (
	"context"
	"fmt"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/query"
)

// within refuses a step that the limits of the run's project do not allow.
// Writes follow one another, so no two runs can take what only one of them may.
func within(ctx context.Context, tx *txn, b *store.Budget) error {
	if b == nil {
		return nil
	}
	row, err := tx.Spent(ctx, query.SpentParams{ProjectID: b.Project, ID: b.Run, At: micros(b.At)})
	if err != nil {
		return fmt.Errorf("what project %s has spent: %w", b.Project, err)
	}
	others := spent(row)
	if b.Limits.Allows(others.Add(b.Share), b.Intent) {
		return nil
	}
	return &store.BudgetSpent{Project: b.Project, Others: others, At: b.At}
}

// stir raises the hints of the other runs of a project that may have to stop now: those that
// are held to its limits.
func stir(ctx context.Context, tx *txn, c store.Commit, now int64) error {
	if !c.Spends || c.Run == nil {
		return nil
	}
	n, err := tx.StirProject(ctx, query.StirProjectParams{Now: now, Project: c.Run.Project, Run: c.Run.ID})
	if err != nil {
		return fmt.Errorf("hint at the runs of project %s: %w", c.Run.Project, err)
	}
	tx.raised = tx.raised || n > 0
	return nil
}

// Spent is what the runs of a project have used in all by a moment, but for one
// of them.
func (s *Store) Spent(ctx context.Context, project, except string, at time.Time) (core.Spent, error) {
	row, err := s.read.Spent(ctx, query.SpentParams{ProjectID: project, ID: except, At: micros(at)})
	if err != nil {
		return core.Spent{}, s.explain(err)
	}
	return spent(row), nil
}

func spent(row query.SpentRow) core.Spent {
	return core.Spent{
		CostUSD: core.SumUSD(row.CostUsd), Tokens: row.Tokens, Attempts: int(row.Attempts), Unpriced: int(row.Unpriced),
		Worked: time.Duration(row.Worked) * time.Microsecond, Working: int(row.Working),
		HeldUSD: core.SumUSD(row.HeldUsd), HeldTokens: row.HeldTokens,
	}
}

// Spending is what runs have used that began at since or later, by day and
// project.
func (s *Store) Spending(ctx context.Context, since time.Time) ([]store.DaySpent, error) {
	rows, err := s.read.Spending(ctx, micros(since))
	if err != nil {
		err = fmt.Errorf("spending since %s: %w", since, err)
	}
	return list(s, rows, err, func(r query.SpendingRow) store.DaySpent {
		return store.DaySpent{
			Day: time.Unix(r.Day*24*60*60, 0).UTC(), Project: r.ProjectID, Runs: int(r.Runs), Attempts: int(r.Attempts),
			CostUSD: core.SumUSD(r.CostUsd), Unpriced: int(r.Unpriced), Tokens: r.Tokens,
		}
	})
}
