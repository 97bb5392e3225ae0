package dispatch

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// barred is a world in which an action fails as often as it is tried, and an
// engine that hands out the run's actions again when it is poked.
type barred struct {
	*Dispatcher
	run     *core.Run
	actions []core.Action
	tries   []time.Time
	pauses  int
	failing int // how many pokes fail
}

func newBarred(t *testing.T, actions ...core.Action) *barred {
	b := &barred{run: &core.Run{ID: "run-1", Playbook: &core.Playbook{}}, actions: actions}
	b.Dispatcher = New(b, Options{Yards: b, Log: slog.New(slog.DiscardHandler), Redactors: func([]string) Redactor { return unredacted{} }})
	t.Cleanup(b.Close)
	return b
}

func (b *barred) Yard(context.Context, string) (*yard.Yard, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tries = append(b.tries, time.Now())
	return nil, errors.New("the disk is gone")
}

func (b *barred) Conclude(_ context.Context, _ string, _ int64, body core.Body) (*core.Run, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if pause, ok := body.(core.RunPaused); ok && pause.Code == core.PauseAction {
		b.pauses++
	}
	return b.run, nil
}

func (*barred) Owns(string, int64) bool { return true }

func (*barred) Seat(context.Context, *core.Run, int64, string) (bool, error) { return true, nil }

func (*barred) Vacate(context.Context, string, int64, string) error { return nil }

func (b *barred) Poke(context.Context, string) error {
	b.mu.Lock()
	if b.failing > 0 {
		b.failing--
		b.mu.Unlock()
		return errors.New("not now")
	}
	actions := b.actions
	b.mu.Unlock()
	b.Reconcile(b.run, 1, actions)
	return nil
}

// want hands out actions as after another step of the run.
func (b *barred) want(actions ...core.Action) {
	b.mu.Lock()
	b.actions = actions
	b.mu.Unlock()
	b.Reconcile(b.run, 1, actions)
	synctest.Wait()
}

func (b *barred) tried() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.tries)
}

// until lets time pass until the action was tried so often.
func (b *barred) until(tries int) {
	for b.tried() < tries {
		time.Sleep(10 * time.Millisecond)
		synctest.Wait()
	}
}

// TestAWithdrawnActionIsForgotten: how often it failed says nothing about the next
// time it is wanted, and nothing of it stays.
func TestAWithdrawnActionIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		move := core.MoveBranch{Ref: "refs/heads/x", New: "c1"}
		b := newBarred(t, move)
		b.want(move)
		b.until(loud - 1)
		b.want()
		if len(b.failed)+len(b.flight) > 0 {
			t.Errorf("after %d tries it is kept: %v, %v", b.tried(), b.failed, b.flight)
		}
		before := b.tried()
		time.Sleep(time.Hour)
		if b.tried() != before {
			t.Errorf("what nobody wants was tried %d times", b.tried()-before)
		}
		b.want(move)
		if b.tried() != before+1 {
			t.Errorf("wanted again, it was tried %d times", b.tried()-before)
		}
		if b.until(before + loud - 1); b.pauses > 0 {
			t.Errorf("%d tries before it was withdrawn count", before)
		}
	})
}

// TestAnActionWaitsLongerEachTime: also where what else happens to the run asks
// for it; a person is told in the end.
func TestAnActionWaitsLongerEachTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		move := core.MoveBranch{Ref: "refs/heads/x", New: "c1"}
		b := newBarred(t, move)
		b.want(move)
		for range 100 {
			b.want(move)
		}
		if n := b.tried(); n != 1 {
			t.Errorf("tried %d times at once", n)
		}
		b.until(loud)
		if b.pauses != 1 {
			t.Errorf("after %d tries the run paused %d times", b.tried(), b.pauses)
		}
		if spent := b.tries[loud-1].Sub(b.tries[0]); spent < time.Second {
			t.Errorf("%d tries within %s", loud, spent)
		}
	})
}

// TestAnEngineThatDoesNotListenIsAskedAgain: an action that is under way meanwhile
// stays so.
func TestAnEngineThatDoesNotListenIsAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		move := core.MoveBranch{Ref: "refs/heads/x", New: "c1"}
		b := newBarred(t, move)
		b.failing = 3
		b.want(move)
		time.Sleep(time.Hour)
		synctest.Wait()
		if b.failing > 0 || b.tried() < 2 {
			t.Errorf("%d pokes are left, tried %d times", b.failing, b.tried())
		}
	})
}

// TestAnOlderStateSaysNothing: looks overtake one another.
func TestAnOlderStateSaysNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		move, other := core.MoveBranch{Ref: "refs/heads/x", New: "c1"}, core.MoveBranch{Ref: "refs/heads/y", New: "c1"}
		b := newBarred(t, move)
		b.run.Stream.Seq = 5
		b.want(move)
		b.run = &core.Run{ID: b.run.ID, Playbook: b.run.Playbook}
		b.run.Stream.Seq = 4
		b.Reconcile(b.run, 1, []core.Action{other})
		synctest.Wait()
		if b.tried() != 1 || len(b.flight) != 1 || b.flight["run-1 "+core.KeyOf(move)] == nil {
			t.Errorf("tried %d times, under way is %v", b.tried(), b.flight)
		}
	})
}

// TestWhatIsPreparedWaitsToBeWanted, and is dropped where it never is.
func TestWhatIsPreparedWaitsToBeWanted(t *testing.T) {
	for name, c := range map[string]struct {
		then func(*job)
		want error
	}{"wanted": {(*job).ask, nil}, "withdrawn": {func(j *job) { j.end(errUnwanted) }, errUnwanted}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBarred(t)
				start := core.StartAttempt{Attempt: theAttempt}
				under := &job{cancel: func(error) {}, wanted: make(chan struct{})}
				b.flight["run-1 "+core.KeyOf(start)] = under
				done := make(chan error, 1)
				go func() { done <- b.awaitWanted(t.Context(), b.run, start) }()
				synctest.Wait()
				if len(done) > 0 {
					t.Error("it was not waited for")
				}
				b.mu.Lock()
				c.then(under)
				b.mu.Unlock()
				if err := <-done; !errors.Is(err, c.want) {
					t.Errorf("got %v, want %v", err, c.want)
				}
			})
		})
	}
}

// slow is somebody who listens when told to.
type slow struct{ listens chan struct{} }

func (s slow) Tell(context.Context, *core.Run) error { <-s.listens; return nil }

// TestWhatIsAskedForMeanwhileIsDoneAgain: an action that was asked for once more while
// it was under way may have begun too early, and the run is looked at again.
func TestWhatIsAskedForMeanwhileIsDoneAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		notify := core.Notify{Event: "run/run-1#5"}
		b := newBarred(t, notify)
		s := slow{make(chan struct{})}
		b.Notifier = s
		b.want(notify)
		b.want(notify)
		s.listens <- struct{}{}
		synctest.Wait()
		if len(b.flight) != 1 {
			t.Fatal("what was asked for meanwhile is not begun again")
		}
		b.want(notify)
		b.failing = 2
		s.listens <- struct{}{}
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(b.flight) != 1 {
			t.Fatal("it is not begun again after the engine did not listen")
		}
		s.listens <- struct{}{}
		synctest.Wait()
		if len(b.flight) > 0 {
			t.Error("what nobody asked for is begun again")
		}
	})
}
