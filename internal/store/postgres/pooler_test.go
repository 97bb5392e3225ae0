package postgres

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/stellwerk-dev/stellwerk/internal/pg/pgtest"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/storetest"
	"github.com/stellwerk-dev/stellwerk/internal/tooltest"
)

// ahead has a database be a day ahead of this machine, for connections that look for functions in public first.
const ahead = `
CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS 'SELECT pg_catalog.clock_timestamp() + interval ''25 hours''';
CREATE FUNCTION public.statement_timestamp() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT pg_catalog.statement_timestamp() + interval ''25 hours''';
CREATE FUNCTION public.now() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT pg_catalog.now() + interval ''25 hours''';
`

// TestConformanceOnABadDay runs the suite through a pooler that gives out connections by the transaction, on a schema that the next
// release has added to, and with a clock that is a day ahead.
func TestConformanceOnABadDay(t *testing.T) {
	pooled := func(address string) string { return address }
	found, err := tooltest.Has(tooltest.PgBouncer)
	if err != nil {
		t.Fatal(err)
	}
	if found {
		pooled = pgtest.Pooler(t)
	}
	schema := with(t, newest, expansion+allow(newest))
	var mu sync.Mutex
	databases := map[string]string{}
	storetest.Run(t, func(t *testing.T) store.Store {
		mu.Lock()
		defer mu.Unlock()
		address := databases[t.Name()]
		if address == "" {
			address = pgtest.Planted(t, "badday", func(ctx context.Context, address string) error {
				if err := migrateWith(ctx, address, schema); err != nil {
					return err
				}
				conn, err := pgx.Connect(ctx, address)
				if err != nil {
					return err
				}
				_, err = conn.Exec(ctx, ahead)
				return errors.Join(err, conn.Close(ctx))
			})
			sql(t, address, "ALTER DATABASE "+nameOf(t, address)+" SET search_path = public, pg_catalog")
			databases[t.Name()] = address
		}
		return openAt(t, pooled(address))
	})
}

// TestMigrationsThroughAPooler of several engines that start at once.
func TestMigrationsThroughAPooler(t *testing.T) {
	address := pgtest.Pooler(t)(pgtest.Database(t))
	var engines sync.WaitGroup
	for range 3 {
		engines.Go(func() {
			if err := fill(t.Context(), address); err != nil {
				t.Error(err)
			}
		})
	}
	engines.Wait()
	whole(t, address)
}
