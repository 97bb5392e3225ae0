package engine_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/phases"
	"github.com/stellwerk-dev/stellwerk/internal/engine"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// hint is a hint of a run.
func hint(e *engine.Engine, run string) *store.Hint {
	h := e.Hint("p", core.RunStream(run))
	return &h
}

func (b *bench) hint(run string) *store.Hint { return hint(b.engine, run) }

func (f *faulty) Slots(ctx context.Context, stream string) ([]store.SlotRow, error) {
	if f.fails() {
		return nil, errFault
	}
	return f.Store.Slots(ctx, stream)
}

func (f *faulty) Raised(ctx context.Context, stream string, after int64, limit int) (raised int64, news []core.Event, err error) {
	if f.fails() {
		return 0, nil, errFault
	}
	return f.Store.Raised(ctx, stream, after, limit)
}

func (f *faulty) Spent(ctx context.Context, project, except string, at time.Time) (core.Spent, error) {
	if f.fails() {
		return core.Spent{}, errFault
	}
	return f.Store.Spent(ctx, project, except, at)
}

// TestALookThatFailsSaysSo: a look in which any call of the store fails is not taken for one that saw everything, and the
// next does what it left: the journal is whole, the effects are handed out, and who waited for a claim has it.
func TestALookThatFailsSaysSo(t *testing.T) {
	for name, c := range map[string]struct{ due, freed bool }{"waiting": {}, "its time has come": {due: true}, "the claim is free": {freed: true}} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			look := func(at int) *faulty {
				f := b.waiting(c.freed)
				f.calls, f.at = 0, at
				w := b.engine.Hint("p", core.RunStream("r2"))
				if c.due {
					w.DueSeq = 1
				}
				_, err := b.engine.LookAt(t.Context(), &w)
				// A step within the look may fail to write the journal; then the look itself does.
				mended := err == nil && b.ledger.seqs["r2"] == b.head("r2") && b.recorder.handed("r2") > 0
				if at > 0 && !errors.Is(err, errFault) && !mended {
					t.Errorf("call %d fails: %v", at, err)
				}
				calls := f.calls
				if _, err := b.engine.LookAt(t.Context(), b.hint("r2")); err != nil {
					t.Errorf("after call %d failed: %v", at, err)
				}
				run := b.load("r2")
				if b.ledger.seqs["r2"] != run.Stream.Seq || b.recorder.handed("r2") == 0 || c.freed == (run.Current().Tasks[0].Blocked != nil) {
					t.Errorf("after call %d failed: the journal has %d of %d, handed out %d times, waits for %v",
						at, b.ledger.seqs["r2"], run.Stream.Seq, b.recorder.handed("r2"), run.Current().Tasks[0].Blocked)
				}
				f.calls = calls
				return f
			}
			calls := look(0).calls
			if calls < 7 {
				t.Fatalf("a look asks only %d times", calls)
			}
			for at := 1; at <= calls; at++ {
				look(at)
			}
		})
	}
}

// waiting is a fresh engine on a database of its own, in which run r2 waits for the slot that r1 holds, or that is free by
// now, and the journal knows nothing of either. Nobody looks.
func (b *bench) waiting(freed bool) *faulty {
	b.t.Helper()
	b.close()
	var f *faulty
	b.wrap = func(s store.Store) store.Store { f = &faulty{Store: s}; return f }
	b.path += "x"
	b.rest()
	limits := projectLimits(core.ProjectLimits{Tokens: 1000})
	limits.Parallel = 1
	b.running("r1", limits)
	b.submit("r2", core.Person("me"), start("r2", limits))
	if freed {
		b.submit("r1", core.Person("me"), core.RunCancelled{Reason: "not wanted"})
		b.submit("r1", core.Engine(), core.AttemptExited{Attempt: "a.r1.a1", Kind: core.ExitCancelled})
	}
	b.close()
	b.ledger = &ledger{seqs: map[string]int64{}}
	b.rest()
	return f
}

// TestARunThatDoesNotWorkHearsNothing: a look tells of what others have spent, or of claims, only who is at work.
func TestARunThatDoesNotWorkHearsNothing(t *testing.T) {
	b := newBench(t)
	b.waiting(false)
	b.submit("r2", core.Person("me"), core.RunPaused{Code: core.PausePerson, Reason: "lunch"})
	b.spend("r1", 0, 2000)
	b.submit("r1", core.Person("me"), core.RunCancelled{Reason: "not wanted"})
	b.submit("r1", core.Engine(), core.AttemptExited{Attempt: "a.r1.a1", Kind: core.ExitCancelled})
	for _, run := range []string{"r1", "r2"} {
		before := b.load(run).Stream
		if _, err := b.engine.LookAt(t.Context(), b.hint(run)); err != nil {
			t.Fatal(err)
		}
		if after := b.load(run).Stream; after != before {
			t.Errorf("%s went from %d to %d: %v", run, before.Seq, after.Seq, b.types(run))
		}
	}
}

// TestALookAfterTheClockWasSetBack tells a run of nothing that happened before its own last event.
func TestALookAfterTheClockWasSetBack(t *testing.T) {
	b := newBench(t)
	b.stop()
	limits := projectLimits(core.ProjectLimits{Tokens: 1000})
	b.running("r1", limits)
	b.running("r2", limits)
	b.spend("r1", 0, 2000)
	b.clock.move(-time.Hour)
	if _, err := b.engine.LookAt(t.Context(), b.hint("r2")); err != nil {
		t.Fatal(err)
	}
	events, err := b.store.Events(t.Context(), core.RunStream("r2"), 0, 0)
	i := at(events, core.TypeProjectSpent)
	if err != nil || i < 0 {
		t.Fatalf("it was not told: %v, %v", b.types("r2"), err)
	}
	body, err := core.Decode(events[i])
	if spent, ok := body.(core.ProjectSpent); err != nil || !ok || spent.At.Before(events[i-1].At) {
		t.Errorf("told as of %+v, %v; the event before is of %s", body, err, events[i-1].At)
	}
}

// lost is a journal that cannot say what it has.
type lost struct{ *ledger }

func (lost) Seq(context.Context, *core.Run) (int64, error) { return 0, errFault }

// TestAJournalThatCannotBeReadIsNotWritten: nobody knows from where on. Nothing is handed out, since the journal comes first.
func TestAJournalThatCannotBeReadIsNotWritten(t *testing.T) {
	b := newBench(t)
	b.stop()
	b.running("r1", core.DefaultLimits())
	tried, handed := b.ledger.tried(), b.recorder.handed("r1")
	e := engine.New(engine.Options{Store: b.store, Journal: lost{b.ledger}, Deciders: []core.Decider{phases.Decider{}}, Log: slog.New(slog.DiscardHandler), ID: "test"})
	e.SetDispatcher(b.recorder)
	b.own(e)
	if err := e.Poke(t.Context(), "r1"); !errors.Is(err, errFault) {
		t.Errorf("poked: %v", err)
	}
	if b.ledger.tried() != tried || b.recorder.handed("r1") != handed {
		t.Error("it was written, or effects were handed out")
	}
	if _, err := e.LookAt(t.Context(), hint(e, "r1")); !errors.Is(err, errFault) {
		t.Errorf("looked at: %v", err)
	}
}
