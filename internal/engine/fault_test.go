package engine_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

var errFault = errors.New("the store does not answer")

// faulty is a store of which one call fails: the one with the given number, before it does anything, or after.
type faulty struct {
	store.Store
	calls, at int
	after     bool
}

func (f *faulty) fails() bool {
	f.calls++
	return f.calls == f.at
}

func (f *faulty) Commit(ctx context.Context, c store.Commit) error {
	fails := f.fails()
	if fails && !f.after {
		return errFault
	}
	err := f.Store.Commit(ctx, c)
	if fails && err == nil {
		return errFault
	}
	return err
}

func (f *faulty) Now(ctx context.Context) (time.Time, error) {
	if f.fails() {
		return time.Time{}, errFault
	}
	return f.Store.Now(ctx)
}

func (f *faulty) Events(ctx context.Context, stream string, after int64, limit int) ([]core.Event, error) {
	if f.fails() {
		return nil, errFault
	}
	return f.Store.Events(ctx, stream, after, limit)
}

func (f *faulty) Snapshot(ctx context.Context, stream string) (store.Snapshot, error) {
	if f.fails() {
		return store.Snapshot{}, errFault
	}
	return f.Store.Snapshot(ctx, stream)
}

// word is something that is brought into a run.
type word struct {
	run   string
	actor core.Actor
	body  core.Body
}

// twoRunsOnOneSlot is what happens to two runs of which one waits for the other. One word is refused.
func twoRunsOnOneSlot() []word {
	limits := core.DefaultLimits()
	limits.Parallel = 1
	return []word{
		{"r1", core.Person("me"), start("r1", limits)},
		{"r2", core.Person("me"), start("r2", limits)},
		{"r1", core.Person("me"), core.RunResumed{}},
		{"r1", core.Engine(), core.AttemptStarted{Attempt: "a.r1.a1"}},
		{"r2", core.Person("me"), core.RunPaused{Code: core.PausePerson, Reason: "lunch"}},
		{"r1", core.Engine(), core.AttemptExited{Attempt: "a.r1.a1", Kind: core.ExitFinished, Delivery: delivered(1)}},
		{"r1", core.Engine(), core.VerifyConcluded{Task: "a.r1", Attempt: "a.r1.a1", Passed: true}},
	}
}

func (b *bench) types(run string) (out []core.Type) {
	b.t.Helper()
	events, err := b.store.Events(b.t.Context(), core.RunStream(run), 0, 0)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, ev := range events {
		out = append(out, ev.Type)
	}
	return out
}

// play brings words in while one call of the store fails, each again where it failed for that. It returns the store.
func (b *bench) play(at int, after bool) *faulty {
	b.t.Helper()
	b.close()
	var f *faulty
	b.wrap = func(s store.Store) store.Store {
		f = &faulty{Store: s, at: at, after: after}
		return f
	}
	b.path += "x" // a database of its own
	b.ledger = &ledger{seqs: map[string]int64{}}
	b.rest() // nobody looks: what is not in the steps themselves does not happen
	for _, w := range twoRunsOnOneSlot() {
		_, err := b.engine.Submit(b.t.Context(), w.run, w.actor, w.body)
		if !errors.Is(err, errFault) {
			continue
		}
		head, headErr := b.store.Head(b.t.Context(), core.RunStream(w.run))
		run, err := b.engine.Load(b.t.Context(), w.run)
		if headErr != nil || head.Seq > 0 && (err != nil || run.Stream != head) || head.Seq == 0 && core.CodeOf(err) != core.CodeNotFound {
			b.t.Errorf("call %d: the engine has %+v, %v; the store stands at %+v, %v", at, run, err, head, headErr)
		}
		if !after {
			_, _ = b.engine.Submit(b.t.Context(), w.run, w.actor, w.body) // what comes of it is compared in the end
		}
	}
	return f
}

// TestAFaultOfTheStoreCostsNothing: whichever call fails, whoever says the same again gets what they would have got, and
// the engine knows no other state than the store. A fault is no refusal: it leaves no trace.
func TestAFaultOfTheStoreCostsNothing(t *testing.T) {
	b := newBench(t)
	calls := b.play(0, false).calls
	want := map[string][]core.Type{"r1": b.types("r1"), "r2": b.types("r2")}
	if n := len(slices.DeleteFunc(b.types("r1"), func(t core.Type) bool { return t != core.TypeCommandRefused })); n != 1 || calls < 15 {
		t.Fatalf("%d refusals, %d calls: %v", n, calls, want)
	}
	for at := 1; at <= calls; at++ {
		b.play(at, false)
		for run, types := range want {
			got := b.types(run)
			if refused := core.TypeCommandRefused; run == "r1" && !slices.Contains(got, refused) { // its trace was not written, which is logged
				types = slices.DeleteFunc(slices.Clone(types), func(t core.Type) bool { return t == refused })
			}
			if diff := cmp.Diff(types, got); diff != "" {
				t.Errorf("call %d: %s: %s", at, run, diff)
			}
		}
		b.play(at, true)
	}
}
