package engine_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/phases"
	"github.com/stellwerk-dev/stellwerk/internal/engine"
)

// slow is a journal that says when it is written to, and waits until it may be. It notices two who write at once.
type slow struct {
	*ledger
	asked, may chan struct{}
	under      *atomic.Int64
	atOnce     *atomic.Bool
}

func (s slow) Append(ctx context.Context, run *core.Run, events []core.Event) error {
	if s.under.Add(1) > 1 {
		s.atOnce.Store(true)
	}
	defer s.under.Add(-1)
	s.asked <- struct{}{}
	<-s.may
	return s.ledger.Append(ctx, run, events)
}

// TestAWriteUpHoldsUpNoStep: while an engine that does not own a run copies its events, it takes words about the run and shows it.
func TestAWriteUpHoldsUpNoStep(t *testing.T) {
	b := newBench(t)
	b.stop()
	b.submit("r1", core.Person("me"), start("r1", core.DefaultLimits()))
	journal := slow{&ledger{seqs: map[string]int64{}}, make(chan struct{}, 100), make(chan struct{}), &atomic.Int64{}, &atomic.Bool{}}
	other := engine.New(engine.Options{
		Store: b.store, Journal: journal, Deciders: []core.Decider{phases.Decider{}}, Log: b.log, ID: "other",
	})
	other.SetDispatcher(newRecorder())
	var writers sync.WaitGroup
	for range 10 {
		writers.Go(func() {
			if err := other.WriteUp(t.Context(), "r1"); err != nil {
				t.Error(err)
			}
		})
	}
	<-journal.asked
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
	if journal.atOnce.Load() {
		t.Error("two wrote to the journal at once")
	}
}
