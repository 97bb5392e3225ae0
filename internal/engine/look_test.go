package engine_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/phases"
	"github.com/stellwerk-dev/stellwerk/internal/engine"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// aged is a store whose snapshots are those of an earlier program.
type aged struct {
	store.Store
	state []byte
}

func (a aged) Snapshot(ctx context.Context, stream string) (store.Snapshot, error) {
	snap, err := a.Store.Snapshot(ctx, stream)
	snap.Format--
	snap.State = a.state
	return snap, err
}

// TestASnapshotOfAnotherFormatIsNotRead: what it meant is not known any more. The
// events are.
func TestASnapshotOfAnotherFormatIsNotRead(t *testing.T) {
	for name, state := range map[string]string{"another state": `{"id":"r1","alias":"wrong"}`, "no state at all": "\x00"} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			before := b.submit("r1", core.Person("me"), start("r1", core.DefaultLimits()))
			for range 7 { // past a snapshot
				before = b.submit("r1", core.Engine(), core.TimerFired{Timer: "t"})
			}
			if snap, err := b.store.Snapshot(t.Context(), core.RunStream("r1")); err != nil || snap.Head.Seq == 0 {
				t.Fatalf("there is no snapshot: %+v, %v", snap, err)
			}
			b.close()
			b.wrap = func(s store.Store) store.Store { return aged{s, []byte(state)} }
			b.open()
			after, err := b.engine.Load(t.Context(), "r1")
			if err != nil {
				t.Fatal(err)
			}
			if after.Alias != "r1" || after.Stream != before.Stream || after.Attempts != before.Attempts {
				t.Errorf("%s, %+v, %d attempts; before %+v, %d", after.Alias, after.Stream, after.Attempts, before.Stream, before.Attempts)
			}
		})
	}
}

// restless is a store that notes which streams an engine was done with.
type restless struct {
	store.Store
	mu   *sync.Mutex
	done *[]string
}

func (r restless) Rest(ctx context.Context, w store.Hint) error {
	r.mu.Lock()
	*r.done = append(*r.done, w.Stream)
	r.mu.Unlock()
	return r.Store.Rest(ctx, w)
}

// TestARunThatIsOverIsLookedAtUntilAllIsDone: it is not among the open ones that an
// engine looks at when it comes up, so its hint must stand until its last attempt
// was ended.
func TestARunThatIsOverIsLookedAtUntilAllIsDone(t *testing.T) {
	var mu sync.Mutex
	var done []string
	rested := func() bool { mu.Lock(); defer mu.Unlock(); return slices.Contains(done, core.RunStream("r1")) }
	b := newBench(t)
	b.close()
	b.wrap = func(s store.Store) store.Store { return restless{s, &mu, &done} }
	b.open()
	b.submit("r1", core.Person("me"), start("r1", core.DefaultLimits()))
	b.submit("r1", core.Engine(), core.AttemptStarted{Attempt: "a.r1.a1"})
	if !waittest.Until(rested) {
		t.Fatal("no look at r1 came to its end")
	}
	mu.Lock()
	done = nil
	mu.Unlock()
	handed := b.recorder.handed("r1")
	b.submit("r1", core.Person("me"), core.RunCancelled{})
	b.recorder.awaitHanded(t, "r1", handed+2) // by the step itself, and by the look at it
	b.close()
	if rested() {
		t.Error("the engine is done with a run whose attempt it has not ended")
	}
	b.open() // and pokes nobody
	b.recorder.await(t, "the stop of the attempt, by the next engine", func(a core.Action) bool {
		stop, ok := a.(core.StopAttempt)
		return ok && stop.Attempt == "a.r1.a1"
	})
}

// TestOnlyWhatDoesNotPassPausesARun: a full disk is waited for, a folder that cannot
// be continued is for a person to put right.
func TestOnlyWhatDoesNotPassPausesARun(t *testing.T) {
	for name, c := range map[string]struct {
		fails error
		want  core.RunStatus
	}{
		"a full disk":      {core.Errorf(core.CodeUnavailable, "no space left on device"), core.StatusActive},
		"another history":  {core.Errorf(core.CodeForked, "the folder tells something else"), core.StatusPaused},
		"nobody knows why": {errors.New("oh dear"), core.StatusPaused},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.ledger.failWith(c.fails)
			b.submit("r1", core.Person("me"), start("r1", core.DefaultLimits()))
			if !waittest.Until(func() bool { return b.ledger.tried() > 1 }) { // once by the step, and by the look at it
				t.Fatal("nobody looked at the run")
			}
			state := b.load("r1") // waits for the look to end
			if state.Status != c.want {
				t.Errorf("the run is %s: %+v", state.Status, state.Pause)
			}
			if p := state.Pause; p != nil && (p.Code != core.PauseAction || p.Reason != "the run's folder cannot be continued: "+c.fails.Error() || !slices.Equal(p.Choices, state.Choices(core.VerbResume))) {
				t.Errorf("it says %+v", p)
			}
			if b.recorder.has(isStart("a.r1.a1")) {
				t.Error("an effect came before the journal")
			}
		})
	}
}

// overtaken is a store in which another engine takes a step while this one looks: before or after it asks where the
// stream stands.
type overtaken struct {
	store.Store
	before, after func()
}

func (o overtaken) Raised(ctx context.Context, stream string, after int64, limit int) (raised int64, news []core.Event, err error) {
	o.before()
	raised, news, err = o.Store.Raised(ctx, stream, after, limit)
	o.after()
	return raised, news, err
}

