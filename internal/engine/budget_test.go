package engine_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// projectLimits are generous for a run, and bound its project.
func projectLimits(p core.ProjectLimits) core.Limits {
	l := core.DefaultLimits()
	l.Parallel, l.Project = 100, p
	return l
}

// running starts a run and its first attempt.
func (b *bench) running(id string, l core.Limits) {
	b.t.Helper()
	b.submit(id, core.Person("me"), start(id, l))
	b.submit(id, core.Engine(), core.AttemptStarted{Attempt: "a.r1.a1"})
}

func (b *bench) spend(id string, usd float64, tokens int64) *core.Run {
	b.t.Helper()
	return b.submit(id, core.Engine(), core.UsageObserved{Attempt: "a.r1.a1", Usage: core.Usage{CostUSD: usd, OutputTokens: tokens}})
}

func stops(run string) func(core.Action) bool {
	return func(a core.Action) bool {
		s, ok := a.(core.StopAttempt)
		return ok && strings.HasPrefix(s.Event, "run/"+run+"#")
	}
}

func (b *bench) load(id string) *core.Run {
	b.t.Helper()
	state, err := b.engine.Load(b.t.Context(), id)
	if err != nil {
		b.t.Fatal(err)
	}
	return state
}

func TestAProjectsLimitStopsAllItsRuns(t *testing.T) {
	for name, p := range map[string]core.ProjectLimits{"money": {CostUSD: 10}, "tokens": {Tokens: 1000}} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			for _, id := range []string{"r1", "r2", "r3"} {
				b.running(id, projectLimits(p))
			}
			other := start("elsewhere", projectLimits(p))
			other.Project = "q"
			b.submit("elsewhere", core.Person("me"), other)

			b.spend("r1", 6, 600)
			b.spend("r2", 3, 300)
			if state := b.load("r3"); state.Status != core.StatusActive {
				t.Fatalf("below the limit, r3 is %s: %+v", state.Status, state.Pause)
			}
			state := b.spend("r2", 4, 400)
			if state.Status != core.StatusPaused || state.Pause.Code != core.PauseBudget || !state.Pause.Stop {
				t.Fatalf("who reached the limit is %s: %+v", state.Status, state.Pause)
			}
			for _, id := range []string{"r1", "r2", "r3"} {
				b.recorder.await(t, "the stop of "+id, stops(id))
				state := b.load(id)
				if state.Status != core.StatusPaused || !strings.Contains(state.Pause.Reason, "the runs of the project have") {
					t.Errorf("%s is %s: %+v", id, state.Status, state.Pause)
				}
				if !strings.Contains(wording.Next(state), "stellwerk resume "+id+" --max-project-") {
					t.Errorf("%s is told %q", id, wording.Next(state))
				}
			}
			if state := b.load("elsewhere"); state.Status != core.StatusActive {
				t.Errorf("another project's run is %s", state.Status)
			}
		})
	}
}

func TestALimitThatWasReachedHoldsForTheNextRunToo(t *testing.T) {
	b := newBench(t)
	l := projectLimits(core.ProjectLimits{CostUSD: 10})
	b.running("r1", l)
	b.submit("r1", core.Engine(), core.AttemptExited{Attempt: "a.r1.a1", Kind: core.ExitFinished, Delivery: delivered(1), Usage: core.Usage{CostUSD: 12}})
	b.submit("r1", core.Person("me"), core.RunCancelled{})
	state := b.submit("r2", core.Person("me"), start("r2", l))
	if state.Status != core.StatusPaused || state.Attempts != 0 {
		t.Fatalf("r2 is %s with %d attempts", state.Status, state.Attempts)
	}

	_, err := b.engine.Submit(t.Context(), "r2", core.Person("me"), core.RunResumed{})
	if core.CodeOf(err) != core.CodeConflict {
		t.Fatalf("resumed without raising it: %v", err)
	}
	l.Project.CostUSD = 20
	state = b.submit("r2", core.Person("me"), core.RunResumed{Limits: &l})
	if state.Status != core.StatusActive || state.Attempts != 1 {
		t.Fatalf("with the limit raised, r2 is %s with %d attempts", state.Status, state.Attempts)
	}
}

// TestOthersAreToldAfterACrash has an engine die between the step that reached
// the limit and the look that tells the other run.
func TestOthersAreToldAfterACrash(t *testing.T) {
	b := newBench(t)
	l := projectLimits(core.ProjectLimits{Tokens: 100})
	b.running("r1", l)
	b.running("r2", l)
	b.stop()
	b.spend("r1", 0, 100)
	if state := b.load("r2"); state.Status != core.StatusActive {
		t.Fatalf("r2 was looked at without an engine: %s", state.Status)
	}
	b.stop = func() {}
	b.close()
	b.open()
	b.recorder.await(t, "the stop of r2", stops("r2"))
}

func TestAttemptsOfAProjectAreCountedAcrossRuns(t *testing.T) {
	const limit, runs = 5, 12
	b := newBench(t)
	var started sync.WaitGroup
	for i := range runs {
		started.Go(func() {
			id := fmt.Sprint("r", i)
			_, err := b.engine.Submit(t.Context(), id, core.Person("me"), start(id, projectLimits(core.ProjectLimits{Attempts: limit})))
			if err != nil {
				t.Error(err)
			}
		})
	}
	started.Wait()
	attempts, paused := 0, 0
	for i := range runs {
		state := b.load(fmt.Sprint("r", i))
		attempts += state.Attempts
		if state.Status == core.StatusPaused && state.Pause.Code == core.PauseProjectLimit && !state.Pause.Stop {
			paused++
		}
	}
	if attempts != limit || paused != runs-limit {
		t.Errorf("%d attempts and %d paused runs, want %d and %d", attempts, paused, limit, runs-limit)
	}
}

func TestSlotsOfAProject(t *testing.T) {
	b := newBench(t)
	l := projectLimits(core.ProjectLimits{Parallel: 1})
	b.submit("r1", core.Person("me"), start("r1", l))
	state := b.submit("r2", core.Person("me"), start("r2", l))
	if blocked := state.Current().Tasks[0].Blocked; blocked == nil || blocked.Key != core.ProjectSlots("p") {
		t.Fatalf("the second run of the project waits for %v", blocked)
	}
	other := start("elsewhere", l)
	other.Project = "q"
	if state := b.submit("elsewhere", core.Person("me"), other); state.Attempts != 1 {
		t.Fatal("another project's run waits, too")
	}
	b.submit("r1", core.Engine(), core.AttemptExited{Attempt: "a.r1.a1", Kind: core.ExitFinished, Delivery: delivered(1)})
	b.recorder.await(t, "the second run's attempt", func(a core.Action) bool {
		s, ok := a.(core.StartAttempt)
		return ok && strings.HasPrefix(s.Event, "run/r2#")
	})
}
