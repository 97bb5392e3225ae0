package capacity

import (
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// answer is what a question costs at the time of the day at which most runs are open.
type answer struct {
	question string
	rows     int
	cpu      time.Duration // of one question
}

// question is asked of the store by engines, or by pages.
type question struct {
	name string
	ask  func() (rows int, err error)
}

func rows[T any](all []T, err error) (int, error) { return len(all), err }

func row[T any](_ T, err error) (int, error) { return 1, err }

// probe asks what engines and pages ask, often enough to see what it costs.
func (co *company) probe() (all []answer) {
	co.t.Helper()
	const least = 20 * time.Millisecond
	run := core.RunStream("r0")
	ctx, db := co.ctx, co.db
	now := time.Now()
	for _, q := range []question{
		{"engine: projects without an owner", func() (int, error) { return rows(db.Adrift(ctx, "", 256)) }},
		{"engine: hints", func() (int, error) { return rows(db.Hints(ctx, "e0", 64)) }},
		{"engine: next time", func() (int, error) { return row(db.NextDue(ctx, now)) }},
		{"engine: position", func() (int, error) { return row(db.Position(ctx)) }},
		{"engine: renew the lease", func() (int, error) { return rows(db.Renew(ctx, "e0", lease)) }},
		{"engine: all open runs", func() (int, error) { return rows(db.Runs(ctx, store.Filter{Open: true})) }},
		{"engine: open runs of a project", func() (int, error) { return rows(db.Runs(ctx, store.Filter{Project: co.started(0), Open: true})) }},
		{"engine: who drives a project", func() (int, error) { return rows(db.Holders(ctx, core.ClaimProject, co.started(0))) }},
		{"page: a run's events", func() (int, error) { return rows(db.Events(ctx, run, 0, 500)) }},
		{"page: a run", func() (int, error) { return row(db.Run(ctx, "r0")) }},
		{"page: 50 runs", func() (int, error) { return rows(db.Runs(ctx, store.Filter{Limit: 50})) }},
		{"page: 50 projects", func() (int, error) { return rows(db.Projects(ctx, 50)) }},
		{"page: all projects", func() (int, error) { return rows(db.Projects(ctx, 0)) }},
		{"page: what waits for people", func() (int, error) { return rows(db.Questions(ctx)) }},
		{"page: engines with their projects", func() (int, error) { return rows(db.Engines(ctx)) }},
		{"page: a month's spending", func() (int, error) { return rows(db.Spending(ctx, now.Add(-30*24*time.Hour))) }},
		{"page: slots", func() (int, error) { return rows(db.Slots(ctx, "")) }},
		{"page: totals of a project", func() (int, error) { return row(db.RunTotals(ctx, co.started(0))) }},
	} {
		begun, times := processor(), 0
		var n int
		var err error
		for processor()-begun < least && err == nil {
			n, err = q.ask()
			times++
		}
		if err != nil {
			co.t.Fatalf("%s: %v", q.name, err)
		}
		all = append(all, answer{q.name, n, (processor() - begun) / time.Duration(times)})
	}
	return all
}
