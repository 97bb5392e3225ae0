package postgres

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/stellwerk-dev/stellwerk/internal/object"
	"github.com/stellwerk-dev/stellwerk/internal/object/objecttest"
	"github.com/stellwerk-dev/stellwerk/internal/pg"
	"github.com/stellwerk-dev/stellwerk/internal/pg/pgtest"
	store "github.com/stellwerk-dev/stellwerk/internal/store/postgres"
)

func TestMain(m *testing.M) {
	code := m.Run()
	pgtest.Stop()
	os.Exit(code)
}

// migrated makes a database that a store has opened.
func migrated(t *testing.T) (address string) {
	return pgtest.Planted(t, "empty", func(ctx context.Context, address string) error {
		s, err := store.Open(ctx, address, store.Options{})
		if err != nil {
			return err
		}
		return s.Close()
	})
}

func connect(t *testing.T, address string) *pgxpool.Pool {
	pool, err := pg.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

func exec(t *testing.T, pool *pgxpool.Pool, statement string, args ...any) {
	t.Helper()
	if _, err := pool.Exec(t.Context(), statement, args...); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

func TestConformance(t *testing.T) {
	objecttest.Run(t, func(t *testing.T) objecttest.Form { return form(t, func(direct string) string { return direct }) })
}

func TestLarge(t *testing.T) {
	objecttest.Large(t, func(t *testing.T) objecttest.Form { return form(t, func(direct string) string { return direct }) })
}

// form is a database of its own, reached by another address.
func form(t *testing.T, by func(direct string) string) objecttest.Form {
	address := migrated(t)
	pool := connect(t, address)
	return objecttest.Form{
		Open: func(t *testing.T) object.Objects { return New(connect(t, by(address)), t.TempDir()) },
		Age: func(t *testing.T, digest string, by time.Duration) {
			exec(t, pool, "UPDATE objects SET touched = touched - $2::interval WHERE digest = $1", digest, by)
		},
		Damage: func(t *testing.T, digest string) {
			exec(t, pool, "UPDATE object_chunks c SET data = set_byte(data, 0, get_byte(data, 0) # 1) FROM objects o WHERE o.digest = $1 AND o.upload = c.upload AND c.n = 0", digest)
		},
	}
}
