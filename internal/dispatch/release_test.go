package dispatch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// holder is an engine that may or may not own the project, and a yard that nobody comes out of before their context ends.
type holder struct {
	owns     atomic.Bool
	inside   chan int64 // the fence of whoever came in
	poked    atomic.Int64
	answer   error
	answered atomic.Int64
}

func (h *holder) Owns(_ string, fence int64) bool { return h.owns.Load() && fence == 7 }

func (*holder) Seat(context.Context, *core.Run, int64, string) (bool, error) { return true, nil }

func (*holder) Vacate(context.Context, string, int64, string) error { return nil }

func (h *holder) Poke(context.Context, string) error { h.poked.Add(1); return nil }

func (h *holder) Conclude(_ context.Context, _ string, fence int64, _ core.Body) (*core.Run, error) {
	h.answered.Add(1)
	if fence != 7 {
		return nil, errors.New("not the fence that it was asked for with")
	}
	return &core.Run{}, h.answer
}

func (h *holder) Yard(ctx context.Context, _ string) (*yard.Yard, error) {
	h.inside <- fenceOf(ctx)
	<-ctx.Done()
	return nil, ctx.Err()
}

func newHolder(t *testing.T) (*holder, *Dispatcher) {
	t.Helper()
	h := &holder{inside: make(chan int64, 9)}
	h.owns.Store(true)
	d := New(h, Options{Yards: h, Log: slog.New(slog.DiscardHandler), Notifier: &hear{listens: closed()}, Redactors: func([]string) Redactor { return unredacted{} }})
	t.Cleanup(d.Close)
	return h, d
}

func closed() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

func (d *Dispatcher) idle() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.flight) == 0 && len(d.failed) == 0
}

// TestAReleasedProjectIsLeftAlone: what is under way for it ends, whatever it is, and is not tried again; that of others goes
// on. Asked for once more, it begins again.
func TestAReleasedProjectIsLeftAlone(t *testing.T) {
	h, d := newHolder(t)
	move := []core.Action{core.MoveBranch{Ref: "refs/heads/x"}}
	run := &core.Run{ID: "r1", Project: "p", Playbook: &core.Playbook{}}
	d.Reconcile(run, 7, move)
	if fence := <-h.inside; fence != 7 {
		t.Errorf("it is done under fence %d", fence)
	}
	d.Release("other")
	if d.idle() {
		t.Fatal("what is of another project was ended")
	}
	d.Release("p")
	if !waittest.Until(d.idle) {
		t.Fatal("it goes on")
	}
	if _, seen := d.seen["r1"]; seen || h.poked.Load() > 0 {
		t.Errorf("seen is %v, asked for again %d times", d.seen, h.poked.Load())
	}
	d.Reconcile(run, 7, move)
	<-h.inside
}

// TestNothingIsBegunForAnother: neither what others could see, nor anything else, without being certain to own the project,
// or under a fence that has passed.
func TestNothingIsBegunForAnother(t *testing.T) {
	for name, test := range map[string]struct {
		owns  bool
		fence int64
	}{"not certain": {false, 7}, "an earlier fence": {true, 6}} {
		h, d := newHolder(t)
		h.owns.Store(test.owns)
		d.Reconcile(&core.Run{ID: "r1", Project: "p", Playbook: &core.Playbook{}}, test.fence, []core.Action{core.MoveBranch{Ref: "refs/heads/x"}})
		if !waittest.Until(d.idle) || len(h.inside) > 0 || h.answered.Load() > 0 {
			t.Errorf("%s: it was begun", name)
		}
	}
}

// TestALateConclusionEndsTheAction: it is another's to conclude, and not tried again.
func TestALateConclusionEndsTheAction(t *testing.T) {
	h, d := newHolder(t)
	h.answer = fmt.Errorf("no longer: %w", store.ErrFenced)
	d.Reconcile(&core.Run{ID: "r1", Project: "p", Playbook: &core.Playbook{}}, 7, []core.Action{core.Notify{Event: "run/r1#1"}})
	if !waittest.Until(func() bool { return h.answered.Load() == 1 && d.idle() }) {
		t.Errorf("answered %d times", h.answered.Load())
	}
}

// slowSpawner takes its time to look at an attempt.
type slowSpawner struct {
	spawn.Spawner
	looks, answers chan struct{}
}

func (s slowSpawner) Probe(context.Context, spawn.ID) (spawn.Status, error) {
	s.looks <- struct{}{}
	<-s.answers
	return spawn.Absent, context.Canceled
}

// TestAPreparedStartOfAProjectThatCameBack: the project was given up and regained before the preparation noticed. Whoever asks
// for the start then is heard when it has ended.
func TestAPreparedStartOfAProjectThatCameBack(t *testing.T) {
	h, d := newHolder(t)
	slow := slowSpawner{looks: make(chan struct{}), answers: make(chan struct{})}
	d.Spawner = slow
	run, start := &core.Run{ID: "r1", Project: "p", Playbook: &core.Playbook{}}, []core.Action{core.StartAttempt{Attempt: "a.r1.a1"}}
	d.Prepare(run, 7, start)
	<-slow.looks
	d.Release("p")
	d.Reconcile(run, 7, start)
	close(slow.answers)
	if !waittest.Until(func() bool { return d.idle() && h.poked.Load() == 1 }) {
		t.Errorf("asked for again %d times", h.poked.Load())
	}
}
