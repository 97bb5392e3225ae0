package pg

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// between knows whether a pooler is between an engine and its server. Statements are prepared once on each connection, which saves
// the server half of its work, and a pooler that gives out connections by the transaction loses them. Until it is known, there is one.
type between struct{ pooler atomic.Bool }

// errPooler is what the first connection through a pooler says that was put in place while the engine runs.
var errPooler = errors.New("a pooler is between the engine and the server now")

// spot has each new connection of a pool find out, unless the address says how statements are to be sent.
func spot(config *pgxpool.Config) *between {
	b := new(between)
	b.pooler.Store(true)
	if config.ConnConfig.DefaultQueryExecMode != pgx.QueryExecModeCacheStatement {
		return b
	}
	config.BeforeConnect = func(_ context.Context, c *pgx.ConnConfig) error {
		if b.pooler.Load() {
			c.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
		}
		return nil
	}
	config.AfterConnect = func(ctx context.Context, c *pgx.Conn) error {
		var answers uint32 // which process of the server; a pooler has announced one of its own making
		if err := c.QueryRow(ctx, "SELECT pg_backend_pid()", pgx.QueryExecModeExec).Scan(&answers); err != nil {
			return err
		}
		pooler := answers != c.PgConn().PID()
		b.pooler.Store(pooler)
		if pooler && c.Config().DefaultQueryExecMode == pgx.QueryExecModeCacheStatement {
			return errPooler
		}
		return nil
	}
	return b
}
