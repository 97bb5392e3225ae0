package storetest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

var (
	filling = store.Closure{Reason: store.Filling, Other: "the other store"}
	leaving = store.Closure{Reason: store.Leaving, Other: "the other store"}
)

// Everything reads all that a store holds, in a form in which it can be compared byte for byte.
func Everything(t *testing.T, s store.Store) []byte {
	t.Helper()
	return contents(t, s, "")
}

// written is everything but the newest version of a document, which a write that is refused may have used up.
func written(t *testing.T, s store.Store) []byte {
	t.Helper()
	return contents(t, s, store.TableVersions)
}

func contents(t *testing.T, s store.Store, but string) (all []byte) {
	t.Helper()
	for r, err := range s.Export(t.Context()) {
		must(t, err)
		if r.Table.Name == but {
			continue
		}
		all, err = r.AppendTo(all)
		must(t, err)
	}
	return all
}

// records counts what a store holds, by table.
func records(t *testing.T, s store.Store) map[string]int {
	t.Helper()
	n := map[string]int{}
	for r, err := range s.Export(t.Context()) {
		must(t, err)
		n[r.Table.Name]++
	}
	return n
}

func closes(t *testing.T, s store.Store, was, now store.Closure) {
	t.Helper()
	must(t, s.SetClosure(t.Context(), was, now))
	if got, err := s.Closure(t.Context()); err != nil || got != now {
		t.Fatalf("the closure is %+v, %v, want %+v", got, err, now)
	}
}

// beside calls do with another store, which is empty.
func beside(t *testing.T, open Open, do func(t *testing.T, s store.Store)) {
	t.Helper()
	t.Run("other", func(t *testing.T) { do(t, open(t)) })
}

// testCopy: a copy has what the original had, byte for byte, and work goes on in it as it would have there.
func testCopy(t *testing.T, open Open) {
	from := open(t)
	Fill(t, from)
	for name, n := range wanting(records(t, from)) {
		t.Errorf("%d %s were filled in", n, name)
	}
	want := Everything(t, from)
	beside(t, open, func(t *testing.T, to store.Store) {
		closes(t, to, store.Closure{}, filling)
		for range 2 { // the second time in place of the first
			must(t, to.Import(t.Context(), from.Export(t.Context())))
			if got := Everything(t, to); !cmp.Equal(want, got) {
				t.Fatalf("%d bytes became %d others", len(want), len(got))
			}
		}
		closes(t, to, filling, store.Closure{})
		sameRows(t, from, to)
		GoesOn(t, to)
	})
	if got := Everything(t, from); !cmp.Equal(want, got) {
		t.Error("the original was changed")
	}
}

// wanting are the tables of which a store has no row.
func wanting(have map[string]int) map[string]int {
	for _, table := range store.Tables() {
		if have[table.Name] > 0 {
			delete(have, table.Name)
		} else {
			have[table.Name] = 0
		}
	}
	return have
}

// sameRows compares what two stores derive.
func sameRows(t *testing.T, from, to store.Store) {
	t.Helper()
	for _, id := range []string{"p0", "p1"} {
		want, err := from.Project(t.Context(), id)
		must(t, err)
		want.Name = store.Clean(want.Name)
		got, err := to.Project(t.Context(), id)
		if diff := cmp.Diff(want, got); err != nil || diff != "" || want.TotalTasks == 0 || want.TotalCostUSD == 0 {
			t.Errorf("project %s: %v\n%s", id, err, diff)
		}
	}
	want, err := from.Position(t.Context())
	must(t, err)
	if got, err := to.Position(t.Context()); err != nil || got != want {
		t.Errorf("the position is %d, %v, want %d", got, err, want)
	}
}

