package ledger_test

import (
	"context"
	"errors"
	"math"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/stellwerk-dev/stellwerk/internal/ledger"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// final is a grant that no want raises.
func final(usd float64, tokens int64) ledger.Grant {
	return ledger.Grant{
		Seq: math.MaxInt64, Amount: ledger.Amount{USD: usd, Tokens: tokens},
		Refused: "the run has used its $5.00; `stellwerk resume r1 --max-cost USD` raises it",
	}
}

func begin(t *testing.T, folder string, g ledger.Grant) *ledger.Ledger {
	t.Helper()
	l, err := ledger.Open(folder, g)
	if err != nil {
		t.Fatal(err)
	}
	l.Patience, l.Poll = waittest.Limit, time.Millisecond
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

func amount(usd float64, tokens int64) ledger.Amount { return ledger.Amount{USD: usd, Tokens: tokens} }

func ask(usd float64, tokens int64) ledger.Ask {
	return ledger.Ask{Model: "m", Least: amount(usd, tokens), Want: amount(usd, tokens), Floor: spent(usd/2, tokens/2, 0)}
}

func spent(usd float64, input, output int64) ledger.Spent {
	return ledger.Spent{USD: usd, Usage: ledger.Usage{Input: input, Output: output}}
}

func reserve(t *testing.T, l *ledger.Ledger, a ledger.Ask) ledger.Held {
	t.Helper()
	held, err := l.Reserve(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	return held
}

func settle(t *testing.T, l *ledger.Ledger, h ledger.Held, s ledger.Spent) {
	t.Helper()
	if err := l.Settle(h, s); err != nil {
		t.Fatal(err)
	}
}

// wanted waits until the attempt asks for a total.
func wanted(t *testing.T, folder string, total ledger.Amount) ledger.Want {
	t.Helper()
	var w ledger.Want
	if !waittest.Until(func() bool {
		var err error
		if w, err = ledger.ReadWant(folder); err != nil {
			t.Error(err)
		}
		return w.Total == total
	}) {
		t.Fatalf("the attempt asks for %v, not %v", w.Total, total)
	}
	return w
}

func grant(t *testing.T, folder string, g ledger.Grant) {
	t.Helper()
	if err := ledger.WriteGrant(folder, g); err != nil {
		t.Fatal(err)
	}
}

func TestTwentyAtOnceWithMoneyForThree(t *testing.T) {
	for name, g := range map[string]ledger.Grant{"money": final(0.3, 1e9), "tokens": final(1e6, 300)} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			l := begin(t, folder, g)
			var group sync.WaitGroup
			var mu sync.Mutex
			var got []ledger.Held
			refused := 0
			for range 20 {
				group.Go(func() {
					held, err := l.Reserve(t.Context(), ask(0.1, 100))
					mu.Lock()
					defer mu.Unlock()
					switch {
					case err == nil:
						got = append(got, held)
					case errors.Is(err, ledger.ErrExhausted):
						refused++
					default:
						t.Error(err)
					}
				})
			}
			group.Wait()
			if len(got) != 3 || refused != 17 {
				t.Fatalf("%d were set aside, %d refused", len(got), refused)
			}
			for _, held := range got {
				settle(t, l, held, spent(0.1, 60, 40))
			}
			if s := l.Statement(); s.Settled != amount(0.3, 300) || s.Overspent != amount(0, 0) {
				t.Errorf("the statement is %+v", s)
			}
		})
	}
}

func TestTheEngineIsAskedForMore(t *testing.T) {
	folder := t.TempDir()
	l := begin(t, folder, ledger.Grant{Amount: amount(1, 1000)})
	first := reserve(t, l, ask(0.75, 100))
	done := make(chan ledger.Held, 1)
	go func() { done <- reserve(t, l, ask(0.5, 50)) }()
	w := wanted(t, folder, amount(1.25, 150))
	grant(t, folder, ledger.Grant{Seq: w.Seq, Amount: amount(2, 1000)})
	if held := <-done; held.Amount != amount(0.5, 50) || !held.Full {
		t.Errorf("set aside was %+v", held)
	}
	settle(t, l, first, spent(0.1, 1, 1))
	wanted(t, folder, amount(0.75, 100)) // what it asked for when nobody waited any more
}

