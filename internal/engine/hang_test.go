package engine_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/phases"
	"github.com/stellwerk-dev/stellwerk/internal/engine"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// mute is a store that never says whether a lease was renewed.
type mute struct{ store.Store }

func (mute) Renew(ctx context.Context, _ string, _ time.Duration) ([]store.Owner, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// releaser notes which project's jobs are let go.
type releaser struct {
	*recorder
	released chan string
}

func (r releaser) Release(project string) {
	select {
	case r.released <- project:
	default:
	}
}

// TestAStoreThatDoesNotAnswerEndsALease: what another engine may take soon is let go, as if the store had failed.
func TestAStoreThatDoesNotAnswerEndsALease(t *testing.T) {
	b := newBench(t)
	b.stop()
	e := engine.New(engine.Options{
		Store: mute{b.store}, Journal: b.ledger, Log: slog.New(slog.DiscardHandler), ID: "another", Lease: 400 * time.Millisecond,
	})
	r := releaser{newRecorder(), make(chan string, 1)}
	e.SetDispatcher(r)
	if err := e.Own(t.Context(), "q"); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- e.Run(ctx) }()
	select {
	case project := <-r.released:
		if project != "q" {
			t.Errorf("let go was %s", project)
		}
	case <-waittest.Over():
		t.Error("nothing was let go")
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// unrecorded is a store that never says whether a refusal is on record.
type unrecorded struct{ store.Store }

func (u unrecorded) Commit(ctx context.Context, c store.Commit) error {
	if slices.ContainsFunc(c.Events, func(e core.Event) bool { return e.Type == core.TypeCommandRefused }) {
		<-ctx.Done()
		return ctx.Err()
	}
	return u.Store.Commit(ctx, c)
}

// TestARefusalThatCannotBeRecordedHoldsNothingUp: what was refused under its fence is answered, though the store says nothing
// about the record of it. An engine that ends would wait for ever otherwise.
func TestARefusalThatCannotBeRecordedHoldsNothingUp(t *testing.T) {
	b := newBench(t)
	b.stop()
	b.submit("r1", core.Person("me"), start("r1", core.DefaultLimits()))
	e := b.on(unrecorded{b.store}, engine.Options{Deciders: []core.Decider{phases.Decider{}}, Lease: 200 * time.Millisecond})
	done := make(chan error, 1)
	go func() {
		_, err := e.Conclude(t.Context(), "r1", e.Fence("p")+1, core.TimerFired{Timer: "t"})
		done <- err
	}()
	select {
	case err := <-done:
		if !errors.Is(err, store.ErrFenced) {
			t.Errorf("the late conclusion: %v", err)
		}
	case <-waittest.Over():
		t.Error("the late conclusion is not answered")
	}
}
