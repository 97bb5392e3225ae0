package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/phases"
	"github.com/stellwerk-dev/stellwerk/internal/engine"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// TestEverybodyGetsTheSlot has several runs wait for one slot. Each wait costs two
// events, however many wait and however long.
func TestEverybodyGetsTheSlot(t *testing.T) {
	const runs = 6
	b := newBench(t)
	l := core.DefaultLimits()
	l.Parallel = 1
	for i := range runs {
		b.submit(fmt.Sprint("r", i), core.Person("me"), start(fmt.Sprint("r", i), l))
	}
	ended := map[string]bool{}
	for range runs {
		next := ""
		b.recorder.await(t, "the next attempt", func(a core.Action) bool {
			s, ok := a.(core.StartAttempt)
			if !ok {
				return false
			}
			run, _, _ := strings.Cut(strings.TrimPrefix(s.Event, "run/"), "#")
			if !ended[run] {
				next = run
			}
			return !ended[run]
		})
		ended[next] = true
		b.submit(next, core.Person("me"), core.RunCancelled{})
		b.submit(next, core.Engine(), core.AttemptExited{Attempt: "a.r1.a1", Kind: core.ExitCancelled})
	}
	for i := range runs {
		waits := slices.DeleteFunc(b.types(fmt.Sprint("r", i)), func(t core.Type) bool { return t != core.TypeClaimRefused && t != core.TypeClaimFreed })
		if i == 0 && len(waits) > 0 || i > 0 && !slices.Equal(waits, []core.Type{core.TypeClaimRefused, core.TypeClaimFreed}) {
			t.Errorf("r%d: %v", i, waits)
		}
	}
}

// TestAReleasedSlotIsTakenAtOnce: the run that waits for it is hinted at, long before the next regular look.
func TestAReleasedSlotIsTakenAtOnce(t *testing.T) {
	b := newBench(t)
	b.stop()
	b.recorder = newRecorder()
	b.engine = b.on(b.store, engine.Options{Deciders: []core.Decider{phases.Decider{}}, Look: time.Hour})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- b.engine.Run(ctx) }()
	limits := core.DefaultLimits()
	limits.Parallel = 1
	b.submit("r1", core.Person("me"), start("r1", limits))
	b.submit("r2", core.Person("me"), start("r2", limits))
	b.submit("r1", core.Person("me"), core.RunCancelled{})
	b.submit("r1", core.Engine(), core.AttemptExited{Attempt: "a.r1.a1", Kind: core.ExitCancelled})
	b.recorder.await(t, "the other run's attempt", func(a core.Action) bool {
		s, ok := a.(core.StartAttempt)
		return ok && strings.HasPrefix(s.Event, "run/r2#")
	})
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestARunGivesUpWhatAnEarlierEngineTook: its branch and its slots, once it is over.
func TestARunGivesUpWhatAnEarlierEngineTook(t *testing.T) {
	b := newBench(t)
	b.submit("r1", core.Person("me"), start("r1", core.DefaultLimits()))
	if got := b.inLine(); got != "r1 | " {
		t.Fatalf("slots: %s", got)
	}
	b.close()
	b.open()
	b.submit("r1", core.Person("me"), core.RunCancelled{})
	b.submit("r1", core.Engine(), core.AttemptExited{Attempt: "a.r1.a1", Kind: core.ExitCancelled})
	if held, err := b.store.Claims(t.Context()); err != nil || len(held) > 0 || b.inLine() != " | " {
		t.Errorf("a run that is over holds %v, %v; slots: %s", held, err, b.inLine())
	}
}

// inLine says which runs hold slots, and which wait for them: "r1 | r2 r3".
func (b *bench) inLine() string {
	b.t.Helper()
	rows, err := b.store.Slots(b.t.Context(), "")
	if err != nil {
		b.t.Fatal(err)
	}
	var held, wait []string
	for _, r := range rows {
		if _, run := core.StreamKind(r.Stream); r.Held {
			held = append(held, run)
		} else {
			wait = append(wait, run)
		}
	}
	return strings.Join(held, " ") + " | " + strings.Join(wait, " ")
}

func (b *bench) wantLine(when, want string) {
	b.t.Helper()
	if got := b.inLine(); got != want {
		b.t.Errorf("%s: %q, want %q", when, got, want)
	}
}

// look has somebody look at a run, as a hint would.
func (b *bench) look(run string) {
	b.t.Helper()
	if _, err := b.engine.LookAt(b.t.Context(), &store.Hint{Stream: core.RunStream(run)}); err != nil {
		b.t.Fatal(err)
	}
}

// waitingLine is an engine that nobody has look, and runs of which the first has the only slot.
func waitingLine(t *testing.T, runs ...string) (*bench, core.Limits) {
	t.Helper()
	b := newBench(t)
	b.stop()
	limits := core.DefaultLimits()
	limits.Parallel = 1
	for _, run := range runs {
		b.submit(run, core.Person("me"), start(run, limits))
	}
	b.wantLine("started", runs[0]+" | "+strings.Join(runs[1:], " "))
	return b, limits
}

var lunch = core.RunPaused{Code: core.PausePerson, Reason: "lunch"}

