// Package pg connects to a PostgreSQL server: it knows what libpq's users expect of an address, and says in words what is wrong when
// a server cannot be used. Stores and objects share it. It must not know a table.
package pg

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// oldest is the oldest server that is supported.
const oldest = 140000

// Connections of an engine, unless its address says otherwise: few, because the server's are shared by all engines. It needs three, for
// it writes, and reads something while it reads all.
const (
	connections = 8
	fewest      = 3
)

// codeReadOnly is the answer of a server that takes no writes.
const codeReadOnly = "25006"

// Limits are what a pool puts up with. The zero value is for an engine.
type Limits struct {
	Silence time.Duration // Silence if it is 0
}

// Connect opens a pool of connections to the database at address, within the limits of an engine.
func Connect(ctx context.Context, address string) (*pgxpool.Pool, error) {
	return Limits{}.Connect(ctx, address)
}

// Connect opens a pool of connections to the database at address: a URL, or words such as host=db user=stellwerk. What it does not
// say comes from where libpq looks: service files, password files and variables. Of several hosts, the first that takes writes is used,
// and looked for again when it takes none any more.
func (l Limits) Connect(ctx context.Context, address string) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, core.Wrap(core.CodeInvalid, err, "the address of the database cannot be read",
			"write it as postgres://USER@HOST:PORT/DATABASE; a password belongs in a password file (PGPASSFILE)")
	}
	if err := bound(config, address); err != nil {
		return nil, err
	}
	if config.ConnConfig.RuntimeParams["application_name"] == "" {
		config.ConnConfig.RuntimeParams["application_name"] = "stellwerk"
	}
	watch := l.watch(config)
	between := spot(config)
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, Explain(err)
	}
	watch.pool.Store(pool)
	if err := check(ctx, pool); err != nil {
		pool.Close()
		return nil, err
	}
	if !between.pooler.Load() {
		pool.Reset() // the first connection was made as if there were one
	}
	return pool, nil
}

// bound is how many connections a pool has. pgxpool's own default depends on this machine's processors.
func bound(config *pgxpool.Config, address string) error {
	plain, err := pgconn.ParseConfig(address)
	if err != nil {
		return err
	}
	if _, said := plain.RuntimeParams["pool_max_conns"]; !said {
		config.MaxConns = connections
	}
	if config.MaxConns < fewest {
		return core.Errorf(core.CodeInvalid, "pool_max_conns is %d in the address of the database; an engine needs %d connections at least", config.MaxConns, fewest).
			WithHint("raise it, or leave it out: then it is %d", connections)
	}
	return nil
}

