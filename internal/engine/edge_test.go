package engine_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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

// strayed is a decider with a defect.
type strayed struct{ decides func(*core.Run) []core.Body }

func (strayed) Kind() string                     { return "phases" }
func (strayed) Version() int                     { return 1 }
func (d strayed) Decide(r *core.Run) []core.Body { return d.decides(r) }

// with makes an engine on the bench's store, at which nobody looks. Unless it has another id, it owns what the bench's own did.
func (b *bench) with(o engine.Options) *engine.Engine {
	b.t.Helper()
	o.Store, o.Journal, o.Log = b.store, b.ledger, slog.New(slog.DiscardHandler)
	owns := o.ID == ""
	o.ID = cmp.Or(o.ID, "test")
	e := engine.New(o)
	e.SetDispatcher(b.recorder)
	if owns {
		b.own(e)
	}
	return e
}

// TestADeciderWithADefectPausesItsRun: what the law refuses is not committed, nor is what was decided with it. The run says
// so, and is never worse off than paused.
func TestADeciderWithADefectPausesItsRun(t *testing.T) {
	b := newBench(t)
	b.stop()
	stray := strayed{func(*core.Run) []core.Body {
		return []core.Body{core.StageOpened{Stage: "z", Round: 1}, core.StageOpened{Stage: "a", Round: 1}}
	}}
	run, err := b.with(engine.Options{Deciders: []core.Decider{stray}}).Submit(t.Context(), "r1", core.Person("me"), start("r1", core.DefaultLimits()))
	if err != nil {
		t.Fatal(err)
	}
	if run.Status != core.StatusPaused || run.Pause.Code != core.PauseUnlawful || len(run.Pause.Choices) == 0 || len(run.Stages[0].Tasks) > 0 {
		t.Errorf("the run is %s: %+v", run.Status, run.Pause)
	}
	if got := b.types("r1"); !slices.Equal(got, []core.Type{core.TypeRunStarted, core.TypeRunPaused}) {
		t.Errorf("it has %v", got)
	}
}

// TestAKindThatNobodyDecidesForIsRefused, and leaves nothing.
func TestAKindThatNobodyDecidesForIsRefused(t *testing.T) {
	b := newBench(t)
	if _, err := b.with(engine.Options{}).Submit(t.Context(), "r1", core.Person("me"), start("r1", core.DefaultLimits())); core.CodeOf(err) != core.CodeUnsupported {
		t.Errorf("a kind that nobody decides for: %v", err)
	}
	if n := len(b.types("r1")); n != 0 {
		t.Errorf("it left %v", b.types("r1"))
	}
}

// TestNobodyAnswersForARunThatIsNot.
func TestNobodyAnswersForARunThatIsNot(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	_, loaded := b.engine.Load(ctx, "r9")
	_, was := b.engine.At(ctx, "r9", 1)
	for name, err := range map[string]error{
		"load": loaded, "at": was, "poke": b.engine.Poke(ctx, "r9"),
		"follow": b.engine.Follow(ctx, "r9", 0, func(core.Event) error { return nil }),
	} {
		if core.CodeOf(err) != core.CodeNotFound {
			t.Errorf("%s: %v", name, err)
		}
	}
	if b.engine.Holds("r9") {
		t.Error("it is held")
	}
}

// TestARunIsHeldWhileItIsOpen, and let go once it is over and everything about it is done.
func TestARunIsHeldWhileItIsOpen(t *testing.T) {
	b := newBench(t)
	b.running("r1", core.DefaultLimits())
	if !b.engine.Holds("r1") || b.engine.Holds("r2") {
		t.Error("who is held?")
	}
	b.submit("r1", core.Person("me"), core.RunCancelled{})
	b.submit("r1", core.Engine(), core.AttemptExited{Attempt: "a.r1.a1", Kind: core.ExitCancelled})
	for _, id := range b.load("r1").Tell {
		b.submit("r1", core.Engine(), core.PersonNotified{Event: id})
	}
	if !b.engine.Holds("r1") {
		t.Error("it is let go with something left to do")
	}
	b.submit("r1", core.Engine(), core.RunSwept{})
	b.clock.move(2 * time.Minute) // past the lease of looks that found something left to do
	if !waittest.Until(func() bool { return !b.engine.Holds("r1") }) {
		t.Error("a run that is over is never let go")
	}
	if b.load("r1"); b.engine.Holds("r1") {
		t.Error("who looks at a run that is over has it held")
	}
}

