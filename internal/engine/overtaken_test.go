package engine_test

import (
	"slices"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/phases"
	"github.com/stellwerk-dev/stellwerk/internal/engine"
)

// TestAStepThatAnotherEngineOvertookIsTakenAgain, from what that one left.
func TestAStepThatAnotherEngineOvertookIsTakenAgain(t *testing.T) {
	b := newBench(t)
	b.stop()
	other := b.with(engine.Options{Deciders: []core.Decider{phases.Decider{}}})
	before := b.submit("r1", core.Person("me"), start("r1", core.DefaultLimits()))
	if _, err := other.Submit(t.Context(), "r1", core.Engine(), core.TimerFired{Timer: "elsewhere"}); err != nil {
		t.Fatal(err)
	}
	after := b.submit("r1", core.Person("me"), core.RunPaused{Code: core.PausePerson, Reason: "lunch"})
	types := b.types("r1")[before.Stream.Seq:]
	if after.Stream.Seq != before.Stream.Seq+2 || !slices.Equal(types, []core.Type{core.TypeTimerFired, core.TypeRunPaused}) {
		t.Errorf("at %d, %v follow", after.Stream.Seq, types)
	}
	if _, err := other.Submit(t.Context(), "r1", core.Person("me"), core.RunPaused{}); core.CodeOf(err) != core.CodeConflict {
		t.Errorf("a run that another engine paused is paused: %v", err)
	}
}

// TestAWordToAProjectThatMovesOnIsMadeAnew: who speaks is shown the state that their word follows.
func TestAWordToAProjectThatMovesOnIsMadeAnew(t *testing.T) {
	b := newBench(t)
	if err := b.register("p", "shop"); err != nil {
		t.Fatal(err)
	}
	var seen []string
	p, err := b.engine.Tell(t.Context(), "p", core.Person("ada"), func(p *core.Project) (core.Body, error) {
		if seen = append(seen, p.Name); len(seen) == 1 {
			if err := b.engine.Record(t.Context(), "p", core.Person("eve"), core.ProjectNamed{Name: "store"}); err != nil {
				t.Fatal(err)
			}
		}
		return core.ProjectNamed{Name: p.Name + "-2"}, nil
	})
	if err != nil || p.Name != "store-2" || !slices.Equal(seen, []string{"shop", "store"}) {
		t.Errorf("it is %+v, %v; shown %q", p, err, seen)
	}
	now, err := b.engine.Project(t.Context(), "p")
	if err != nil || now.Stream != p.Stream || now.Name != "store-2" {
		t.Errorf("told %+v, and it is %+v, %v", p, now, err)
	}
	refused, err := b.engine.Tell(t.Context(), "p", core.Person("ada"), func(*core.Project) (core.Body, error) { return core.ProjectResumed{}, nil })
	if err == nil || refused == nil || refused.Stream != now.Stream {
		t.Errorf("a word that is refused: %+v, %v", refused, err)
	}
	silence, err := b.engine.Tell(t.Context(), "p", core.Person("ada"), func(*core.Project) (core.Body, error) { return nil, errFault })
	if err != errFault || silence == nil { //nolint:errorlint // it is passed on as it is
		t.Errorf("who says nothing: %+v, %v", silence, err)
	}
	if err := b.register("other", "taken"); err != nil {
		t.Fatal(err)
	}
	before := b.position()
	if err := b.engine.Record(t.Context(), "p", core.Person("ada"), core.ProjectNamed{Name: "taken"}); core.CodeOf(err) != core.CodeConflict || b.position() != before {
		t.Errorf("a name that is taken: %v, at %s", err, b.position())
	}
	if err := b.engine.Record(t.Context(), "p", core.Person("ada"), core.ProjectNamed{Name: "free"}); err != nil || b.position() == before {
		t.Errorf("nobody hears of a name that is free: %v, at %s", err, b.position())
	}
	if none, err := b.engine.Project(t.Context(), "q"); none != nil || err != nil {
		t.Errorf("one that is not registered: %+v, %v", none, err)
	}
}

// TestALookAnswersForTheStepsSinceItWasClaimed, and never for less than it was claimed for.
func TestALookAnswersForTheStepsSinceItWasClaimed(t *testing.T) {
	b := newBench(t)
	b.stop()
	b.submit("r1", core.Person("me"), start("r1", core.DefaultLimits()))
	hints, err := b.store.Hints(t.Context(), "test", 1)
	if err != nil || len(hints) != 1 {
		t.Fatal(hints, err)
	}
	b.submit("r1", core.Engine(), core.TimerFired{Timer: "t"})
	raised, _, err := b.store.Raised(t.Context(), core.RunStream("r1"), 0, 1)
	if err != nil || raised <= hints[0].Seq {
		t.Fatalf("raised %d, claimed %+v, %v", raised, hints[0], err)
	}
	for _, claimed := range []int64{hints[0].Seq, raised, raised + 5} {
		w := hints[0]
		w.Seq = claimed
		if unfinished, err := b.engine.LookAt(t.Context(), &w); unfinished || err != nil || w.Seq != max(raised, claimed) {
			t.Errorf("claimed for %d, it answers for %d: %v, %v", claimed, w.Seq, unfinished, err)
		}
	}
}
