package service

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/show"
)

const day = 24 * time.Hour

// Spending implements api.Books.
func (a *Service) Spending(ctx context.Context, q api.SpendingQuery) ([]api.DaySpending, error) {
	days := q.Days
	switch {
	case days == 0:
		days = api.DefaultDays
	case days < 0 || days > api.MostDays:
		return nil, core.Errorf(core.CodeInvalid, "cannot show the spending of %d days", days).WithHint("ask for 1 to %d", api.MostDays)
	}
	now, err := a.store.Now(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := a.store.Spending(ctx, now.UTC().Truncate(day).Add(-time.Duration(days-1)*day))
	if err != nil {
		return nil, err
	}
	projects, err := a.store.Projects(ctx, maxProjects)
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, p := range projects {
		names[p.ID] = p.Name
	}
	list := make([]api.DaySpending, len(rows))
	for i, r := range rows {
		list[i] = api.DaySpending{Day: r.Day, Project: r.Project, Name: names[r.Project], Runs: r.Runs, Attempts: r.Attempts, Cost: core.CostOf(r.CostUSD, r.Unpriced), Tokens: r.Tokens}
		if list[i].Name == "" {
			list[i].Name = r.Project
		}
	}
	return list, nil
}

// RunSpending implements api.Books. The run's state forgets what earlier rounds
// used, its history does not.
func (a *Service) RunSpending(ctx context.Context, id string) ([]api.AttemptSpending, error) {
	run, err := a.find.Run(ctx, id)
	if err != nil {
		return nil, err
	}
	var attempts []api.AttemptSpending
	if err := a.books.look(ctx, run.ID, a.eventsOf(run.ID), func(b *book) { attempts = slices.Clone(b.attempts) }); err != nil {
		return nil, fmt.Errorf("what run %s spent: %w", run.Alias, err)
	}
	return attempts, nil
}

// book is what a run's attempts used, as its history tells it.
type book struct {
	tasks    map[string]core.TaskAdmitted
	at       map[string]int // among attempts, by id
	attempts []api.AttemptSpending
}

func newBook() *book { return &book{tasks: map[string]core.TaskAdmitted{}, at: map[string]int{}} }

// take enters one event of a run.
func (b *book) take(ev core.Event) error {
	switch ev.Type {
	case core.TypeTaskAdmitted:
		return entry(ev, func(t core.TaskAdmitted) { b.tasks[t.Task] = core.TaskAdmitted{Stage: t.Stage, Role: t.Role} })
	case core.TypeAttemptRequested:
		return entry(ev, func(r core.AttemptRequested) {
			t := b.tasks[r.Task]
			b.at[r.Attempt] = len(b.attempts)
			b.attempts = append(b.attempts, api.AttemptSpending{Attempt: r.Attempt, Task: r.Task, Stage: t.Stage, Role: t.Role, StartedAt: ev.At, At: ev.At})
		})
	case core.TypeAttemptStarted:
		return entry(ev, func(s core.AttemptStarted) {
			b.heard(ev, s.Attempt, func(a *api.AttemptSpending) { a.Agent, a.StartedAt = s.Agent, ev.At })
		})
	case core.TypeUsageObserved:
		return entry(ev, func(u core.UsageObserved) {
			b.heard(ev, u.Attempt, func(a *api.AttemptSpending) { a.Usage, a.Claimed = u.Used(), show.Claimed(u.Usage, u.Metered) })
		})
	case core.TypeAttemptExited:
		return entry(ev, func(e core.AttemptExited) {
			b.heard(ev, e.Attempt, func(a *api.AttemptSpending) {
				a.Usage, a.Claimed, a.Over = e.Used(), show.Claimed(e.Usage, e.Metered), true
			})
		})
	default: // nothing is spent by it
		return nil
	}
}

func entry[T any](ev core.Event, enter func(T)) error {
	var body T
	if err := json.Unmarshal(ev.Body, &body); err != nil {
		return fmt.Errorf("event %d: %w", ev.Seq, err)
	}
	enter(body)
	return nil
}

// heard notes what became known of an attempt, and when.
func (b *book) heard(ev core.Event, attempt string, note func(*api.AttemptSpending)) {
	if i, ok := b.at[attempt]; ok {
		b.attempts[i].At = ev.At
		note(&b.attempts[i])
	}
}