func TestARefusalCountsForTheWantsItAnswers(t *testing.T) {
	folder := t.TempDir()
	l := begin(t, folder, ledger.Grant{Amount: amount(1, 1000), Refused: "an older refusal"})
	done := make(chan error, 1)
	go func() {
		_, err := l.Reserve(t.Context(), ask(3, 10))
		done <- err
	}()
	w := wanted(t, folder, amount(3, 10))
	grant(t, folder, ledger.Grant{Seq: w.Seq, Amount: amount(1, 1000), Refused: "the project has used its $9.00"})
	err := <-done
	if !errors.Is(err, ledger.ErrExhausted) || err.Error() != "the project has used its $9.00; this attempt has spent $0.00 and 0 tokens" {
		t.Errorf("the error is %v", err)
	}
}

func TestWhatIsLeftIsSetAside(t *testing.T) {
	l := begin(t, t.TempDir(), final(1, 1000))
	held := reserve(t, l, ledger.Ask{Least: amount(0.25, 10), Want: amount(4, 100)})
	if held.Amount != amount(1, 100) || held.Full {
		t.Errorf("set aside was %+v", held)
	}
	if _, err := l.Reserve(t.Context(), ledger.Ask{Least: amount(0.01, 10), Want: amount(4, 100)}); !errors.Is(err, ledger.ErrExhausted) {
		t.Errorf("with nothing left: %v", err)
	}
}

func TestUnlimitedDimensions(t *testing.T) {
	l := begin(t, t.TempDir(), ledger.Grant{Seq: math.MaxInt64, UnlimitedUSD: true, Amount: amount(0, 100), Refused: "tokens"})
	held := reserve(t, l, ask(1e6, 60))
	if held.Amount != amount(1e6, 60) {
		t.Errorf("set aside was %+v", held)
	}
	if _, err := l.Reserve(t.Context(), ask(1, 60)); !errors.Is(err, ledger.ErrExhausted) {
		t.Errorf("beyond the tokens: %v", err)
	}
	l = begin(t, t.TempDir(), ledger.Grant{})
	l.Patience = time.Nanosecond
	if _, err := l.Reserve(t.Context(), ask(0, 1)); !errors.Is(err, ledger.ErrExhausted) {
		t.Errorf("the zero grant: %v", err)
	}
}

func TestSettlingLessFreesTheRestAtOnce(t *testing.T) {
	folder := t.TempDir()
	l := begin(t, folder, ledger.Grant{Amount: amount(1, 1000)})
	l.Poll, l.Patience = 2*waittest.Limit, 2*waittest.Limit // only the settlement can wake it
	first := reserve(t, l, ask(0.9, 100))
	done := make(chan ledger.Held, 1)
	go func() { done <- reserve(t, l, ask(0.5, 50)) }()
	wanted(t, folder, amount(1.4, 150))
	settle(t, l, first, spent(0.2, 10, 10))
	select {
	case held := <-done:
		if held.Amount != amount(0.5, 50) {
			t.Errorf("set aside was %+v", held)
		}
	case <-waittest.Over():
		t.Fatal("the one that waits is not served")
	}
}

func TestPatienceEnds(t *testing.T) {
	l := begin(t, t.TempDir(), ledger.Grant{Amount: amount(1, 1000)})
	l.Patience = time.Nanosecond
	if held := reserve(t, l, ledger.Ask{Least: amount(0.5, 1), Want: amount(2, 2)}); held.Amount != amount(1, 2) {
		t.Errorf("set aside was %+v", held)
	}
	_, err := l.Reserve(t.Context(), ask(1, 1))
	if !errors.Is(err, ledger.ErrExhausted) || err.Error() != "Stellwerk's engine has not answered in time, and no more may be spent than it granted; "+
		"this attempt has spent $0.00 and 0 tokens, and $1.00 and 2 tokens are set aside for its requests under way" {
		t.Errorf("the error is %v", err)
	}
}

