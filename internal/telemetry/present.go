package telemetry

import (
	"context"
	"log/slog"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// present reports the current state when it is asked: what is open, waiting and in
// use.
type present struct {
	source Source
	place  string // whose slots are counted
	owned  func() (projects int, lease time.Duration)
	log    *slog.Logger
}

// lookTime bounds how long a scrape may look.
const lookTime = 5 * time.Second

// look fills a registry. What cannot be looked up is left out, and logged.
func (p *present) look(ctx context.Context, r *registry) {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	if p.owned != nil {
		projects, lease := p.owned()
		r.add("gauge", "stellwerk_projects_owned", "Projects that this engine works on.", nil).set(float64(projects))
		r.add("gauge", "stellwerk_lease_age_seconds", "Since this engine asked for the lease by which it owns projects; 0 if it owns none.", nil).set(lease.Seconds())
	}
	if runs, err := p.source.Runs(ctx, store.Filter{Open: true}); err != nil {
		p.log.Warn("count the runs", "error", err)
	} else {
		by := map[core.RunStatus]int{}
		for _, row := range runs {
			by[row.Status]++
		}
		f := r.add("gauge", "stellwerk_runs", "Runs that are not over, by where they stand.", nil, "status")
		for _, status := range []core.RunStatus{core.StatusActive, core.StatusAwaiting, core.StatusPaused, core.StatusReview} {
			f.set(float64(by[status]), string(status))
		}
	}
	if slots, err := p.source.Slots(ctx, ""); err != nil {
		p.log.Warn("count the slots", "error", err)
	} else {
		held, waiting := map[string]int{}, map[string]int{}
		for _, s := range slots {
			if s.Held {
				held[s.Pools[0].Key]++
			} else {
				waiting[s.Pools[0].Key]++
			}
		}
		inUse := r.add("gauge", "stellwerk_slots_in_use", "Slots of this machine that attempts hold, by their pool.", nil, "pool")
		wanted := r.add("gauge", "stellwerk_slots_waiting", "Attempts that wait for a slot of this machine, by its pool.", nil, "pool")
		for pool, key := range map[string]string{"attempts": core.AttemptSlots(p.place), "managers": core.ManagerSlots(p.place)} {
			inUse.set(float64(held[key]), pool)
			wanted.set(float64(waiting[key]), pool)
		}
	}
	if questions, err := p.source.Questions(ctx); err != nil {
		p.log.Warn("count the questions", "error", err)
	} else {
		r.add("gauge", "stellwerk_questions_open", "Questions to people that nobody has answered.", nil).set(float64(len(questions)))
	}
}
