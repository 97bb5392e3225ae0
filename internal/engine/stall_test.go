package engine_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/engine"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// TestAStalledWatcherHoldsNobodyUp: while one is still busy with the first move,
// steps go on and others hear of them. Once it comes round it hears of all that
// it missed at once.
func TestAStalledWatcherHoldsNobodyUp(t *testing.T) {
	b := newBench(t)
	ctx, cancel := context.WithTimeout(t.Context(), waittest.Limit)
	var work sync.WaitGroup
	defer work.Wait()
	defer cancel()
	watch := func(fn func(engine.Moved) error) {
		since := b.position()
		work.Go(func() {
			if err := b.engine.Watch(ctx, since, fn); !errors.Is(err, context.Canceled) {
				t.Errorf("a watch ended: %v", err)
			}
		})
	}
	busy, wake, late := make(chan struct{}), make(chan struct{}), make(chan engine.Moved, 100)
	stalled := false
	watch(func(m engine.Moved) error {
		if !stalled {
			stalled = true
			close(busy)
			select {
			case <-wake:
			case <-ctx.Done():
			}
			return nil
		}
		late <- m
		return nil
	})
	heard := make(chan engine.Moved, 100)
	watch(func(m engine.Moved) error { heard <- m; return nil })

	next := func(from <-chan engine.Moved) engine.Moved {
		t.Helper()
		select {
		case m := <-from:
			return m
		case <-ctx.Done():
			t.Fatal("it hears nothing any more")
			return engine.Moved{}
		}
	}

	b.submit("r1", core.Person("me"), start("r1", core.DefaultLimits()))
	select {
	case <-busy:
	case <-ctx.Done():
		t.Fatal("nobody hears that a run begins")
	}
	for range 20 {
		b.submit("r1", core.Person("me"), core.RunPaused{Code: core.PausePerson, Reason: "x"})
		b.submit("r1", core.Person("me"), core.RunResumed{})
		for next(heard).At != b.position() {
		}
	}
	close(wake)
	if m := next(late); m.All || len(m.Streams) != 1 || m.Streams[0] != core.RunStream("r1") {
		t.Errorf("afterwards it hears %+v", m)
	}
}
