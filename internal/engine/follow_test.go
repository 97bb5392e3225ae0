package engine_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

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

// flickering is a store that tells of one event at a time, and is away for a few times when it is asked for what follows one of them.
type flickering struct {
	store.Store
	after int64
	times *atomic.Int32
}

func (f flickering) Events(ctx context.Context, stream string, after int64, _ int) ([]core.Event, error) {
	if after == f.after && f.times.Add(-1) >= 0 {
		return nil, core.Errorf(core.CodeUnavailable, "the store is away")
	}
	return f.Store.Events(ctx, stream, after, 1)
}

// TestAFollowerOutlastsAStoreThatIsAway: it misses nothing. One who begins while the store is away is told so.
func TestAFollowerOutlastsAStoreThatIsAway(t *testing.T) {
	b := newBench(t)
	b.running("r1", core.DefaultLimits())
	b.stop()
	head := b.load("r1").Stream.Seq
	var times atomic.Int32
	e := b.on(flickering{b.store, head, &times}, engine.Options{Look: time.Millisecond, Deciders: []core.Decider{phases.Decider{}}})
	times.Store(1)
	if err := e.Follow(t.Context(), "r1", head, func(core.Event) error { return nil }); core.CodeOf(err) != core.CodeUnavailable {
		t.Errorf("a store that is away from the start: %v", err)
	}
	if _, err := e.Submit(t.Context(), "r1", core.Engine(), core.TimerFired{Timer: "t"}); err != nil {
		t.Fatal(err)
	}
	times.Store(3)
	enough, seen := errors.New("enough"), int64(0)
	err := e.Follow(t.Context(), "r1", head-1, func(ev core.Event) error {
		if seen = ev.Seq; seen > head {
			return enough
		}
		return nil
	})
	if !errors.Is(err, enough) || seen != head+1 || times.Load() > 0 {
		t.Errorf("saw up to %d of %d: %v", seen, head+1, err)
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