// GoesOn works on a store that is a copy of a filled one: nothing that was promised there is forgotten.
func GoesOn(t *testing.T, s store.Store) {
	t.Helper()
	position, err := s.Position(t.Context())
	must(t, err)
	wantStanding(t, s, "in the copy", "r0 r1 | r2 r3")
	frees(t, s, "r1")
	wantStanding(t, s, "after a slot was given back", "r0 r3 | r2")
	queues(t, s, slots("r6", "p0", 2, 0))
	if n, err := s.PlaceInLine(t.Context(), "r6"); err != nil || n != 2 {
		t.Errorf("who came last is number %d in the queue, %v", n, err)
	}
	var held *store.ClaimHeld
	claim := core.Claim{Kind: core.ClaimBranch, Key: "p0/main", Holder: "r3", Limit: 1}
	if err := about(t, s, "r3", store.Commit{Acquire: []core.Claim{claim}}); !errors.As(err, &held) || held.Holder != "r0" {
		t.Errorf("a claim that is held: %v", err)
	}
	old, err := s.Document(t.Context(), "k", "b")
	must(t, err)
	wantStale(t, s, "k", "b", old.Version-1)
	if d := putDocument(t, s, "kk", "gone", 0, "again"); d.Version <= old.Version+2 {
		t.Errorf("version %d was there before: it follows %d and two others", d.Version, old.Version)
	}
	_, err = s.Enlist(t.Context(), store.Engine{ID: "e3"}, waittest.Limit)
	must(t, err)
	taken, err := s.Take(t.Context(), "e3", waittest.Limit, []string{"p0", "p1"})
	if err != nil || len(taken) != 2 || taken[0].Fence != 2 || taken[1].Fence != 3 {
		t.Errorf("taken: %+v, %v", taken, err)
	}
	hints, err := s.Hints(t.Context(), "e3", 0)
	must(t, err)
	due := 0
	for _, h := range hints {
		if h.DueSeq > 0 {
			due++
		}
	}
	if due != 2 {
		t.Errorf("%d of %d hints are due", due, len(hints))
	}
	push(t, s, core.RunStream("r0"))
	if streams, at, err := s.Moved(t.Context(), position, 0); err != nil || at != position+1 || len(streams) != 1 {
		t.Errorf("after %d moved %v until %d, %v", position, streams, at, err)
	}
}

// testClosed: nobody writes to a store that is closed.
func testClosed(t *testing.T, open Open) {
	s, other := open(t), open(t)
	Fill(t, s)
	closes(t, s, store.Closure{}, leaving)
	want := written(t, s)
	events, _ := seal(t, other, "run/new", core.Head{}, tick(1))
	d, err := s.Document(t.Context(), "k", "empty")
	must(t, err)
	ctx := t.Context()
	for name, err := range map[string]error{
		"commit": other.Commit(ctx, store.Commit{Stream: "run/new", Events: events}),
		"await":  other.Await(ctx, "run/r0", core.Claim{Kind: core.ClaimBranch, Key: "k"}),
		"raise":  other.Raise(ctx, "run/r0"),
		"rest":   other.Rest(ctx, store.Hint{Stream: "run/r0", Project: "p0"}),
		"put":    second(other.PutDocument(ctx, store.Document{Kind: "k", Key: "new"})),
		"delete": other.DeleteDocument(ctx, "k", "empty", d.Version),
		"enlist": second(other.Enlist(ctx, store.Engine{ID: "e9"}, waittest.Limit)),
		"renew":  second(other.Renew(ctx, "e1", waittest.Limit)),
		"take":   second(other.Take(ctx, "e1", waittest.Limit, []string{"p0"})),
		"yield":  other.Yield(ctx, []store.Owner{{Project: "p1", Engine: "e2", Fence: 2}}),
	} {
		if !errors.Is(err, store.ErrClosed) {
			t.Errorf("%s: got %v, want ErrClosed", name, err)
		}
	}
	if err := other.Import(ctx, s.Export(ctx)); core.CodeOf(err) != core.CodeInternal {
		t.Errorf("import into a store that is not to be filled: %v", err)
	}
	wantErr(t, other.SetClosure(ctx, store.Closure{}, leaving), store.ErrStale)
	if got := written(t, other); !cmp.Equal(want, got) {
		t.Error("something was written")
	}
	closes(t, other, leaving, store.Closure{})
	push(t, s, "run/new")
}

func second[T any](_ T, err error) error { return err }

