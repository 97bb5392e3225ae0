package shim

import (
	"log/slog"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/ledger"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// TestAnIdleAccountGivesBack what it was granted, until its supervisor ends.
func TestAnIdleAccountGivesBack(t *testing.T) {
	folder := t.TempDir()
	account, err := ledger.Open(folder, ledger.Grant{Amount: ledger.Amount{USD: 2, Tokens: 20}})
	if err != nil {
		t.Fatal(err)
	}
	stop := returnUnused(account, time.Millisecond, slog.New(slog.DiscardHandler))
	if !waittest.Until(func() bool {
		w, err := ledger.ReadWant(folder)
		if err != nil {
			t.Fatal(err)
		}
		return w.Return != nil && w.Return.Keeps == ledger.Amount{}
	}) {
		t.Error("nothing was given back")
	}
	stop()
	if err := account.Close(); err != nil {
		t.Fatal(err)
	}
}
