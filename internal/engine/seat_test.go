package engine_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/phases"
	"github.com/stellwerk-dev/stellwerk/internal/engine"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

const seatElsewhere = "elsewhere"

// orphaned is an engine that has come to own the project of r1, whose attempt took its slots at another place. Before that,
// here says what happens while the engine owns it for the first time, and there what the other hears while nobody does.
func orphaned(t *testing.T, limits core.Limits, here func(*bench), there func(say func(run string, actor core.Actor, word core.Body))) (b *bench, fence int64) {
	t.Helper()
	b = newBench(t)
	b.stop()
	here(b)
	if err := b.engine.Leave(t.Context()); err != nil {
		t.Fatal(err)
	}
	hearer := b.with(engine.Options{ID: "other", Place: seatElsewhere, Deciders: []core.Decider{phases.Decider{}}})
	say := func(run string, actor core.Actor, word core.Body) {
		t.Helper()
		if _, err := hearer.Submit(t.Context(), run, actor, word); err != nil {
			t.Fatal(err)
		}
	}
	say("r1", core.Person("me"), start("r1", limits))
	there(say)
	b.wantSeat("taken where the word was said", seatElsewhere, true)
	if err := b.engine.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	return b, b.engine.Fence("p")
}

// wantSeat compares where the attempt of r1 has its slots, or waits for them.
func (b *bench) wantSeat(when, place string, held bool) {
	b.t.Helper()
	rows, err := b.store.Slots(b.t.Context(), core.RunStream("r1"))
	if err != nil || len(rows) != 1 {
		b.t.Fatalf("%s: %+v, %v", when, rows, err)
	}
	if _, at, _ := strings.Cut(rows[0].Pools[0].Key, "@"); at != place || rows[0].Held != held {
		b.t.Errorf("%s: slots at %s, held %v; want %s, %v", when, at, rows[0].Held, place, held)
	}
}

// wantSeated asks for the attempt of r1 to begin.
func (b *bench) wantSeated(when string, fence int64, want bool) {
	b.t.Helper()
	if seated, err := b.engine.Seat(b.t.Context(), b.load("r1"), fence, "a.r1.a1"); err != nil || seated != want {
		b.t.Errorf("%s: seated %v, %v; want %v", when, seated, err, want)
	}
}

func oneAtOnce() core.Limits {
	l := core.DefaultLimits()
	l.Parallel = 1
	return l
}

func nothingHere(*bench)                                        {}
func nothingThere(func(run string, by core.Actor, w core.Body)) {}

// TestAnAttemptIsSeatedWhereItBegins: it gives up the slots of another place for those of this one, once, and only for the
// project's owner.
func TestAnAttemptIsSeatedWhereItBegins(t *testing.T) {
	b, fence := orphaned(t, oneAtOnce(), nothingHere, nothingThere)
	if _, err := b.engine.Seat(t.Context(), b.load("r1"), fence+1, "a.r1.a1"); !errors.Is(err, store.ErrFenced) {
		t.Errorf("an engine that does not own the project: %v", err)
	}
	b.wantSeat("refused", seatElsewhere, true)
	head := b.head("r1")
	b.wantSeated("the owner", fence, true)
	b.wantSeat("moved", b.engine.Place(), true)
	b.wantSeated("and again", fence, true)
	if b.head("r1") != head {
		t.Errorf("it cost events: %v", b.types("r1"))
	}
}

// TestAnAttemptUnderWayKeepsItsSeat: it runs where it is.
func TestAnAttemptUnderWayKeepsItsSeat(t *testing.T) {
	b, fence := orphaned(t, oneAtOnce(), nothingHere, func(say func(string, core.Actor, core.Body)) {
		say("r1", core.Engine(), core.AttemptStarted{Attempt: "a.r1.a1"})
	})
	b.wantSeated("begun elsewhere", fence, false)
	b.wantSeat("begun elsewhere", seatElsewhere, true)
}

