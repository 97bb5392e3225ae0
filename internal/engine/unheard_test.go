package engine_test

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/phases"
	"github.com/stellwerk-dev/stellwerk/internal/engine"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// halfHeard is a store whose first answer to a question about owners gets lost, after it has done what was asked
// for; or it never comes.
type halfHeard struct {
	store.Store
	lost    atomic.Bool
	silent  string // the question that is never answered
	refused atomic.Int64
}

func (h *halfHeard) Take(ctx context.Context, id string, lease time.Duration, projects []string) ([]store.Owner, error) {
	if h.silent == "take" {
		return nil, h.wait(ctx)
	}
	taken, err := h.Store.Take(ctx, id, lease, projects)
	if err == nil && h.lost.CompareAndSwap(false, true) {
		return nil, io.ErrUnexpectedEOF
	}
	return taken, err
}

func (h *halfHeard) Adrift(ctx context.Context, first string, limit int) ([]store.Owner, error) {
	if h.silent == "adrift" {
		return nil, h.wait(ctx)
	}
	return h.Store.Adrift(ctx, first, limit)
}

func (h *halfHeard) Yield(ctx context.Context, owned []store.Owner) error {
	if h.silent == "yield" {
		return h.wait(ctx)
	}
	return h.Store.Yield(ctx, owned)
}

func (h *halfHeard) wait(ctx context.Context) error {
	<-ctx.Done()
	h.refused.Add(1)
	return ctx.Err()
}

func onHalfHeard(b *bench, s store.Store) (*engine.Engine, *recorder) {
	e := engine.New(engine.Options{
		Store: s, Journal: b.ledger, Deciders: []core.Decider{phases.Decider{}}, Log: b.log, ID: "another",
		Lease: 400 * time.Millisecond, Look: 10 * time.Millisecond,
	})
	r := newRecorder()
	e.SetDispatcher(r)
	return e, r
}

// TestAnAnswerThatIsLostLeavesNoProjectBehind: an engine takes a project, the store does it, and the engine does not hear of
// that. It works on the project nevertheless, whether or not it owns others.
func TestAnAnswerThatIsLostLeavesNoProjectBehind(t *testing.T) {
	for name, others := range map[string][]string{"as the only one": nil, "beside others": {"q"}} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.submit("r1", core.Person("me"), start("r1", core.DefaultLimits()))
			b.stop()
			if err := b.engine.Leave(t.Context()); err != nil {
				t.Fatal(err)
			}
			s := &halfHeard{Store: b.store}
			e, r := onHalfHeard(b, s)
			s.lost.Store(true)
			if err := e.Own(t.Context(), others...); err != nil {
				t.Fatal(err)
			}
			s.lost.Store(false)
			ctx, stop := context.WithCancel(t.Context())
			done := make(chan error, 1)
			go func() { done <- e.Run(ctx) }()
			r.awaitHanded(t, "r1", 1)
			stop()
			if err := <-done; err != nil || !s.lost.Load() {
				t.Errorf("%v; an answer was lost: %v", err, s.lost.Load())
			}
		})
	}
}

// TestNoQuestionAboutOwnersWaitsForEver: whichever of them the store does not answer, the engine goes on.
func TestNoQuestionAboutOwnersWaitsForEver(t *testing.T) {
	for _, question := range []string{"take", "adrift", "yield"} {
		t.Run(question, func(t *testing.T) {
			b := newBench(t)
			b.submit("r1", core.Person("me"), start("r1", core.DefaultLimits()))
			b.stop()
			if err := b.engine.Leave(t.Context()); err != nil {
				t.Fatal(err)
			}
			s := &halfHeard{Store: b.store}
			s.lost.Store(true)
			e, _ := onHalfHeard(b, s)
			if err := e.Own(t.Context(), "idle"); err != nil { // which it gives back before long
				t.Fatal(err)
			}
			s.silent = question
			ctx, stop := context.WithCancel(t.Context())
			done := make(chan error, 1)
			go func() { done <- e.Run(ctx) }()
			if !waittest.Until(func() bool { return s.refused.Load() > 1 }) {
				t.Error("the engine waits for the store")
			}
			stop()
			if err := <-done; err != nil && !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		})
	}
}
