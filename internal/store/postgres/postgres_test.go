package postgres

import (
	"context"
	"os"
	"sync"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/pg/pgtest"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/storetest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	pgtest.Stop()
	os.Exit(code)
}

// fill brings an empty database up to date.
func fill(ctx context.Context, address string) error {
	s, err := Open(ctx, address, Options{})
	if err != nil {
		return err
	}
	return s.Close()
}

func TestConformance(t *testing.T) {
	var mu sync.Mutex
	databases := map[string]string{}
	storetest.Run(t, func(t *testing.T) store.Store {
		mu.Lock()
		address := databases[t.Name()]
		if address == "" {
			address = pgtest.Planted(t, "empty", fill)
			databases[t.Name()] = address
		}
		mu.Unlock()
		return openAt(t, address)
	})
}
