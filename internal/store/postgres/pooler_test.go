package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/pg/pgtest"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/storetest"
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
	pooled := pgtest.Pooler(t)
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

// TestAPoolerIsPutInBetween while an engine runs, whose statements are prepared on its connections: nothing fails for good, and nothing
// is done twice. And taken away again.
func TestAPoolerIsPutInBetween(t *testing.T) {
	pooled := pgtest.Pooler(t)
	direct, address := opened(t)
	network, through := pgtest.Through(t, address)
	s := openAt(t, through)
	t.Cleanup(network.Cut) // first
	prepared := func() (n int) {
		if err := s.pool.QueryRow(t.Context(), "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%Head%'").Scan(&n); err != nil {
			t.Error(err)
		}
		return n
	}
	for round, to := range []string{address, pooled(address), address} {
		if round > 0 {
			network.Lead(t, to)
		}
		var engines sync.WaitGroup
		for n := range 12 {
			engines.Go(func() {
				stream := fmt.Sprintf("run/%d-%d", round, n)
				answer := make(chan error, 1)
				answer <- s.Commit(t.Context(), tick(t, direct, stream, core.Head{})) // whose connections nobody cuts
				once(t, direct, stream, answer)
			})
		}
		engines.Wait()
		for range 8 { // connections, which the pooler gives the server's in turns
			engines.Go(func() {
				for range 50 {
					if _, err := s.Head(t.Context(), "run/a"); err != nil {
						t.Errorf("round %d: %v", round, err)
					}
				}
			})
		}
		engines.Wait()
		if n := prepared(); round == 0 && n == 0 {
			t.Error("nothing is prepared on a connection that leads to the server")
		}
	}
}
