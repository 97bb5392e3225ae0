package engine_test

import (
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// timed are limits of a project that may work for so long.
func timed(d time.Duration) core.Limits { return projectLimits(core.ProjectLimits{WallTime: d}) }

// looks waits until a run means to look at its project's time so long after the
// first event of the test.
func (b *bench) looks(id string, after time.Duration) {
	b.t.Helper()
	want := began().Add(after)
	if !waittest.Until(func() bool { return b.load(id).ProjectTimeUp().Equal(want) }) {
		b.t.Fatalf("%s looks at %s, want %s", id, b.load(id).ProjectTimeUp(), want)
	}
}

// looked has a run take a step, and waits for the look that follows it.
func (b *bench) looked(id string) {
	b.t.Helper()
	handed := b.recorder.handed(id)
	b.submit(id, core.Engine(), core.TimerFired{Timer: "t"})
	b.recorder.awaitHanded(b.t, id, handed+2)
}

// at moves the clock to so long after the first event of the test.
func (b *bench) at(after time.Duration) { b.clock.move(began().Add(after).Sub(b.clock.Now())) }

func (b *bench) paused(ids ...string) {
	b.t.Helper()
	for _, id := range ids {
		b.recorder.await(b.t, "the stop of "+id, stops(id))
		if state := b.load(id); state.Status != core.StatusPaused || state.Pause.Code != core.PauseBudget {
			b.t.Errorf("%s is %s: %+v", id, state.Status, state.Pause)
		}
	}
}

// used is what all runs have worked by now.
func (b *bench) used(want time.Duration) {
	b.t.Helper()
	if got, err := b.store.Spent(b.t.Context(), "p", "", b.clock.Now()); err != nil || got.Worked != want {
		b.t.Fatalf("the runs have worked %s (%v), want %s", got.Worked, err, want)
	}
}

// TestRunsUseTheTimeOfTheirProjectUpTogether has runs begin one after another:
// the more work, the earlier the time is up, and by the database's clock it is
// not passed at all.
func TestRunsUseTheTimeOfTheirProjectUpTogether(t *testing.T) {
	b := newBench(t)
	b.running("r1", timed(time.Hour))
	b.looks("r1", 60*time.Minute)
	b.looked("r1") // and comes to rest, until somebody hints at it
	b.at(20 * time.Minute)
	b.running("r2", timed(time.Hour)) // 40 minutes are left for two
	b.looks("r1", 40*time.Minute)
	b.looks("r2", 40*time.Minute)
	b.at(30 * time.Minute)
	b.running("free", core.DefaultLimits()) // 20 minutes are left for three, of which one is not held to it
	for _, id := range []string{"r1", "r2"} {
		b.looks(id, 36*time.Minute+40*time.Second)
	}
	b.at(36*time.Minute + 39*time.Second)
	b.used(time.Hour - 3*time.Second)
	for _, id := range []string{"r1", "r2"} {
		if state := b.submit(id, core.Engine(), core.TimerFired{Timer: "due"}); state.Status != core.StatusActive {
			t.Fatalf("with a second left %s is %s: %+v", id, state.Status, state.Pause)
		}
	}
	b.at(36*time.Minute + 40*time.Second)
	b.paused("r1", "r2")
	b.used(time.Hour)
	if state := b.load("free"); state.Status != core.StatusActive {
		t.Errorf("who is not held to it is %s", state.Status)
	}
}

// TestTimeThatOthersDoNotUseIsLeft has a run stop early, and another be resumed
// with more time, which it does not pass either.
func TestTimeThatOthersDoNotUseIsLeft(t *testing.T) {
	b := newBench(t)
	b.running("r1", timed(time.Hour))
	b.running("r2", timed(time.Hour))
	b.looks("r1", 30*time.Minute)
	b.looks("r2", 30*time.Minute)
	b.at(10 * time.Minute)
	b.submit("r2", core.Person("me"), core.RunCancelled{})
	b.at(30 * time.Minute)
	b.looks("r1", 50*time.Minute)
	b.at(50 * time.Minute)
	b.paused("r1")
	b.used(time.Hour)

	b.at(90 * time.Minute)
	b.submit("r1", core.Engine(), core.AttemptExited{Attempt: "a.r1.a1", Kind: core.ExitCancelled})
	if _, err := b.engine.Submit(t.Context(), "r1", core.Person("me"), core.RunResumed{}); core.CodeOf(err) != core.CodeConflict {
		t.Fatalf("resumed without more: %v", err)
	}
	more := timed(2 * time.Hour)
	if state := b.submit("r1", core.Person("me"), core.RunResumed{Limits: &more}); state.Status != core.StatusActive {
		t.Fatalf("with more, r1 is %s: %+v", state.Status, state.Pause)
	}
	b.looks("r1", 150*time.Minute)
	b.used(time.Hour)
	b.at(100 * time.Minute)
	b.recorder.await(t, "the second attempt", isStart("a.r1.a2"))
	b.at(150*time.Minute - time.Microsecond)
	b.submit("r1", core.Engine(), core.AttemptStarted{Attempt: "a.r1.a2"})
	b.at(150 * time.Minute)
	b.recorder.await(t, "the stop of the second attempt", func(a core.Action) bool {
		s, ok := a.(core.StopAttempt)
		return ok && s.Attempt == "a.r1.a2"
	})
	b.used(2 * time.Hour)
	state := b.submit("r3", core.Person("me"), start("r3", timed(2*time.Hour)))
	if state.Status != core.StatusPaused || state.Attempts != 0 {
		t.Errorf("a run that begins now is %s with %d attempts", state.Status, state.Attempts)
	}
}

// TestTimeRunsOutWithoutAnEngine: the next one stops at once what went on.
func TestTimeRunsOutWithoutAnEngine(t *testing.T) {
	b := newBench(t)
	b.running("r1", timed(time.Hour))
	b.running("r2", timed(time.Hour))
	b.looks("r1", 30*time.Minute)
	b.close()
	b.at(45 * time.Minute)
	b.open()
	b.paused("r1", "r2")
	b.used(90 * time.Minute)
}

// TestTellingComesToRest: runs that know of one another are not told again,
// however often they are looked at.
func TestTellingComesToRest(t *testing.T) {
	b := newBench(t)
	ids := []string{"r1", "r2", "r3"}
	for _, id := range ids {
		b.running(id, timed(time.Hour))
	}
	for _, id := range ids {
		b.looks(id, 20*time.Minute)
	}
	for minute := range 10 {
		b.at(time.Duration(minute) * time.Minute)
		for _, id := range ids {
			b.looked(id)
		}
	}
	b.stop()
	b.stop = func() {}
	told := 0
	for _, id := range ids {
		events, err := b.store.Events(t.Context(), core.RunStream(id), 0, 1000)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if e.Type == core.TypeProjectSpent {
				told++
			}
		}
	}
	if told == 0 || told > 5 { // the first of two others at most, the second of one before and one after, the last of both at once
		t.Errorf("the runs were told %d times", told)
	}
}
