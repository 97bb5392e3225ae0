package engine_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/phases"
	"github.com/stellwerk-dev/stellwerk/internal/engine"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// other is a second engine on the bench's store, which owns nothing.
func (b *bench) other() *engine.Engine {
	return b.with(engine.Options{ID: "other", Deciders: []core.Decider{phases.Decider{}}})
}

// TestAWordIsJudgedByTheNewestState: what an engine has in memory may be behind what another has committed. A word that the old
// state refuses and the new one allows counts, and leaves no refusal.
func TestAWordIsJudgedByTheNewestState(t *testing.T) {
	b := newBench(t)
	b.stop()
	b.submit("r1", core.Person("me"), start("r1", core.DefaultLimits()))
	if _, err := b.other().Submit(t.Context(), "r1", core.Person("you"), core.RunPaused{Code: core.PausePerson, Reason: "lunch"}); err != nil {
		t.Fatal(err)
	}
	run, err := b.engine.Submit(t.Context(), "r1", core.Person("me"), core.RunResumed{})
	if err != nil || run.Pause != nil {
		t.Errorf("resuming what another engine paused: %v", err)
	}
	for _, typ := range b.types("r1") {
		if typ == core.TypeCommandRefused {
			t.Error("a word that counts was refused first")
		}
	}
	if _, err := b.engine.Submit(t.Context(), "r1", core.Person("me"), core.RunResumed{}); core.CodeOf(err) != core.CodeConflict {
		t.Errorf("a word that the newest state refuses: %v", err)
	}
}

// TestTheJournalHasWhatOthersCommitted: the owner's next step brings its copy of the run up to date with them, and hands its
// effects out at once.
func TestTheJournalHasWhatOthersCommitted(t *testing.T) {
	b := newBench(t)
	b.stop()
	b.submit("r1", core.Person("me"), start("r1", core.DefaultLimits()))
	if _, err := b.other().Submit(t.Context(), "r1", core.Engine(), core.TimerFired{Timer: "elsewhere"}); err != nil {
		t.Fatal(err)
	}
	before := b.recorder.handed("r1")
	after := b.submit("r1", core.Person("me"), core.RunPaused{Code: core.PausePerson, Reason: "lunch"})
	have, err := b.ledger.Seq(t.Context(), after)
	if err != nil || have != after.Stream.Seq {
		t.Errorf("the journal ends at %d of %d: %v", have, after.Stream.Seq, err)
	}
	if b.recorder.handed("r1") != before+1 {
		t.Error("the effects of the step were not handed out")
	}
}

// TestNobodyChangesARunThatTheJournalKeeps: what another engine has committed makes a new one.
func TestNobodyChangesARunThatTheJournalKeeps(t *testing.T) {
	b := newBench(t)
	b.stop()
	b.submit("r1", core.Person("me"), start("r1", core.DefaultLimits()))
	kept := b.ledger.kept
	before := kept.Clone()
	if _, err := b.other().Submit(t.Context(), "r1", core.Engine(), core.TimerFired{Timer: "elsewhere"}); err != nil {
		t.Fatal(err)
	}
	b.look("r1")
	if now := b.load("r1"); now.Stream.Seq == before.Stream.Seq {
		t.Fatal("nobody else has committed anything")
	}
	if diff := cmp.Diff(before, kept.Clone()); diff != "" {
		t.Error(diff)
	}
}

// blind is a store that does not say how far it has come until it is told to, and counts reads that found nothing.
type blind struct {
	store.Store
	sees  *atomic.Bool
	empty chan struct{}
}

func (s blind) Position(ctx context.Context) (int64, error) {
	if !s.sees.Load() {
		return 0, core.Errorf(core.CodeUnavailable, "the store is away")
	}
	return s.Store.Position(ctx)
}

func (s blind) Events(ctx context.Context, stream string, after int64, limit int) ([]core.Event, error) {
	events, err := s.Store.Events(ctx, stream, after, limit)
	if err == nil && len(events) == 0 {
		s.empty <- struct{}{}
	}
	return events, err
}

// TestWhoFollowsBeforeTheFirstLookIsTold: an engine that could not ask how far the store has come when it began does not know
// what others have committed since then.
func TestWhoFollowsBeforeTheFirstLookIsTold(t *testing.T) {
	b := newBench(t)
	b.running("r1", core.DefaultLimits())
	b.stop()
	head := b.load("r1").Stream.Seq
	var sees atomic.Bool
	s := blind{b.store, &sees, make(chan struct{}, 1000)}
	e := b.on(s, engine.Options{Look: time.Millisecond, ID: "follower", Deciders: []core.Decider{phases.Decider{}}})
	ctx, cancel := context.WithCancel(t.Context())
	ran, followed := make(chan error, 1), make(chan error, 1)
	go func() { ran <- e.Run(ctx) }()
	enough := errors.New("enough")
	go func() {
		followed <- e.Follow(ctx, "r1", head, func(core.Event) error { return enough })
	}()
	for range 2 { // what it follows, and whether the run is over
		<-s.empty
	}
	if _, err := b.engine.Submit(t.Context(), "r1", core.Engine(), core.TimerFired{Timer: "t"}); err != nil {
		t.Fatal(err)
	}
	sees.Store(true)
	select {
	case err := <-followed:
		if !errors.Is(err, enough) {
			t.Error(err)
		}
	case <-waittest.Over():
		t.Error("who follows was never told")
	}
	cancel()
	if err := <-ran; err != nil {
		t.Error(err)
	}
}
