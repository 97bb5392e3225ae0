package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/stellwerk-dev/stellwerk/internal/pg/pgtest"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// databasesKey is where a scenario finds who makes its databases.
type databasesKey struct{}

// secureKey is where a scenario finds who starts a secure server.
type secureKey struct{}

// holdsKey is where a scenario finds what lets go of databases, by their addresses.
type holdsKey struct{}

// sharedStores are:
//
//	database secure NAME    starts a server that lets in by TLS and with a password only, which is put into a variable; the service
//	                        team in $PGSERVICEFILE leads to it, and $PGPASSFILE has the password
//	database NAME           makes an empty PostgreSQL database and puts its address into a variable
//	database hold NAME      keeps an import into a migrated database from ending
//	database held NAME      waits until an import is kept from ending
//	database release NAME   lets it end
func sharedStores() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){"database": plain(database)}
}

func database(ts *testscript.TestScript, args []string) {
	holds, _ := ts.Value(holdsKey{}).(map[string]func())
	switch {
	case len(args) == 1:
		open, _ := ts.Value(databasesKey{}).(func() string)
		ts.Setenv(args[0], open())
	case len(args) == 2 && args[0] == "secure":
		start, _ := ts.Value(secureKey{}).(func() *pgtest.Secure)
		s := start()
		ts.Setenv(args[1], s.Password)
		for name, text := range map[string]string{
			"PGPASSFILE":    fmt.Sprintf("%s:%s:%s:%s:%s\n", pgtest.SecureHost, s.Port, s.Database, s.User, s.Password),
			"PGSERVICEFILE": fmt.Sprintf("[team]\nhost=%s\nport=%s\ndbname=%s\nuser=%s\nsslmode=verify-full\nsslrootcert=%s\n", pgtest.SecureHost, s.Port, s.Database, s.User, s.CA),
		} {
			file := filepath.Join(ts.Getenv("WORK"), strings.ToLower(name))
			ts.Check(os.WriteFile(file, []byte(text), 0o600))
			ts.Setenv(name, file)
		}
	case len(args) == 2 && args[0] == "hold":
		release := hold(ts, ts.Getenv(args[1]))
		holds[args[1]] = release
		ts.Defer(release)
	case len(args) == 2 && args[0] == "held":
		if !waittest.Until(func() bool { return held(ts, ts.Getenv(args[1])) }) {
			ts.Fatalf("nobody waits for the database")
		}
	case len(args) == 2 && args[0] == "release" && holds[args[1]] != nil:
		holds[args[1]]()
	default:
		ts.Fatalf("usage: database NAME | secure NAME | hold NAME | held NAME | release NAME")
	}
}

// hold keeps a table from being emptied, which an import begins with once it has copied the objects.
func hold(ts *testscript.TestScript, address string) (release func()) {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, address)
	ts.Check(err)
	_, err = conn.Exec(ctx, "BEGIN; LOCK TABLE events IN ACCESS SHARE MODE")
	ts.Check(err)
	return func() {
		if !conn.IsClosed() {
			ts.Check(conn.Close(ctx))
		}
	}
}

func held(ts *testscript.TestScript, address string) (waits bool) {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, address)
	ts.Check(err)
	ts.Check(conn.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'events'::regclass)").Scan(&waits))
	ts.Check(conn.Close(ctx))
	return waits
}
