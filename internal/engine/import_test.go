package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// told is what another engine's folder tells of a run that came to its end.
func told(t *testing.T) []core.Event {
	t.Helper()
	b := newBench(t)
	b.running("r1", core.DefaultLimits())
	b.clock.move(time.Minute)
	b.submit("r1", core.Engine(), core.AttemptExited{Attempt: "a.r1.a1", Kind: core.ExitFinished, Delivery: delivered(1)})
	b.submit("r1", core.Engine(), core.VerifyConcluded{Task: "a.r1", Attempt: "a.r1.a1", Passed: true})
	events, err := b.store.Events(t.Context(), core.RunStream("r1"), 0, 0)
	if err != nil || events[len(events)-1].Type != core.TypeRunCompleted {
		t.Fatalf("%d events, %v", len(events), err)
	}
	return events
}

// chained makes events follow one another again, as somebody does who changes a folder.
func chained(t *testing.T, events []core.Event) []core.Event {
	t.Helper()
	prev := ""
	for i := range events {
		events[i].PrevHash = prev
		var err error
		if prev, err = events[i].Hash(); err != nil {
			t.Fatal(err)
		}
	}
	return events
}

// at is where the first event of a type stands.
func at(events []core.Event, kind core.Type) int {
	return slices.IndexFunc(events, func(e core.Event) bool { return e.Type == kind })
}

// TestAFolderIsHeldToTheLaw: an import takes over what an engine could have written,
// and nothing at all where one event of it is not that.
func TestAFolderIsHeldToTheLaw(t *testing.T) {
	whole := told(t)
	for name, c := range map[string]struct {
		change func(events []core.Event) []core.Event
		says   string // "" where it is taken over
	}{
		"as it was written": {func(e []core.Event) []core.Event { return chained(t, e) }, ""},
		"cut short":         {func(e []core.Event) []core.Event { return e[:at(e, core.TypeVerifyConcluded)] }, ""},
		"a changed body, not chained": {func(e []core.Event) []core.Event {
			e[0].Body = []byte(strings.Replace(string(e[0].Body), `"goal":"g"`, `"goal":"h"`, 1))
			return e
		}, "does not follow"},
		"an event left out": {func(e []core.Event) []core.Event {
			i := at(e, core.TypeAttemptStarted)
			return chained(t, append(e[:i], e[i+1:]...))
		}, "follows event"},
		"out of time": {func(e []core.Event) []core.Event {
			e[at(e, core.TypeAttemptExited)].At = e[0].At.Add(-time.Hour)
			return chained(t, e)
		}, "out of time"},
		"of another run": {func(e []core.Event) []core.Event {
			for i := range e {
				e[i].Stream, e[i].ID = "run/other", core.EventID("run/other", e[i].Seq)
			}
			return chained(t, e)
		}, "not of stream run/r1"},
		"by somebody who may not say it": {func(e []core.Event) []core.Event {
			e[at(e, core.TypeVerifyConcluded)].Actor = core.Actor{Kind: core.ActorAgent, ID: "a.r1.a1"}
			return chained(t, e)
		}, "is against the law"},
		"against a clause": {func(e []core.Event) []core.Event {
			i := at(e, core.TypeAttemptRequested)
			e[i].Body = []byte(strings.Replace(string(e[i].Body), `"base":"c0"`, `"base":"c9"`, 1))
			return chained(t, e)
		}, "is against the law"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			events := c.change(slices.Clone(whole))
			n, err := b.engine.Import(t.Context(), "r1", events)
			head, headErr := b.store.Head(t.Context(), core.RunStream("r1"))
			if headErr != nil {
				t.Fatal(headErr)
			}
			if c.says != "" {
				if err == nil || !strings.Contains(err.Error(), c.says) || n != 0 || head.Seq != 0 {
					t.Errorf("%d taken over, %d in the store: %v, want %q", n, head.Seq, err, c.says)
				}
				return
			}
			if err != nil || n != len(events) || head.Seq < int64(n) {
				t.Fatalf("%d of %d taken over, %d in the store: %v", n, len(events), head.Seq, err)
			}
			if n, err := b.engine.Import(t.Context(), "r1", events); n != 0 || err != nil {
				t.Errorf("again: %d, %v", n, err)
			}
		})
	}
}

