package storetest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/store"
)

func testSpending(t *testing.T, open Open) {
	s := open(t)
	first := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for id, run := range map[string]store.RunRow{
		"before":   {Project: "p", StartedAt: first.Add(-time.Microsecond), CostUSD: 100},
		"first":    {Project: "p", StartedAt: first, CostUSD: 1, Tokens: 10, Attempts: 1, Unpriced: 1},
		"same day": {Project: "p", StartedAt: first.Add(24*time.Hour - time.Microsecond), CostUSD: 2, Tokens: 20, Attempts: 2, Unpriced: 1},
		"other":    {Project: "o", StartedAt: first, CostUSD: 4},
		"next":     {Project: "p", StartedAt: first.Add(24 * time.Hour), CostUSD: 8, Tokens: 80},
	} {
		run.ID, run.Status, run.UpdatedAt = id, "completed", run.StartedAt
		push(t, s, "run/"+id, func(c *store.Commit) { c.Run = &run })
	}
	got, err := s.Spending(t.Context(), first)
	if err != nil {
		t.Fatal(err)
	}
	want := []store.DaySpent{
		{Day: first, Project: "o", Runs: 1, CostUSD: 4},
		{Day: first, Project: "p", Runs: 2, Attempts: 3, CostUSD: 3, Unpriced: 2, Tokens: 30},
		{Day: first.Add(24 * time.Hour), Project: "p", Runs: 1, CostUSD: 8, Tokens: 80},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