// TestAnAttemptWaitsForAFullPlace: it begins once the owner's machine has a slot for it, and does not get lost meanwhile, also
// if the engine starts again. Whoever waits where it was gets the slot that it leaves.
func TestAnAttemptWaitsForAFullPlace(t *testing.T) {
	b, fence := orphaned(t, oneAtOnce(), func(b *bench) { b.running("r2", oneAtOnce()) }, func(say func(string, core.Actor, core.Body)) {
		say("r3", core.Person("me"), start("r3", oneAtOnce()))
	})
	b.wantLine("before", "r2 r1 | r3")
	for range 2 {
		b.wantSeated("a full place", fence, false)
		b.wantSeat("in the queue", b.engine.Place(), false)
	}
	b.wantLine("r1 has moved", "r2 r3 | r1")
	b.close()
	b.open()
	fence = b.engine.Fence("p")
	b.recorder.await(t, "the start, to be asked for again", isStart("a.r1.a1"))
	b.wantSeated("after a restart", fence, false)
	before := b.recorder.handed("r1")
	b.submit("r2", core.Engine(), core.AttemptExited{Attempt: "a.r1.a1", Kind: core.ExitFinished, Delivery: delivered(1)})
	b.recorder.awaitHanded(t, "r1", before+1)
	b.wantSeated("its turn", fence, true)
}

// TestACancelledAttemptLeavesTheQueue: it is not begun, and holds nobody up.
func TestACancelledAttemptLeavesTheQueue(t *testing.T) {
	b, fence := orphaned(t, oneAtOnce(), func(b *bench) { b.running("r2", oneAtOnce()) }, nothingThere)
	before := b.load("r1")
	b.wantSeated("a full place", fence, false)
	b.submit("r1", core.Person("me"), core.RunCancelled{})
	if seated, err := b.engine.Seat(t.Context(), before, fence, "a.r1.a1"); err != nil || seated {
		t.Errorf("asked by an older state: seated %v, %v", seated, err)
	}
	b.submit("r1", core.Engine(), core.AttemptExited{Attempt: "a.r1.a1", Kind: core.ExitCancelled})
	b.wantLine("cancelled", "r2 | ")
}

// TestAnAttemptKeepsItsProjectsSlot when it moves, although another one waits for it.
func TestAnAttemptKeepsItsProjectsSlot(t *testing.T) {
	limits := core.DefaultLimits()
	limits.Project.Parallel = 1
	b, fence := orphaned(t, limits, nothingHere, func(say func(string, core.Actor, core.Body)) {
		say("r2", core.Person("me"), start("r2", limits))
	})
	b.wantLine("before", "r1 | r2")
	b.wantSeated("the owner", fence, true)
	b.wantSeat("moved", b.engine.Place(), true)
	b.wantLine("r2 waits still", "r1 | r2")
}

// TestALostSeatIsTakenAgain: an attempt that is to begin and has no slots on record waits for them like any other.
func TestALostSeatIsTakenAgain(t *testing.T) {
	b, fence := orphaned(t, oneAtOnce(), nothingHere, nothingThere)
	holder := core.SlotHolder("r1", "a.r1.a1")
	if err := b.store.Commit(t.Context(), store.Commit{Stream: core.RunStream("r1"), After: b.head("r1"), Free: []string{holder}}); err != nil {
		t.Fatal(err)
	}
	b.wantSeated("lost", fence, true)
	b.wantSeat("found again", b.engine.Place(), true)
}

// TestASeatIsTakenByTheNewestState: another engine may have moved the run on since it was handed out.
func TestASeatIsTakenByTheNewestState(t *testing.T) {
	b, fence := orphaned(t, oneAtOnce(), nothingHere, nothingThere)
	before := b.load("r1")
	other := b.with(engine.Options{ID: "other", Place: seatElsewhere, Deciders: []core.Decider{phases.Decider{}}})
	if _, err := other.Submit(t.Context(), "r1", core.Person("me"), lunch); err != nil {
		t.Fatal(err)
	}
	if seated, err := b.engine.Seat(t.Context(), before, fence, "a.r1.a1"); err != nil || !seated {
		t.Errorf("moved on meanwhile: seated %v, %v", seated, err)
	}
	b.wantSeat("moved", b.engine.Place(), true)
}
