package engine_test

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/phases"
	"github.com/stellwerk-dev/stellwerk/internal/engine"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// slow is a journal that says when it is written to, and waits until it may be. It notices two who write at once.
type slow struct {
	*ledger
	asked, may chan struct{}
	under      *atomic.Int64
	atOnce     *atomic.Bool
}

func newSlow() slow {
	return slow{&ledger{seqs: map[string]int64{}}, make(chan struct{}, 100), make(chan struct{}), &atomic.Int64{}, &atomic.Bool{}}
}

func (s slow) Append(ctx context.Context, run *core.Run, events []core.Event, bodies core.Bodies) error {
	if s.under.Add(1) > 1 {
		s.atOnce.Store(true)
	}
	defer s.under.Add(-1)
	s.asked <- struct{}{}
	<-s.may
	return s.ledger.Append(ctx, run, events, bodies)
}

// writing is an engine on the bench's store that writes to the journal, and at which nobody looks.
func (b *bench) writing(journal slow, id string) *engine.Engine {
	e := engine.New(engine.Options{Store: b.store, Journal: journal, Deciders: []core.Decider{phases.Decider{}}, Log: b.log, ID: id})
	e.SetDispatcher(newRecorder())
	return e
}

// TestAWriteUpHoldsUpNoStep: while an engine that does not own a run copies its events, it takes words about the run and shows it.
func TestAWriteUpHoldsUpNoStep(t *testing.T) {
	b := newBench(t)
	b.stop()
	b.submit("r1", core.Person("me"), start("r1", core.DefaultLimits()))
	journal := newSlow()
	other := b.writing(journal, "other")
	var writers sync.WaitGroup
	for range 10 {
		writers.Go(func() {
			if err := other.WriteUp(t.Context(), "r1"); err != nil {
				t.Error(err)
			}
		})
	}
	<-journal.asked
	if !waittest.Until(func() bool { return other.Writers("r1") == 10 }) {
		t.Fatalf("%d take turns at the journal", other.Writers("r1"))
	}
	paused, err := other.Submit(t.Context(), "r1", core.Person("me"), core.RunPaused{Code: core.PausePerson, Reason: "lunch"})
	if err != nil {
		t.Error(err)
	}
	if shown, err := other.Load(t.Context(), "r1"); err != nil || shown.Pause == nil {
		t.Errorf("it shows %+v, %v", shown, err)
	}
	close(journal.may)
	writers.Wait()
	if err := other.WriteUp(t.Context(), "r1"); err != nil {
		t.Error(err)
	}
	if have, err := journal.Seq(t.Context(), paused); err != nil || have != paused.Stream.Seq {
		t.Errorf("the journal ends at %d of %d: %v", have, paused.Stream.Seq, err)
	}
	if journal.atOnce.Load() || other.Writers("r1") != 0 {
		t.Errorf("two wrote to the journal at once: %t, and %d do still", journal.atOnce.Load(), other.Writers("r1"))
	}
}

// TestAStepIsWrittenInItsTurn: the owner's own step waits for a write-up, and keeps others waiting, whether or not the journal
// misses something. Nothing is missing then.
func TestAStepIsWrittenInItsTurn(t *testing.T) {
	for name, misses := range map[string]bool{"after a write-up": true, "alone": false} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.stop()
			b.submit("r1", core.Person("me"), start("r1", core.DefaultLimits()))
			journal := newSlow()
			owner := b.writing(journal, "test")
			b.own(owner)
			var writers sync.WaitGroup
			want := 1
			if misses {
				want = 2
				writers.Go(func() {
					if err := owner.WriteUp(t.Context(), "r1"); err != nil {
						t.Error(err)
					}
				})
				<-journal.asked
			} else {
				journal.seqs["r1"] = b.head("r1")
			}
			var paused *core.Run
			writers.Go(func() {
				var err error
				if paused, err = owner.Submit(t.Context(), "r1", core.Person("me"), lunch); err != nil {
					t.Error(err)
				}
			})
			if !misses {
				<-journal.asked
			}
			if !waittest.Until(func() bool { return owner.Writers("r1") == want }) {
				t.Errorf("%d take turns at the journal", owner.Writers("r1"))
			}
			close(journal.may)
			writers.Wait()
			if have, err := journal.Seq(t.Context(), paused); err != nil || have != paused.Stream.Seq || journal.atOnce.Load() {
				t.Errorf("the journal ends at %d of %d: %v; two wrote at once: %t", have, paused.Stream.Seq, err, journal.atOnce.Load())
			}
		})
	}
}

// TestJournalsAreTakenInTurns: one at a time has a run's, and whoever has another's is not waited for.
func TestJournalsAreTakenInTurns(t *testing.T) {
	take := engine.TakeJournal()
	defer take("another")()
	var under, atOnce atomic.Int64
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 2000 {
				give := take("r1")
				if under.Add(1) > 1 {
					atOnce.Add(1)
				}
				runtime.Gosched()
				under.Add(-1)
				give()
			}
		})
	}
	all.Wait()
	if n := atOnce.Load(); n > 0 {
		t.Errorf("two had it at once, %d times", n)
	}
}
