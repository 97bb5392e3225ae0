package postgres

import (
	"context"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/postgres/query"
)

// budgetFields say how much the project's other runs may have used at most.
func budgetFields(b *store.Budget) fields {
	room := b.Limits.Room(b.Share, b.Intent)
	f := fields{"project": b.Project, "run": b.Run, "at": stamp(b.At)}
	for name, most := range map[string]*int64{
		"cost": room.Nanos, "tokens": room.Tokens, "attempts": room.Attempts, "drawn": room.DrawnNanos, "drawn_tokens": room.DrawnTokens,
	} {
		if most != nil {
			f[name] = *most
		}
	}
	if room.Worked != nil {
		f["worked"] = room.Worked.Truncate(time.Microsecond).Microseconds()
		if *room.Worked < 0 {
			f["worked"] = -1 // nobody has worked less
		}
	}
	return f
}

// Spent is what the runs of a project have used in all by a moment, but for one of them.
func (s *Store) Spent(ctx context.Context, project, except string, at time.Time) (core.Spent, error) {
	row, err := s.q.Spent(ctx, query.SpentParams{Project: project, But: except, At: at})
	return spent(row).total(), explain("what project "+project+" has spent", err)
}

// Spending is what runs have used that began at since or later, by day and project.
func (s *Store) Spending(ctx context.Context, since time.Time) ([]store.DaySpent, error) {
	rows, err := s.q.Spending(ctx, since)
	return list("spending", rows, err, func(r query.SpendingRow) store.DaySpent {
		return store.DaySpent{
			Day: r.Day.UTC(), Project: r.ProjectID, Runs: int(r.Runs), Attempts: int(r.Attempts), CostUSD: core.SumUSD(r.CostUsd), Unpriced: int(r.Unpriced), Tokens: r.Tokens,
		}
	})
}