// TestWhoFollows gets what is new to them and nothing after the end, and is told why it ends.
func TestWhoFollows(t *testing.T) {
	b := newBench(t)
	b.running("r1", core.DefaultLimits())
	head := b.load("r1").Stream.Seq
	enough := errors.New("enough")
	var seen []int64
	err := b.engine.Follow(t.Context(), "r1", head-2, func(e core.Event) error {
		if seen = append(seen, e.Seq); e.Seq == head {
			return enough
		}
		return nil
	})
	if !errors.Is(err, enough) || len(seen) != 2 || seen[0] != head-1 {
		t.Errorf("%v, %v", seen, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.engine.Follow(ctx, "r1", head, func(core.Event) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("who goes away: %v", err)
	}
	b.submit("r1", core.Person("me"), core.RunCancelled{})
	b.submit("r1", core.Engine(), core.AttemptExited{Attempt: "a.r1.a1", Kind: core.ExitCancelled})
	end := b.load("r1").Stream.Seq
	if err := b.engine.Follow(t.Context(), "r1", end, func(core.Event) error { return enough }); err != nil {
		t.Errorf("who comes after the end: %v", err)
	}
	for seq := int64(1); seq <= end; seq++ {
		if was, err := b.engine.At(t.Context(), "r1", seq); err != nil || was.Stream.Seq != seq {
			t.Errorf("at %d: %+v, %v", seq, was, err)
		}
	}
	if was, err := b.engine.At(t.Context(), "r1", head); err != nil || was.Status != core.StatusActive {
		t.Errorf("before it was cancelled: %+v, %v", was, err)
	}
	for _, seq := range []int64{end + 1, 0, -1} {
		if _, err := b.engine.At(t.Context(), "r1", seq); core.CodeOf(err) != core.CodeNotFound {
			t.Errorf("at %d: %v", seq, err)
		}
	}
}

// leased is a store that notes for how long an engine enlists.
type leased struct {
	store.Store
	leases chan time.Duration
}

func (l leased) Enlist(ctx context.Context, e store.Engine, lease time.Duration) ([]store.Owner, error) {
	l.leases <- lease
	return l.Store.Enlist(ctx, e, lease)
}

// TestAnEngineHasTimeByDefault: one that is told nothing keeps its projects for long enough to renew its lease.
func TestAnEngineHasTimeByDefault(t *testing.T) {
	b := newBench(t)
	b.stop()
	l := leased{b.store, make(chan time.Duration, 1)}
	e := engine.New(engine.Options{Store: l, Journal: b.ledger, Log: slog.New(slog.DiscardHandler), ID: "other"})
	e.SetDispatcher(b.recorder)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- e.Run(ctx) }()
	if lease := <-l.leases; lease < 5*time.Second || lease > time.Minute {
		t.Errorf("for %s", lease)
	}
	cancel()
	if err := <-done; err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestEverythingThatWaitsIsLookedAt: an engine that finds more streams than it claims in one go does not wait for a signal
// before it claims the rest.
func TestEverythingThatWaitsIsLookedAt(t *testing.T) {
	const runs = 100
	b := newBench(t)
	b.stop()
	limits := core.DefaultLimits()
	limits.Parallel = 2 * runs
	for i := range runs {
		id := fmt.Sprintf("r%d", i)
		b.submit(id, core.Person("me"), start(id, limits))
	}
	b.recorder = newRecorder()
	e := b.on(silent{b.store}, engine.Options{Look: time.Hour, Deciders: []core.Decider{phases.Decider{}}})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- e.Run(ctx) }()
	for i := range runs {
		b.recorder.awaitHanded(t, fmt.Sprintf("r%d", i), 1)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestARunOfAnothersIsHeldUntilOthersMoveIt: a person may say several things one after the other.
func TestARunOfAnothersIsHeldUntilOthersMoveIt(t *testing.T) {
	b := newBench(t)
	b.stop()
	b.submit("r1", core.Person("me"), start("r1", core.DefaultLimits()))
	other := b.other()
	at, err := b.store.Position(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []core.Body{core.RunPaused{Code: core.PausePerson, Reason: "lunch"}, core.RunResumed{}} {
		if _, err := other.Submit(t.Context(), "r1", core.Person("you"), word); err != nil {
			t.Fatal(err)
		}
		if at = other.Hear(t.Context(), at); !other.Holds("r1") {
			t.Errorf("it is let go after %s", core.TypeOf(word))
		}
	}
	b.submit("r1", core.Person("me"), core.RunPaused{Code: core.PausePerson, Reason: "tea"})
	if other.Hear(t.Context(), at); other.Holds("r1") {
		t.Error("it is held though its owner has moved it")
	}
}
