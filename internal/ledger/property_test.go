package ledger_test

import (
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/ledger"
)

// Whatever twenty requests reserve, extend and settle at once while an engine grants in portions: what is spent and set
// aside is never above the grant, and the journal says the same as the ledger.
func TestNothingIsEverOverspent(t *testing.T) {
	for seed := range uint64(3) {
		folder := t.TempDir()
		l := begin(t, folder, ledger.Grant{Amount: amount(1, 1000)})
		stop := make(chan struct{})
		var engine, requests sync.WaitGroup
		engine.Go(func() { grantInPortions(t, folder, amount(20, 20_000), stop) })
		for i := range uint64(20) {
			requests.Go(func() { useAtRandom(t, l, rand.New(rand.NewPCG(seed, i))) })
		}
		requests.Wait()
		close(stop)
		engine.Wait()
		s, err := ledger.Read(folder)
		if err != nil {
			t.Fatal(err)
		}
		if s.Settled.USD > 20 || s.Settled.Tokens > 20_000 || s.Overspent != amount(0, 0) || len(s.Flights) != 0 {
			t.Errorf("seed %d: %+v", seed, s)
		}
		if now := l.Statement(); now.Settled != s.Settled || s.Settled.USD < 10 {
			t.Errorf("seed %d: the ledger has %v, its journal %v", seed, now.Settled, s.Settled)
		}
	}
}

// grantInPortions is an engine that gives at most a tenth of the limit more at a time.
func grantInPortions(t *testing.T, folder string, limit ledger.Amount, stop <-chan struct{}) {
	g := ledger.Grant{Amount: amount(1, 1000)}
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
		}
		w, err := ledger.ReadWant(folder)
		if err != nil {
			t.Error(err)
		}
		if w.Seq == g.Seq {
			continue
		}
		s, err := ledger.Read(folder)
		if err != nil {
			t.Error(err)
		}
		held := ledger.Amount{}
		for _, f := range s.Flights {
			held.USD, held.Tokens = held.USD+f.Held.USD, held.Tokens+f.Held.Tokens
		}
		if s.Settled.USD+held.USD > g.USD+1e-6 || s.Settled.Tokens+held.Tokens > g.Tokens {
			t.Errorf("%v spent and %v set aside of %v", s.Settled, held, g.Amount)
		}
		g.Seq = w.Seq
		g.USD = min(limit.USD, max(g.USD, min(w.Total.USD, g.USD+limit.USD/10)))
		g.Tokens = min(limit.Tokens, max(g.Tokens, min(w.Total.Tokens, g.Tokens+limit.Tokens/10)))
		if w.Total.USD > limit.USD || w.Total.Tokens > limit.Tokens {
			g.Refused = "the limit"
		}
		if err := ledger.WriteGrant(folder, g); err != nil {
			t.Error(err)
		}
	}
}

// useAtRandom spends as requests do, until it is refused or has had enough.
func useAtRandom(t *testing.T, l *ledger.Ledger, r *rand.Rand) {
	for range 15 {
		want := amount(0.1+r.Float64(), 100+r.Int64N(1000))
		held, err := l.Reserve(t.Context(), ledger.Ask{Model: "m", Least: amount(want.USD/4, want.Tokens/4), Want: want})
		if errors.Is(err, ledger.ErrExhausted) {
			continue
		}
		if err != nil {
			t.Error(err)
			return
		}
		if r.IntN(4) == 0 {
			total := amount(held.Amount.USD*1.5, held.Amount.Tokens*3/2)
			if more, err := l.Extend(t.Context(), held, held.Amount, total); err == nil {
				held = more
			} else if !errors.Is(err, ledger.ErrExhausted) {
				t.Error(err)
			}
		}
		part := r.Float64()
		if r.IntN(3) == 0 {
			part = 1
		}
		use := spent(held.Amount.USD*part, int64(float64(held.Amount.Tokens)*part), 0)
		if err := l.Progress(held, use); err != nil {
			t.Error(err)
		}
		if err := l.Settle(held, use); err != nil {
			t.Error(err)
		}
	}
}
