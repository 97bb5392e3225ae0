package truth_test

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/storetest"
	"github.com/stellwerk-dev/stellwerk/internal/truth"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// TestThereAndBack: a store with open runs moves to PostgreSQL and back into a folder. It is the same everywhere, byte for byte, and
// work goes on where it is now, and nowhere else.
func TestThereAndBack(t *testing.T) {
	first, server, second := inFolder(t), onServer(t), inFolder(t)
	n := first.fill()
	first.sound(6)
	want := storetest.Everything(t, first.Store)
	report := first.moves(server)
	if report.Copied != 7 || report.Objects != 6 || report.Streams != 10 || len(report.Faults) != 0 || report.Bytes < 2_500_000 {
		t.Errorf("the report is %+v", report)
	}
	server.holds(want)
	server.sound(6)
	if err := first.works(); !errors.Is(err, store.ErrClosed) {
		t.Errorf("engines can work on what was moved away: %v", err)
	}
	must(t, server.works())

	server.moves(second)
	second.holds(want)
	second.sound(6)
	for _, digest := range n.all() {
		must(t, second.Objects.Verify(t.Context(), digest))
	}
	if got := second.content(n.prompt); got != "prompt" {
		t.Errorf("the prompt is %q", got)
	}
	if err := server.works(); !errors.Is(err, store.ErrClosed) {
		t.Errorf("engines can work on what was moved back: %v", err)
	}
	must(t, second.works())
	storetest.GoesOn(t, second.Store)
}

// TestWorkGoesOnOnTheServer: the copy in PostgreSQL keeps every promise of the original, and counts on.
func TestWorkGoesOnOnTheServer(t *testing.T) {
	from, to := inFolder(t), onServer(t)
	storetest.Fill(t, from.Store)
	from.moves(to)
	storetest.GoesOn(t, to.Store)
}

// TestObjectsMoveBetweenAllPlaces: from a folder into a bucket, from there into PostgreSQL, and back into a folder.
func TestObjectsMoveBetweenAllPlaces(t *testing.T) {
	at := inFolder(t)
	n := at.fill()
	want := storetest.Everything(t, at.Store)
	for _, next := range []*place{withBucket(t), onServer(t), withBucket(t), inFolder(t)} {
		if report := at.moves(next); report.Copied != 7 {
			t.Errorf("%d objects were copied from %s to %s", report.Copied, at.Name, next.Name)
		}
		next.holds(want)
		next.sound(6)
		at = next
	}
	if got := at.content(n.transcript); got != strings.Repeat("said\n", 500_000) {
		t.Errorf("the transcript has %d bytes", len(got))
	}
}

// TestAnEmptyStoreMoves: nothing is something that can be moved.
func TestAnEmptyStoreMoves(t *testing.T) {
	from, to, last := onServer(t), inFolder(t), onServer(t)
	from.moves(to)
	to.moves(last)
	must(t, last.works())
	last.sound(0)
	if _, err := last.PutDocument(t.Context(), store.Document{Kind: "k", Key: "a"}); err != nil {
		t.Error(err)
	}
}

// TestProgressIsTold: of every step, from nothing to all of it.
func TestProgressIsTold(t *testing.T) {
	from, to := inFolder(t), onServer(t)
	from.fill()
	told := func(want ...truth.Step) (o truth.Options, told func()) {
		last := map[truth.Step]truth.Progress{}
		o.Progress = func(p truth.Progress) {
			if p.Done < last[p.Step].Done || p.Done > p.Total {
				t.Errorf("%+v after %+v", p, last[p.Step])
			}
			last[p.Step] = p
		}
		return o, func() {
			for _, step := range want {
				if p := last[step]; p.Total == 0 || p.Done != p.Total {
					t.Errorf("%s ended with %+v", step, p)
				}
			}
		}
	}
	o, done := told(truth.CopyObjects, truth.CopyEvents, truth.VerifyEvents)
	_, err := truth.Move(t.Context(), from.Pair, to.Pair, o)
	must(t, err)
	done()
	o, done = told(truth.VerifyEvents, truth.VerifyObjects)
	_, err = truth.Check(t.Context(), to.Pair, o)
	must(t, err)
	done()
}

// TestNothingIsOverwritten: neither what is not empty is filled, nor what another store is being moved to.
func TestNothingIsOverwritten(t *testing.T) {
	for name, to := range map[string]*place{"folder": inFolder(t), "server": onServer(t)} {
		from := inFolder(t)
		from.fill()
		_, err := to.PutDocument(t.Context(), store.Document{Kind: "k", Key: "a"})
		must(t, err)
		want := storetest.Everything(t, to.Store)
		if _, err := truth.Move(t.Context(), from.Pair, to.Pair, truth.Options{}); !errors.Is(err, store.ErrNotEmpty) || core.CodeOf(err) != core.CodeConflict {
			t.Errorf("%s: got %v", name, err)
		}
		to.holds(want)
		must(t, to.works())
		must(t, from.works())
	}
	one, two, to := inFolder(t), inFolder(t), onServer(t)
	_, err := truth.Move(t.Context(), broken{one, "import"}.pair(), to.Pair, truth.Options{})
	wantBroken(t, err)
	if _, err := truth.Move(t.Context(), two.Pair, to.Pair, truth.Options{}); !errors.Is(err, store.ErrClosed) {
		t.Errorf("two stores are moved to one: %v", err)
	}
}