// TestAFolderGoesOnWhereTheStoreEnds, and is refused where both tell something else.
func TestAFolderGoesOnWhereTheStoreEnds(t *testing.T) {
	whole := told(t)
	b := newBench(t)
	cut := at(whole, core.TypeAttemptExited)
	if n, err := b.engine.Import(t.Context(), "r1", whole[:cut]); n != cut || err != nil {
		t.Fatalf("the beginning: %d, %v", n, err)
	}
	if n, err := b.engine.Import(t.Context(), "r1", whole); n != len(whole)-cut || err != nil {
		t.Fatalf("the rest: %d, %v", n, err)
	}
	if state := b.load("r1"); state.Status != core.StatusCompleted {
		t.Errorf("the run is %s", state.Status)
	}
	other := slices.Clone(whole)
	other[cut].Actor.ID = "elsewhere"
	if n, err := b.engine.Import(t.Context(), "r1", chained(t, other)); core.CodeOf(err) != core.CodeForked || n != 0 {
		t.Errorf("another history: %d, %v", n, err)
	}
}

// TestAFolderTellsOfEveryRound: whoever imports a folder has the tasks of rounds that were given up in the table, as the
// engine has that lived through them.
func TestAFolderTellsOfEveryRound(t *testing.T) {
	b := newBench(t)
	two := start("r1", core.DefaultLimits())
	two.Playbook.Phases[0].Gate = core.GateApproval
	b.submit("r1", core.Person("me"), two)
	b.submit("r1", core.Engine(), core.AttemptStarted{Attempt: "a.r1.a1"})
	b.submit("r1", core.Engine(), core.AttemptExited{Attempt: "a.r1.a1", Kind: core.ExitFinished, Delivery: delivered(1)})
	state := b.submit("r1", core.Engine(), core.VerifyConcluded{Task: "a.r1", Attempt: "a.r1.a1", Passed: true})
	about := core.GateSubject(state, state.Current())
	b.submit("r1", core.Person("me"), core.FeedbackGiven{Stage: "a", Text: "again", About: &about})
	lived, err := b.store.Tasks(t.Context(), "r1")
	if err != nil {
		t.Fatal(err)
	}
	events, err := b.store.Events(t.Context(), core.RunStream("r1"), 0, 0)
	if err != nil || len(lived) < 2 {
		t.Fatalf("%d tasks, %v", len(lived), err)
	}
	other := newBench(t)
	if n, err := other.engine.Import(t.Context(), "r1", events); n != len(events) || err != nil {
		t.Fatalf("imported %d, %v", n, err)
	}
	got, err := other.store.Tasks(t.Context(), "r1")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(lived, got); diff != "" {
		t.Error(diff)
	}
}

// TestALongFolderGoesOn: what the store has is known again, however many reads that takes.
func TestALongFolderGoesOn(t *testing.T) {
	whole := told(t)
	cut := at(whole, core.TypeAttemptExited)
	long := slices.Clone(whole[:cut])
	for n := range 2100 {
		usage := whole[cut]
		usage.Type, usage.V, usage.Body = core.TypeUsageObserved, 1, fmt.Appendf(nil, `{"attempt":"a.r1.a1","usage":{"input_tokens":%d}}`, n+1)
		long = append(long, usage)
	}
	long = append(long, whole[cut:]...)
	for i := range long {
		long[i].Seq = int64(i + 1)
		long[i].ID = core.EventID(long[i].Stream, long[i].Seq)
	}
	long = chained(t, long)
	for _, known := range []int{1023, 1024, 1025, 2048, 2090} {
		t.Run(fmt.Sprint(known, " known"), func(t *testing.T) {
			b := newBench(t)
			if n, err := b.engine.Import(t.Context(), "r1", long[:known]); n != known || err != nil {
				t.Fatalf("the beginning: %d, %v", n, err)
			}
			if n, err := b.engine.Import(t.Context(), "r1", long); n != len(long)-known || err != nil {
				t.Errorf("the rest: %d of %d, %v", n, len(long)-known, err)
			}
			if n, err := b.engine.Import(t.Context(), "r1", long); n != 0 || err != nil {
				t.Errorf("again: %d, %v", n, err)
			}
		})
	}
}