// TestARunThatRestsHasNoPlaceInTheQueue: not while it is paused, and not once it is over. What it was handed meanwhile
// goes to the next.
func TestARunThatRestsHasNoPlaceInTheQueue(t *testing.T) {
	b, _ := waitingLine(t, "r1", "r2", "r3", "r4", "r5")
	b.submit("r2", core.Person("me"), lunch)
	b.wantLine("r2 pauses", "r1 | r3 r4 r5")
	b.submit("r4", core.Person("me"), core.RunCancelled{})
	b.wantLine("r4 is cancelled", "r1 | r3 r5")
	b.submit("r2", core.Person("me"), core.RunResumed{})
	b.wantLine("r2 goes on", "r1 | r3 r5 r2")
	b.submit("r1", core.Engine(), core.AttemptExited{Attempt: "a.r1.a1", Kind: core.ExitFinished, Delivery: delivered(1)})
	b.wantLine("r3 is handed the slot", "r3 | r5 r2")
	b.submit("r3", core.Person("me"), lunch)
	b.wantLine("and pauses before it has noticed", "r5 | r2")
	b.look("r3")
	b.look("r5")
	if state := b.load("r5"); state.Attempts != 1 {
		t.Errorf("r5 has %d attempts", state.Attempts)
	}
	b.wantLine("r5 takes what it was handed", "r5 | r2")
	if types := b.types("r3"); slices.Contains(types, core.TypeClaimFreed) {
		t.Errorf("r3 rests, and has %v", types)
	}
}

// TestTheNextAgentNeedNotWaitForAHandIn: slots are given back when an agent has ended, once, and by the project's owner
// alone. The attempt's end, recorded afterwards, takes nothing from whoever has them by then.
func TestTheNextAgentNeedNotWaitForAHandIn(t *testing.T) {
	b, _ := waitingLine(t, "r1", "r2", "r3")
	vacate := func(run, attempt string) {
		t.Helper()
		if err := b.engine.Vacate(t.Context(), run, 0, attempt); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.engine.Vacate(t.Context(), "r1", 99, "a.r1.a1"); !errors.Is(err, store.ErrFenced) {
		t.Errorf("an engine that does not own it gives slots back: %v", err)
	}
	vacate("r1", "a.r1.a9")
	vacate("r2", "a.r1.a1")
	b.wantLine("nobody has ended who works", "r1 | r2 r3")
	head := b.head("r1")
	vacate("r1", "a.r1.a1")
	b.wantLine("its agent has ended", "r2 | r3")
	if b.head("r1") != head {
		t.Errorf("it cost events: %v", b.types("r1"))
	}
	if b.look("r2"); b.load("r2").Attempts != 1 {
		t.Error("r2 does not begin")
	}
	vacate("r1", "a.r1.a1")
	b.submit("r1", core.Engine(), core.AttemptExited{Attempt: "a.r1.a1", Kind: core.ExitFinished, Delivery: delivered(1)})
	b.wantLine("its end is recorded", "r2 | r3")
	vacate("r1", "a.r1.a1")
	vacate("r2", "a.r1.a1")
	b.wantLine("r2's agent has ended", "r3 | ")
}

// TestARaisedLimitIsFelt by the run that waits because of it.
func TestARaisedLimitIsFelt(t *testing.T) {
	b, limits := waitingLine(t, "r1", "r2", "r3")
	limits.Parallel = 2
	b.submit("r3", core.Person("me"), lunch)
	b.submit("r3", core.Person("me"), core.RunResumed{Limits: &limits})
	b.wantLine("r3 may be the second", "r1 r3 | r2")
	if b.look("r3"); b.load("r3").Attempts != 1 {
		t.Error("it does not begin")
	}
}

// TestALostPlaceIsFoundAgain: a run that waits and is not in the queue, because its database is older than that, gets a
// place when it is looked at, and begins at once if there is a slot.
func TestALostPlaceIsFoundAgain(t *testing.T) {
	b, _ := waitingLine(t, "r1", "r2")
	lose := func(run string) {
		c := store.Commit{Stream: core.RunStream(run), After: b.head(run), Free: []string{core.SlotHolder(run, "a.r1.a1")}}
		if err := b.store.Commit(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	lose("r2")
	b.wantLine("lost", "r1 | ")
	b.look("r2")
	b.wantLine("looked at", "r1 | r2")
	lose("r2")
	lose("r1")
	b.look("r2")
	if b.wantLine("a slot is free", "r2 | "); b.load("r2").Attempts != 1 {
		t.Error("it does not begin")
	}
}

// TestPlacesHaveSlotsOfTheirOwn: what runs elsewhere takes none of this host's.
func TestPlacesHaveSlotsOfTheirOwn(t *testing.T) {
	b, limits := waitingLine(t, "r1", "r2")
	other := b.with(engine.Options{Deciders: []core.Decider{phases.Decider{}}, Place: "elsewhere"})
	other.SetDispatcher(newRecorder())
	if run, err := other.Submit(t.Context(), "r3", core.Person("me"), start("r3", limits)); err != nil || run.Attempts != 1 {
		t.Errorf("r3: %+v, %v", run, err)
	}
	b.wantLine("elsewhere", "r1 r3 | r2")
	if _, err := other.LookAt(t.Context(), &store.Hint{Stream: core.RunStream("r2")}); err != nil {
		t.Fatal(err)
	}
	if _, err := other.Submit(t.Context(), "r3", core.Person("me"), core.RunCancelled{}); err != nil {
		t.Fatal(err)
	}
	if _, err := other.Submit(t.Context(), "r3", core.Engine(), core.AttemptExited{Attempt: "a.r1.a1", Kind: core.ExitCancelled}); err != nil {
		t.Fatal(err)
	}
	b.wantLine("r2 waits where it is looked at", "r1 r2 | ")
}