// TestAStoreInUseIsNotMoved: as long as an engine's lease is running. The other store is as it was.
func TestAStoreInUseIsNotMoved(t *testing.T) {
	for name, from := range map[string]*place{"folder": inFolder(t), "server": onServer(t)} {
		to := inFolder(t)
		_, err := from.Enlist(t.Context(), store.Engine{ID: "e", Host: "host"}, waittest.Limit)
		must(t, err)
		var alive *store.EngineAlive
		if _, err := truth.Move(t.Context(), from.Pair, to.Pair, truth.Options{}); !errors.As(err, &alive) || alive.Host != "host" {
			t.Errorf("%s: got %v", name, err)
		}
		must(t, to.works())
		must(t, from.works())
	}
}

// TestACopyThatIsCutShort: wherever it breaks off, no engine works on what is there of the copy, and it begins again.
func TestACopyThatIsCutShort(t *testing.T) {
	for _, at := range []string{"import", "export"} { // the latter to compare it
		t.Run(at, func(t *testing.T) {
			from, to := inFolder(t), onServer(t)
			from.fill()
			want := storetest.Everything(t, from.Store)
			_, err := truth.Move(t.Context(), from.Pair, broken{to, at}.pair(), truth.Options{})
			wantBroken(t, err)
			if err := to.works(); !errors.Is(err, store.ErrClosed) {
				t.Errorf("an engine can work on half a copy: %v", err)
			}
			must(t, from.works())
			if report := from.moves(to); report.Copied != 0 {
				t.Errorf("%d objects were copied again", report.Copied)
			}
			to.holds(want)
			to.sound(6)
		})
	}
}

// TestACopyThatIsKilled: nobody was there to open the original again. The move begins again, or is given up.
func TestACopyThatIsKilled(t *testing.T) {
	from, to := inFolder(t), onServer(t)
	from.fill()
	want := storetest.Everything(t, from.Store)
	kill := func() {
		t.Helper()
		_, err := truth.Move(t.Context(), broken{from, "open"}.pair(), broken{to, "import"}.pair(), truth.Options{})
		wantBroken(t, err)
		if err := from.works(); !errors.Is(err, store.ErrClosed) {
			t.Errorf("an engine can work on the original in the middle of a move: %v", err)
		}
	}
	kill()
	must(t, truth.Reopen(t.Context(), from.Pair))
	must(t, from.works())
	if err := truth.Reopen(t.Context(), to.Pair); !errors.Is(err, store.ErrClosed) {
		t.Errorf("half a copy was opened: %v", err)
	}
	kill()
	from.moves(to)
	to.holds(want)
}

// TestTheLastStep: if the original is closed for good and the copy could not be opened, the same move opens it, and no other.
func TestTheLastStep(t *testing.T) {
	from, to, other := inFolder(t), onServer(t), onServer(t)
	from.fill()
	_, err := truth.Move(t.Context(), from.Pair, broken{to, "open"}.pair(), truth.Options{})
	wantBroken(t, err)
	for _, p := range []*place{from, to} {
		if err := p.works(); !errors.Is(err, store.ErrClosed) {
			t.Errorf("an engine can work on %s: %v", p.Name, err)
		}
	}
	if _, err := truth.Move(t.Context(), from.Pair, other.Pair, truth.Options{}); !errors.Is(err, store.ErrClosed) {
		t.Errorf("what was moved away can be moved once more: %v", err)
	}
	from.moves(to)
	must(t, to.works())
	to.sound(6)
	if _, err := truth.Move(t.Context(), from.Pair, to.Pair, truth.Options{}); !errors.Is(err, store.ErrClosed) {
		t.Errorf("a move that is over was repeated: %v", err)
	}
}

// TestAMoveThatIsCancelled: opens the original again.
func TestAMoveThatIsCancelled(t *testing.T) {
	from, to := inFolder(t), onServer(t)
	from.fill()
	ctx, cancel := context.WithCancel(t.Context())
	_, err := truth.Move(ctx, from.Pair, to.Pair, truth.Options{Progress: func(p truth.Progress) {
		if p.Step == truth.CopyEvents {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	must(t, from.works())
	from.moves(to)
}

// broken is a place whose store fails at something.
type broken struct {
	*place
	at string
}

var errBroken = errors.New("it went away")

func wantBroken(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, errBroken) {
		t.Fatalf("got %v", err)
	}
}

func (b broken) pair() truth.Pair {
	return truth.Pair{Name: b.Name, Store: b, Objects: b.Objects}
}

func (b broken) Import(ctx context.Context, records iter.Seq2[store.Record, error]) error {
	if b.at != "import" {
		return b.Store.Import(ctx, records)
	}
	return b.Store.Import(ctx, half(records))
}

func (b broken) Export(ctx context.Context) iter.Seq2[store.Record, error] {
	if b.at != "export" && b.at != "import" {
		return b.Store.Export(ctx)
	}
	return half(b.Store.Export(ctx))
}

func (b broken) SetClosure(ctx context.Context, was, now store.Closure) error {
	if b.at == "open" && now == (store.Closure{}) {
		return errBroken
	}
	return b.Store.SetClosure(ctx, was, now)
}

// half breaks off among the events.
func half(all iter.Seq2[store.Record, error]) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) {
		for r, err := range all {
			if err == nil && (r.Table.Name != store.TableSnapshots && r.Table.Name != store.TableEvents || r.Integer("position") == 7) {
				err = errBroken
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}