// watch has connections given up that are of no use any more.
func (l Limits) watch(config *pgxpool.Config) *watcher {
	w := &watcher{silence: cmp.Or(l.Silence, Silence), wires: map[*wire]struct{}{}}
	c := config.ConnConfig
	c.DialFunc, c.AfterConnect, c.Tracer = w.dial(dialer(w.silence)), w.ready, w
	c.ConnectTimeout = cmp.Or(c.ConnectTimeout, w.silence)
	config.ShouldPing = func(context.Context, pgxpool.ShouldPingParams) bool { return false }
	config.PrepareConn = w.alive
	c.OnPgError = w.keeps(c.OnPgError)
	c.OnNotification = func(*pgconn.PgConn, *pgconn.Notification) {} // through a pooler, what another connection listens to may arrive, and would pile up
	if c.ValidateConnect == nil {
		c.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	return w
}

// check refuses a server that is too old, a database whose text is not UTF-8, and statements that do not see what was committed before
// they got their locks: writes of several engines would refuse one another.
func check(ctx context.Context, pool *pgxpool.Pool) error {
	var version int
	var name, encoding, isolation string
	err := pool.QueryRow(ctx, `SELECT current_setting('server_version_num')::int, current_setting('server_version'), current_setting('server_encoding'),
		current_setting('default_transaction_isolation')`).Scan(&version, &name, &encoding, &isolation)
	switch {
	case err != nil:
		return Explain(err)
	case version < oldest:
		return core.Errorf(core.CodeUnsupported, "the database runs PostgreSQL %s; 14 or newer is needed", name).WithHint("upgrade the server")
	case encoding != "UTF8":
		return core.Errorf(core.CodeUnsupported, "the database has the encoding %s; UTF8 is needed", encoding).
			WithHint("make a new one: CREATE DATABASE stellwerk ENCODING 'UTF8' TEMPLATE template0")
	case isolation != "read committed" && isolation != "read uncommitted": // which are the same
		return core.Errorf(core.CodeUnsupported, "the database begins transactions as %s; read committed is needed", isolation).
			WithHint("for the engines' role: ALTER ROLE CURRENT_USER SET default_transaction_isolation = 'read committed'")
	}
	return nil
}

// Code is the error code that the server answered with; "" if it was not the server.
func Code(err error) string {
	var failed *pgconn.PgError
	if errors.As(err, &failed) {
		return failed.Code
	}
	return ""
}

// Explain says in words for a person what keeps a database from being used, and that it is away (core.ErrAway) if that passes by
// itself. Other errors pass unchanged.
func Explain(err error) error {
	_, unreached := errors.AsType[*pgconn.ConnectError](err) // which has a deadline of its own
	if err == nil || !unreached && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) {
		return err
	}
	if _, known := errors.AsType[*core.Error](err); known {
		return err
	}
	if says, hint := diagnose(err); says != "" {
		if Passing(err) || pgconn.Timeout(err) {
			err = core.Away(err)
		}
		return core.Wrap(core.CodeUnavailable, err, "the database "+says, hint)
	}
	return err
}

const (
	hintServer = "look at the server's log; the engine goes on when the database answers again, and nothing that was acknowledged is lost"
	hintRights = "use a role that owns the database, or grant it the rights: GRANT ALL ON SCHEMA public TO it"
)

func diagnose(err error) (says, hint string) {
	if errors.Is(err, pgconn.ErrReadOnlyConnection) {
		return readOnly()
	}
	switch code := Code(err); {
	case code == "" && untrusted(err) != nil:
		return "shows a certificate that is not trusted", trustHint(err)
	case code == "":
		if _, refused := errors.AsType[*pgconn.ConnectError](err); refused || errors.Is(err, errPooler) || pgconn.SafeToRetry(err) || pgconn.Timeout(err) {
			return "cannot be reached", "check its address, and that the server runs and lets this machine in"
		}
		if connectionLost(err) {
			return "does not answer any more", hintServer
		}
		return "", ""
	case code == "28P01":
		return "refuses the user or its password", "check user and password; a password belongs in a password file (PGPASSFILE)"
	case code == "28000":
		return "does not let this user in from here", "check the user, and that the server's pg_hba.conf has a line for it; one that begins with hostssl needs TLS (sslmode=verify-full)"
	case code == "3D000":
		return "does not exist", "make it: createdb NAME"
	case code == "42501" || code == "3F000":
		return "does not give this role enough rights", hintRights
	case code == codeReadOnly:
		return readOnly()
	case code == "53300":
		return "has no connection left", "allow more (max_connections), or put a pooler in front of it; the engine goes on when there is one"
	case code == "53100":
		return "cannot grow: its disk is full", "free some space on the server; nothing that was acknowledged is lost"
	case code[:2] == "57" || code[:2] == "08" || code[:2] == "53" || code[:2] == "58":
		return "does not answer now: " + message(err), hintServer
	case code == "55P03":
		return "is locked by another engine", "if that stays so, look which connection waits: SELECT * FROM pg_stat_activity"
	}
	return "", ""
}

func readOnly() (says, hint string) {
	return "is read-only", "after a failover, name every server in the address (host=A,B), so that the engine finds the one that takes writes; " +
		"otherwise look why this one takes none: SHOW default_transaction_read_only, or its disk"
}

func message(err error) string {
	var failed *pgconn.PgError
	if errors.As(err, &failed) {
		return failed.Message
	}
	return fmt.Sprint(err)
}
