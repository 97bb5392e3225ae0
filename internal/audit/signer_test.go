package audit

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/pg/pgtest"
	"github.com/stellwerk-dev/stellwerk/internal/store/postgres"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/sqlitetest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	pgtest.Stop()
	os.Exit(code)
}

// onBoth runs a test on each kind of store; open opens the same database again.
func onBoth(t *testing.T, test func(t *testing.T, open func() history)) {
	t.Run("sqlite", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "stellwerk.db")
		test(t, func() history { return sqlitetest.Open(t, path) })
	})
	t.Run("postgres", func(t *testing.T) {
		address := pgtest.Database(t)
		test(t, func() history {
			s, err := postgres.Open(t.Context(), address, postgres.Options{})
			must(t, err)
			t.Cleanup(func() {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
			return s
		})
	})
}

// TestEnginesSignOneChain: several that sign at once never fork the checkpoints, while events come in.
func TestEnginesSignOneChain(t *testing.T) {
	onBoth(t, func(t *testing.T, open func() history) {
		const engines, rounds = 3, 5
		key := newKey(t)
		var work sync.WaitGroup
		for n := range engines {
			s := open()
			signer := NewSigner(s, fmt.Sprint("engine-", n))
			work.Go(func() {
				for range rounds {
					happen(t, s, fmt.Sprint("run/", n), "x", "y")
					if _, err := signer.Sign(t.Context(), key); err != nil {
						t.Error(err)
					}
				}
			})
		}
		work.Wait()
		r := verify(t, exportOf(t, open(), Query{}), SignerOf(key, ""), "")
		faults(t, r)
		if r.Events != engines*rounds*2 || r.Signed != r.Events || r.Checkpoints < rounds {
			t.Errorf("%+v", r)
		}
	})
}

// TestManyStreamsTakeSeveralCheckpoints, because a document has a bound.
func TestManyStreamsTakeSeveralCheckpoints(t *testing.T) {
	w := newWorld(t)
	signer := NewSigner(w.store, "engine-2")
	signer.most = 2
	for n := range 5 {
		happen(t, w.store, fmt.Sprint("run/c", n), "x")
	}
	made, err := signer.Sign(t.Context(), w.key)
	if err != nil || len(made) != 3 || made[0].Number != 4 || len(made[0].Heads) != 2 || len(made[2].Heads) != 2 {
		t.Fatalf("%+v, %v", made, err)
	}
	r := w.verify(t)
	faults(t, r)
	if r.Checkpoints != 6 || r.Open != 0 {
		t.Errorf("%+v", r)
	}
	// The signer of before, and one that begins now, both know all of that.
	for _, s := range []*Signer{w.signer, NewSigner(w.store, "engine-3")} {
		if newest, err := s.Newest(t.Context()); err != nil || newest.Number != 6 || newest.Hash != r.Newest.Hash {
			t.Errorf("%+v, %v", newest, err)
		}
	}
}

// TestItIsTimeToSign once the newest checkpoint, of whichever engine, is old enough.
func TestItIsTimeToSign(t *testing.T) {
	w := newWorld(t)
	due := func(s *Signer, every time.Duration) bool {
		t.Helper()
		is, err := s.Due(t.Context(), every)
		must(t, err)
		return is
	}
	fresh := NewSigner(w.store, "engine-2")
	if due(fresh, 24*time.Hour) || !due(fresh, 0) {
		t.Error("it does not go by the newest checkpoint")
	}
	if empty := NewSigner(sqlitetest.New(t), "engine-3"); !due(empty, 24*time.Hour) {
		t.Error("what was never signed is not due")
	} else if made, err := empty.Sign(t.Context(), w.key); err != nil || len(made) != 0 {
		t.Errorf("of an empty store: %v, %v", made, err)
	}
}
