package engine_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

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