func TestADeadlineShortensThePatience(t *testing.T) {
	l := begin(t, t.TempDir(), ledger.Grant{Amount: amount(1, 1000)})
	held := reserve(t, l, ask(0.5, 1))
	ctx, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	if held, err := l.Extend(ctx, held, amount(0.6, 1), amount(2, 1)); err != nil || held.Amount != amount(1, 1) {
		t.Errorf("extended to %+v, %v", held, err)
	}
	if _, err := l.Reserve(ctx, ask(1, 1)); !errors.Is(err, ledger.ErrExhausted) {
		t.Errorf("the error is %v", err)
	}
}

func TestWhoGoesAwayIsNotWaitedFor(t *testing.T) {
	folder := t.TempDir()
	l := begin(t, folder, ledger.Grant{Amount: amount(1, 1000)})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := l.Reserve(ctx, ask(3, 10))
		done <- err
	}()
	wanted(t, folder, amount(3, 10))
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	wanted(t, folder, amount(0, 0))
}

func TestExtending(t *testing.T) {
	folder := t.TempDir()
	l := begin(t, folder, final(1, 1000))
	held := reserve(t, l, ask(0.25, 100))
	held, err := l.Extend(t.Context(), held, amount(0.5, 50), amount(0.75, 50))
	if err != nil || held.Amount != amount(0.75, 100) {
		t.Fatalf("extended to %+v, %v", held, err)
	}
	if _, err := l.Extend(t.Context(), held, amount(1.01, 50), amount(1.02, 50)); !errors.Is(err, ledger.ErrExhausted) {
		t.Errorf("beyond the grant: %v", err)
	}
	if s := l.Statement(); s.Flights[0].Held != amount(0.75, 100) {
		t.Errorf("the statement is %+v", s)
	}
	if held, err = l.Extend(t.Context(), held, amount(0.8, 50), amount(7, 50)); err != nil || held.Amount != amount(1, 100) {
		t.Errorf("with less than wanted it is extended to %+v, %v", held, err)
	}
	settle(t, l, held, spent(0.75, 50, 50))
	if s := l.Statement(); s.Overspent != amount(0, 0) || s.Settled != amount(0.75, 100) {
		t.Errorf("the statement is %+v", s)
	}
}

func TestTheProvidersWordCountsAboveTheReservation(t *testing.T) {
	folder := t.TempDir()
	l := begin(t, folder, final(1, 1000))
	settle(t, l, reserve(t, l, ask(0.5, 100)), spent(1.5, 200, 20))
	settle(t, l, reserve(t, l, ask(0, 0)), spent(-3, -5, 4))
	s, err := ledger.Read(folder)
	if err != nil || s.Settled != amount(1.5, 224) || s.Overspent != amount(1, 124) {
		t.Errorf("the statement is %+v, %v", s, err)
	}
	if _, err := l.Reserve(t.Context(), ask(0.01, 1)); !errors.Is(err, ledger.ErrExhausted) {
		t.Errorf("an overdrawn account gives %v", err)
	}
	if err := l.Settle(ledger.Held{ID: 1}, spent(1, 1, 1)); err == nil {
		t.Error("a reservation is settled twice")
	}
	if err := l.Progress(ledger.Held{ID: 1}, spent(1, 1, 1)); err == nil {
		t.Error("a reservation that is settled makes progress")
	}
	if _, err := l.Extend(t.Context(), ledger.Held{ID: 9}, amount(0, 0), amount(0, 0)); err == nil {
		t.Error("a reservation that never was is extended")
	}
	if again, err := ledger.Read(folder); err != nil || again.Settled != s.Settled {
		t.Errorf("then the statement is %+v, %v", again, err)
	}
}