// testClosing: a store is closed only if no engine works on it, and filled only if it is empty.
func testClosing(t *testing.T, open Open) {
	s := open(t)
	closes(t, s, store.Closure{}, filling)
	closes(t, s, filling, store.Closure{})
	_, err := s.Enlist(t.Context(), store.Engine{ID: "e1", Host: "host"}, waittest.Limit)
	must(t, err)
	now, err := s.Now(t.Context())
	must(t, err)
	var alive *store.EngineAlive
	if err := s.SetClosure(t.Context(), store.Closure{}, leaving); !errors.As(err, &alive) || alive.Engine != "e1" || alive.Host != "host" || alive.Until.Sub(now) > waittest.Limit {
		t.Fatalf("got %v, want that e1 is alive", err)
	}
	must(t, s.Leave(t.Context(), "e1"))
	wantErr(t, s.SetClosure(t.Context(), store.Closure{}, filling), store.ErrNotEmpty)
	wantErr(t, s.SetClosure(t.Context(), leaving, store.Closure{}), store.ErrStale)
	closes(t, s, store.Closure{}, leaving)
	closes(t, s, leaving, store.Closure{Reason: store.Left, Other: "x"})
}

// testCutShort: a copy that breaks off leaves nothing, and begins again.
func testCutShort(t *testing.T, open Open) {
	from := open(t)
	Fill(t, from)
	total := 0
	for _, n := range records(t, from) {
		total += n
	}
	beside(t, open, func(t *testing.T, to store.Store) {
		nothing := written(t, to)
		closes(t, to, store.Closure{}, filling)
		broken := errors.New("the other store went away")
		for _, at := range []int{0, 1, total / 2, total - 1} {
			wantErr(t, to.Import(t.Context(), breaking(from.Export(t.Context()), at, broken)), broken)
			if got := written(t, to); !cmp.Equal(nothing, got) {
				t.Fatalf("after %d of %d records, %d bytes are left", at, total, len(got))
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		wantErr(t, to.Import(ctx, cancelling(from.Export(t.Context()), total/2, cancel)), context.Canceled)
		must(t, to.Import(t.Context(), from.Export(t.Context())))
		if want, got := Everything(t, from), Everything(t, to); !cmp.Equal(want, got) {
			t.Error("the copy is another")
		}
	})
}

func breaking(all iter.Seq2[store.Record, error], at int, why error) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) {
		n := 0
		for r, err := range all {
			if n == at {
				yield(store.Record{}, why)
				return
			}
			if n++; !yield(r, err) {
				return
			}
		}
	}
}

func cancelling(all iter.Seq2[store.Record, error], at int, cancel func()) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) {
		n := 0
		for r, err := range all {
			if n == at {
				cancel()
			}
			if n++; !yield(r, err) {
				return
			}
		}
	}
}

// testClosingRace: whoever writes while a store is closed has written before, or is refused.
func testClosingRace(t *testing.T, open Open) {
	s, other := open(t), open(t)
	var writers []chan error
	begun := make(chan struct{}, 64)
	for i := range 6 {
		done := make(chan error, 1)
		writers = append(writers, done)
		go func() { done <- writeUntilClosed(t.Context(), other, i, begun) }()
	}
	for range 3 * len(writers) {
		<-begun
	}
	go func() {
		for range begun { // so that nobody waits
		}
	}()
	must(t, s.SetClosure(t.Context(), store.Closure{}, leaving))
	want := written(t, s)
	for _, done := range writers {
		wantErr(t, <-done, store.ErrClosed)
	}
	close(begun)
	if got := written(t, s); !cmp.Equal(want, got) {
		t.Error("something was written after the store was closed")
	}
}

func writeUntilClosed(ctx context.Context, s store.Store, i int, begun chan<- struct{}) error {
	stream, head := fmt.Sprint("run/", i), core.Head{}
	for n := 0; ; n++ {
		begun <- struct{}{}
		if i%2 == 0 {
			if _, err := s.PutDocument(ctx, store.Document{Kind: "k", Key: fmt.Sprint(i, "/", n)}); err != nil {
				return err
			}
			continue
		}
		now, err := s.Now(ctx)
		if err != nil {
			return err
		}
		e, next, err := core.Seal(stream, head, now, core.Engine(), "", tick(n))
		if err != nil {
			return err
		}
		if err := s.Commit(ctx, store.Commit{Stream: stream, After: head.Seq, Events: []core.Event{e}}); err != nil {
			return err
		}
		head = next
	}
}
