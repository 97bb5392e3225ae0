package crash

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// TestAnEpicIsStartedOnceWhereverAnEngineDies lets one engine after the other die
// while a goal waits for its turn and becomes a run, each at a durable step at
// which none has died before: also between the run's start and the note of it.
func TestAnEpicIsStartedOnceWhereverAnEngineDies(t *testing.T) {
	t.Parallel() // most of the time is waited
	w := newWorld(t, "none", projectStory)
	o := w.order()
	o.Queue, o.After = true, chance(t).IntN(2) == 0
	for o.Spared = []string{}; ; w.kills++ {
		l := w.live(o)
		l.end()
		if l.over.Load() {
			break
		}
		if l.fell == "" {
			t.Fatalf("engine %d died of something else: %s", w.lives, l.state)
		}
		o.Spared = append(o.Spared, l.spare(false)...)
	}
	w.quiet()
	w.startedOnce()
	t.Logf("%d kills, after a step: %t", w.kills, o.After)
	w.diedAt([]core.Type{core.TypeEpicQueued, core.TypeRunCancelled, core.TypeRunStarted, core.TypeEpicTaken}, o.Spared)
}

// startedOnce: both goals became runs, the second by its turn, and nothing else did.
func (w *world) startedOnce() {
	w.t.Helper()
	db := w.truth()
	defer w.shut(db)
	runs, err := db.Runs(context.Background(), store.Filter{})
	if err != nil || len(runs) != 2 || runs[0].Title != goalOn("second") || runs[1].Title != goalOn("first") {
		w.t.Fatalf("the runs are %+v, %v", runs, err)
	}
	events, err := db.Events(context.Background(), core.ProjectStream(runs[0].Project), 0, 0)
	if err != nil {
		w.t.Fatal(err)
	}
	count := map[core.Type]int{}
	for _, e := range events {
		count[e.Type]++
	}
	if count[core.TypeEpicQueued] != 1 || count[core.TypeEpicTaken] != 1 || count[core.TypeEpicRefused] != 0 {
		w.t.Fatalf("the project's events are %v", count)
	}
}

// succession has one goal wait behind another, ends that, and sees the next one
// begin. What an engine before came to is not done again.
func (o order) succession(ctx context.Context, a api.Service) error {
	runs, queued, err := o.standing(ctx, a)
	for _, goal := range []string{goalOn("first"), goalOn("second")} {
		if _, known := runs[goal]; err == nil && !known && (goal == goalOn("first") || queued == 0) {
			_, err = a.StartRun(ctx, api.StartRun{Dir: o.Repository, Goal: goal, Playbook: o.Playbook, Isolation: o.Isolation, Trust: true})
		}
	}
	if err == nil {
		runs, _, err = o.standing(ctx, a)
	}
	if err == nil {
		err = ended(ctx, a, runs[goalOn("first")])
	}
	begun := waittest.Until(func() bool {
		if err == nil {
			runs, queued, err = o.standing(ctx, a)
		}
		_, known := runs[goalOn("second")]
		return err != nil || known && queued == 0
	})
	if err != nil || !begun {
		return errors.Join(err, fmt.Errorf("the second goal begun: %t, runs %v, %d queued", begun, runs, queued))
	}
	return ended(ctx, a, runs[goalOn("second")])
}

// standing is which runs there are, by their goals, and how many goals wait.
func (o order) standing(ctx context.Context, a api.Service) (map[string]api.Run, int, error) {
	list, err := a.Runs(ctx, api.RunQuery{})
	if err != nil {
		return nil, 0, err
	}
	runs := map[string]api.Run{}
	for _, r := range list {
		runs[r.Title] = r
	}
	projects, err := a.Projects(ctx, api.ProjectQuery{Dir: o.Repository})
	if err != nil || len(projects) == 0 {
		return runs, 0, err
	}
	return runs, projects[0].Queued + projects[0].Refused, nil
}

func ended(ctx context.Context, a api.Service, run api.Run) error {
	if run.Status.Terminal() {
		return nil
	}
	_, err := a.Cancel(ctx, run.ID, api.Cancel{})
	if core.CodeOf(err) == core.CodeConflict {
		return nil // it has ended this moment
	}
	return err
}
