package ledger

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func TestMoneyIsCountedInWholeUnits(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		n := r.Int64N(1e12)
		if got := sumOf(Amount{USD: core.Dollars(n)}).nano; got != n {
			t.Fatalf("%d becomes %d", n, got)
		}
	}
	for usd, want := range map[float64]int64{-1: 0, math.NaN(): 0, math.Inf(1): 1e18, 1e300: 1e18, math.Inf(-1): 0} {
		if got := sumOf(Amount{USD: usd}).nano; got != want {
			t.Errorf("$%v are %d", usd, got)
		}
	}
	if plus(most, most) != most || plus(-5, 3) != 3 {
		t.Error("a sum overflows or is below nothing")
	}
}

// A journal that cannot be written keeps nothing new from being spent, and forgets nothing that was.
func TestAJournalThatCannotBeWritten(t *testing.T) {
	folder := t.TempDir()
	l, err := Open(folder, Grant{Amount: Amount{USD: 1, Tokens: 1000}})
	if err != nil {
		t.Fatal(err)
	}
	ask := Ask{Model: "m", Least: Amount{USD: 0.5}, Want: Amount{USD: 0.5}}
	held, err := l.Reserve(t.Context(), ask)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.journal.file.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Reserve(t.Context(), ask); !errors.Is(err, os.ErrClosed) {
		t.Errorf("reserving gives %v", err)
	}
	if err := l.Settle(held, Spent{USD: 0.25}); !errors.Is(err, os.ErrClosed) {
		t.Errorf("settling gives %v", err)
	}
	if s := l.Statement(); s.Settled.USD != 0.25 || len(s.Flights) != 0 {
		t.Errorf("the statement is %+v", s)
	}
	if err := l.Close(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("closing gives %v", err)
	}
	if _, err := l.Reserve(t.Context(), ask); !errors.Is(err, ErrClosed) {
		t.Errorf("after that reserving gives %v", err)
	}
}
