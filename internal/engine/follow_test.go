package engine_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/phases"
	"github.com/stellwerk-dev/stellwerk/internal/engine"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// TestAWatcherHearsOnlyOfMoves: one who looked a moment ago is not called before something moves, and then of that alone.
func TestAWatcherHearsOnlyOfMoves(t *testing.T) {
	b := newBench(t)
	b.running("r1", core.DefaultLimits())
	b.stop()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	heard, ended := make(chan engine.Moved, 8), make(chan error, 1)
	since := b.position()
	go func() {
		ended <- b.engine.Watch(ctx, since, func(m engine.Moved) error { heard <- m; return nil })
	}()
	for _, run := range []string{"r2", "r3"} {
		b.submit(run, core.Person("me"), start(run, core.DefaultLimits()))
		select {
		case m := <-heard:
			if m.All || len(m.Streams) != 1 || m.Streams[0] != core.RunStream(run) {
				t.Errorf("%s moved, heard of %+v", run, m)
			}
		case <-waittest.Over():
			t.Fatal("nothing is heard")
		}
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// exhausted is a store that says when somebody has read a stream to its end.
type exhausted struct {
	store.Store
	end chan struct{}
}

func (x exhausted) Events(ctx context.Context, stream string, after int64, limit int) ([]core.Event, error) {
	events, err := x.Store.Events(ctx, stream, after, limit)
	if len(events) == 0 {
		select {
		case x.end <- struct{}{}:
		default:
		}
	}
	return events, err
}

// TestWhoHasReadEverythingHearsWhatComesNext: a follower that waits is told of its own stream, whatever else moves.
func TestWhoHasReadEverythingHearsWhatComesNext(t *testing.T) {
	b := newBench(t)
	b.running("r1", core.DefaultLimits())
	b.stop()
	head := b.load("r1").Stream.Seq
	x := exhausted{b.store, make(chan struct{}, 1)}
	e := b.on(x, engine.Options{Deciders: []core.Decider{phases.Decider{}}})
	if _, err := e.Load(t.Context(), "r1"); err != nil { // so that only the follower reads from now on
		t.Fatal(err)
	}
	<-x.end
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	heard, ended := make(chan core.Event, 8), make(chan error, 1)
	go func() {
		ended <- e.Follow(ctx, "r1", head, func(ev core.Event) error { heard <- ev; return nil })
	}()
	<-x.end
	if _, err := e.Submit(t.Context(), "r1", core.Engine(), core.TimerFired{Timer: "t"}); err != nil {
		t.Fatal(err)
	}
	select {
	case ev := <-heard:
		if ev.Seq != head+1 {
			t.Errorf("heard of %d, want %d", ev.Seq, head+1)
		}
	case <-waittest.Over():
		t.Error("nothing is heard")
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// position is how far the store has come.
func (b *bench) position() string {
	b.t.Helper()
	at, err := b.engine.Position(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	return at
}
