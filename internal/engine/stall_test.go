package engine_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/engine"
	"github.com/stellwerk-dev/stellwerk/internal/patience"
)

// TestAStalledWatcherHoldsNobodyUp: while one is still busy with the first move,
// steps go on and others hear of them. Once it comes round it hears of all that
// it missed at once.
func TestAStalledWatcherHoldsNobodyUp(t *testing.T) {
	b := newBench(t)
	ctx, cancel := context.WithTimeout(t.Context(), patience.Limit)
	var work sync.WaitGroup
	defer work.Wait()
	defer cancel()
	watch := func(fn func(engine.Moved) error) {
		since := b.engine.Position()
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
			<-wake
			return nil
		}
		late <- m
		return nil
	})
	heard := make(chan engine.Moved, 100)
	watch(func(m engine.Moved) error { heard <- m; return nil })

	b.submit("r1", core.Person("me"), start("r1", core.DefaultLimits()))
	<-busy
	for range 20 {
		b.submit("r1", core.Person("me"), core.RunPaused{Code: core.PausePerson, Reason: "x"})
		b.submit("r1", core.Person("me"), core.RunResumed{})
		for m := range heard {
			if m.At == b.engine.Position() {
				break
			}
		}
	}
	close(wake)
	if m := <-late; m.All || len(m.Streams) != 1 || m.Streams[0] != core.RunStream("r1") {
		t.Errorf("afterwards it hears %+v", m)
	}
}
