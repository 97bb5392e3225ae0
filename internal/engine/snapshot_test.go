package engine_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/phases"
	"github.com/stellwerk-dev/stellwerk/internal/engine"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// album notes at which events snapshots were made, and what was read to rebuild a state.
type album struct {
	store.Store
	made []int64
	read []int64 // after which event
}

func (a *album) Commit(ctx context.Context, c store.Commit) error {
	if c.Snapshot != nil {
		a.made = append(a.made, c.Snapshot.Head.Seq)
	}
	return a.Store.Commit(ctx, c)
}

func (a *album) Events(ctx context.Context, stream string, after int64, limit int) ([]core.Event, error) {
	a.read = append(a.read, after)
	return a.Store.Events(ctx, stream, after, limit)
}

// TestSnapshots are made as often as is wanted, by an engine that began a run and by its successor, and what follows one is
// all that is read.
func TestSnapshots(t *testing.T) {
	for every, far := range map[int64]int64{1: 1, 7: 7, 0: 64} {
		b := newBench(t)
		b.stop()
		a := &album{Store: b.store}
		again := func() *engine.Engine {
			e := b.on(a, engine.Options{Deciders: []core.Decider{phases.Decider{}}, SnapshotEvery: every})
			a.read = nil
			return e
		}
		e := again()
		run, err := e.Submit(t.Context(), "r1", core.Person("me"), start("r1", core.DefaultLimits()))
		for err == nil && run.Stream.Seq < 2*far+10 {
			if run.Stream.Seq%9 == 0 {
				e = again()
			}
			run, err = e.Submit(t.Context(), "r1", core.Engine(), core.TimerFired{Timer: "t"})
		}
		if err != nil {
			t.Fatal(err)
		}
		last := int64(0)
		for _, seq := range a.made {
			if seq-last != far && last > 0 || seq < far || last == 0 && seq > max(far, 4) { // the first step has several events
				t.Errorf("every %d: %v", every, a.made)
			}
			last = seq
		}
		if run.Stream.Seq-last >= far {
			t.Errorf("every %d: none since %d at %d", every, last, run.Stream.Seq)
		}
		same, err := again().Load(t.Context(), "r1")
		if err != nil || same.Stream != run.Stream || a.read[0] != last {
			t.Errorf("every %d: read after %v, the last at %d: %+v, %v", every, a.read, last, same.Stream, err)
		}
	}
}

// on is with on another view of the store.
func (b *bench) on(s store.Store, o engine.Options) *engine.Engine {
	was := b.store
	b.store = s
	defer func() { b.store = was }()
	return b.with(o)
}

// TestAFaultLeavesProjectsAndFoldersAsTheyWere: whichever call fails while a project is told something or a folder is taken
// over, it is said, and the same word again does what it would have done.
func TestAFaultLeavesProjectsAndFoldersAsTheyWere(t *testing.T) {
	folder := told(t)
	for name, say := range map[string]func(e *engine.Engine) error{
		"a word": func(e *engine.Engine) error {
			return e.Record(t.Context(), "p", core.Person("ada"), core.ProjectNamed{Name: "store"})
		},
		"a folder": func(e *engine.Engine) error {
			_, err := e.Import(t.Context(), "r1", folder)
			return err
		},
		"a cut folder": func(e *engine.Engine) error {
			_, err := e.Import(t.Context(), "r1", folder[:at(folder, core.TypeAttemptRequested)])
			return err
		},
	} {
		once := func(t *testing.T, at int) (calls int, state string) {
			b := newBench(t)
			if err := b.register("p", "shop"); err != nil {
				t.Fatal(err)
			}
			f := &faulty{Store: b.store, at: at}
			e := b.on(f, engine.Options{Deciders: []core.Decider{phases.Decider{}}})
			err := say(e)
			calls = f.calls
			if at == 0 && err != nil || at > 0 && !errors.Is(err, errFault) {
				t.Errorf("call %d fails: %v", at, err)
			}
			if at > 0 {
				if err := say(e); err != nil {
					t.Errorf("again, after call %d failed: %v", at, err)
				}
			}
			p, err := e.Project(t.Context(), "p")
			if err != nil {
				t.Fatal(err)
			}
			state = p.Name
			for _, kind := range b.types("r1") {
				state += " " + string(kind)
			}
			return calls, state
		}
		t.Run(name, func(t *testing.T) {
			calls, want := once(t, 0)
			for at := 1; at <= calls; at++ {
				if _, got := once(t, at); got != want {
					t.Errorf("call %d failed: %s\nwant %s", at, got, want)
				}
			}
		})
	}
}
