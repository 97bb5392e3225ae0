package engine

import (
	"context"
	"log/slog"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite"
)

// asked is a store that calls told whenever it is asked for hints.
type asked struct {
	store.Store
	signals chan struct{}
	told    func()
}

func (a *asked) Signals() <-chan struct{} { return a.signals }

func (a *asked) Hints(ctx context.Context, engine string, limit int) ([]store.Hint, error) {
	a.told()
	return a.Store.Hints(ctx, engine, limit)
}

// TestWhatIsToldDuringALookLeadsToOneMore: whoever tells, and however many do, before it begins.
func TestWhatIsToldDuringALookLeadsToOneMore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stellwerk.db")
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		db, err := sqlite.Open(ctx, path, sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		a := &asked{Store: db, signals: make(chan struct{}, 1)}
		e := New(Options{Store: a, Log: slog.New(slog.DiscardHandler), ID: "e", Look: time.Hour})
		looks := 0
		a.told = func() {
			if looks++; looks == 1 {
				a.signals <- struct{}{}
				e.nudge()
			}
		}
		ended := make(chan error, 1)
		go func() { ended <- e.Run(ctx) }()
		synctest.Wait()
		if looks != 2 {
			t.Errorf("the engine looked %d times, not twice", looks)
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
}