// TestALookAnswersForWhatItSaw: it reads what another engine did before it asked, hands out what follows from that, and
// leaves what came later to the next look.
func TestALookAnswersForWhatItSaw(t *testing.T) {
	for name, c := range map[string]struct{ before, after bool }{"before": {before: true}, "after": {after: true}, "both": {true, true}, "none": {}} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.close()
			b.wrap = func(s store.Store) store.Store {
				step := func(does bool) func() {
					return func() {
						if does {
							b.elsewhere(s, core.TimerFired{Timer: "elsewhere"})
						}
					}
				}
				return overtaken{s, step(c.before), step(c.after)}
			}
			b.rest()
			b.submit("r1", core.Person("me"), start("r1", core.DefaultLimits()))
			stood := b.head("r1")
			if _, err := b.engine.LookAt(t.Context(), &store.Hint{Stream: core.RunStream("r1"), Project: "p", Head: stood}); err != nil {
				t.Fatal(err)
			}
			b.elsewhere(b.store, core.TimerFired{Timer: "elsewhere"}) // or there is nothing to ask for
			if stood++; c.before {
				stood++
			}
			hints, err := b.store.Hints(t.Context(), "test", 1)
			if err != nil || len(hints) != 1 {
				t.Fatal(hints, err)
			}
			w := hints[0]
			if _, err := b.engine.LookAt(t.Context(), &w); err != nil {
				t.Fatal(err)
			}
			raised, _, err := b.store.Raised(t.Context(), w.Stream, 0, 1)
			if err != nil || (w.Seq < raised) != c.after {
				t.Errorf("the look answers for %d of %d, %v", w.Seq, raised, err)
			}
			if got := b.ledger.seqs["r1"]; got < stood {
				t.Errorf("the look saw the stream up to %d, and it stood at %d", got, stood)
			}
		})
	}
}

// TestALookReadsOnlyWhatIsNew: what the engine did itself it knows, and all of it is handed out and answered for all the same.
func TestALookReadsOnlyWhatIsNew(t *testing.T) {
	read := 0
	b := newBench(t)
	b.close()
	b.wrap = func(s store.Store) store.Store { return overtaken{s, func() { read++ }, func() {}} }
	b.rest()
	b.submit("r1", core.Person("me"), start("r1", core.DefaultLimits()))
	for _, want := range []int{0, 1} {
		handed := b.recorder.handed("r1")
		hints, err := b.store.Hints(t.Context(), "test", 1)
		if err != nil || len(hints) != 1 {
			t.Fatal(hints, err)
		}
		w := &hints[0]
		if _, err := b.engine.LookAt(t.Context(), w); err != nil || read != want {
			t.Errorf("it read %d times, not %d: %v", read, want, err)
		}
		if raised, _, err := b.store.Raised(t.Context(), w.Stream, 0, 1); err != nil || w.Seq != raised {
			t.Errorf("the look answers for %d of %d, %v", w.Seq, raised, err)
		}
		if b.recorder.handed("r1") == handed {
			t.Error("nothing was handed out")
		}
		b.elsewhere(b.store, core.TimerFired{Timer: "elsewhere"})
	}
}

// TestALookSeesWhatAnotherEngineDid: effects of a state that is past are not handed out, and those of a run that this
// engine believes not to exist are.
func TestALookSeesWhatAnotherEngineDid(t *testing.T) {
	look := func(b *bench) {
		if _, err := b.engine.LookAt(b.t.Context(), b.hint("r1")); err != nil {
			b.t.Fatal(err)
		}
	}
	t.Run("cancelled", func(t *testing.T) {
		b := newBench(t)
		b.stop()
		b.submit("r1", core.Person("me"), start("r1", core.DefaultLimits()))
		other := b.with(engine.Options{ID: "other", Deciders: []core.Decider{phases.Decider{}}})
		if _, err := other.Submit(t.Context(), "r1", core.Person("me"), core.RunCancelled{}); err != nil {
			t.Fatal(err)
		}
		b.recorder = newRecorder()
		b.engine.SetDispatcher(b.recorder)
		if look(b); b.recorder.has(isStart("a.r1.a1")) {
			t.Error("an attempt of a run that was cancelled is started")
		}
	})
	t.Run("begun", func(t *testing.T) {
		b := newBench(t)
		b.stop()
		if _, err := b.engine.Load(t.Context(), "r1"); core.CodeOf(err) != core.CodeNotFound {
			t.Fatal(err)
		}
		other := b.with(engine.Options{ID: "other", Deciders: []core.Decider{phases.Decider{}}})
		other.SetDispatcher(newRecorder())
		if _, err := other.Submit(t.Context(), "r1", core.Person("me"), start("r1", core.DefaultLimits())); err != nil {
			t.Fatal(err)
		}
		if look(b); !b.recorder.has(isStart("a.r1.a1")) {
			t.Error("an attempt of a run that another engine began is not started")
		}
	})
}

// head is where a run's stream stands in the store.
func (b *bench) head(run string) int64 {
	b.t.Helper()
	head, err := b.store.Head(b.t.Context(), core.RunStream(run))
	if err != nil {
		b.t.Fatal(err)
	}
	return head.Seq
}

// elsewhere commits an event of run r1 as another engine would.
func (b *bench) elsewhere(s store.Store, body core.Body) {
	b.t.Helper()
	stream := core.RunStream("r1")
	head, err := s.Head(b.t.Context(), stream)
	if err != nil {
		b.t.Fatal(err)
	}
	ev, _, err := core.Seal(stream, head, b.clock.Now(), core.Engine(), "", body)
	if err != nil {
		b.t.Fatal(err)
	}
	if err := s.Commit(b.t.Context(), store.Commit{Stream: stream, Of: "p", After: head.Seq, Events: []core.Event{ev}}); err != nil {
		b.t.Fatal(err)
	}
}
