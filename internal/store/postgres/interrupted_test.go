package postgres

import (
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/pg/pgtest"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// half is a migration that waits in the middle.
const half = "CREATE TABLE half (x int);\nSELECT pg_advisory_xact_lock(1);\n"

// asked reads one value from a database.
func asked[T any](t *testing.T, address, question string) (answer T) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	if err == nil {
		err = conn.QueryRow(t.Context(), question).Scan(&answer)
		err = errors.Join(err, conn.Close(t.Context()))
	}
	if err != nil {
		t.Fatalf("%s: %v", question, err)
	}
	return answer
}

// waiting are the connections that stand in the middle of half.
const waiting = " FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'"

// halfway begins a migration and waits until it stands in the middle, where it stays until goOn is called.
func halfway(t *testing.T, direct, through, before string) (ended <-chan error, goOn func()) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), direct)
	if err == nil {
		_, err = conn.Exec(t.Context(), "SELECT pg_advisory_lock(1)")
	}
	if err != nil {
		t.Fatal(err)
	}
	end, schema := make(chan error, 1), with(t, 1, before+half)
	go func() { end <- migrateWith(t.Context(), through, schema) }()
	if !waittest.Until(func() bool { return asked[int](t, direct, "SELECT count(*)"+waiting) > 0 }) {
		t.Fatal("the migration does not begin")
	}
	return end, func() {
		if err := conn.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// whole fails unless a database can be brought to the newest schema and used, and nothing of a migration that was not whole is there.
func whole(t *testing.T, address string) {
	t.Helper()
	s := openAt(t, address)
	if err := s.Commit(t.Context(), tick(t, s, "run/a", core.Head{})); err != nil {
		t.Error(err)
	}
	if asked[bool](t, address, "SELECT to_regclass('half') IS NOT NULL") {
		t.Error("half a migration is there")
	}
}

// TestAnEngineThatIsKilledInAMigration leaves its lock, which another engine waits for and then goes on.
func TestAnEngineThatIsKilledInAMigration(t *testing.T) {
	address := pgtest.Database(t)
	ended, goOn := halfway(t, address, address, "")
	sql(t, address, "SELECT pg_terminate_backend(pid)"+waiting)
	goOn()
	if err := <-ended; core.CodeOf(err) != core.CodeUnavailable || !strings.Contains(err.Error(), "does not answer") {
		t.Errorf("it says %v", err)
	}
	if v := asked[int](t, address, "SELECT max(version_id) FROM goose_db_version"); v != 1 {
		t.Errorf("the database stands at %d", v)
	}
	sql(t, address, "UPDATE goose_lock SET locked = true, locked_by = 'the dead', lease_expires_at = now() + interval '1 second'")
	whole(t, address)
}

// TestAnEngineThatIsKilledBeforeItsFirstMigration has made nothing but the lock.
func TestAnEngineThatIsKilledBeforeItsFirstMigration(t *testing.T) {
	address := pgtest.Database(t)
	sql(t, address, "CREATE TABLE goose_lock (lock_id bigint NOT NULL PRIMARY KEY, locked boolean NOT NULL DEFAULT false, locked_at timestamptz, locked_by text, lease_expires_at timestamptz, updated_at timestamptz)")
	whole(t, address)
}

// TestAnEngineThatStopsInAMigration, because its machine was cut off: the server ends its transaction, and another engine goes on.
func TestAnEngineThatStopsInAMigration(t *testing.T) {
	address := pgtest.Database(t)
	network, through := pgtest.Through(t, address)
	ended, goOn := halfway(t, address, through, "SET LOCAL idle_in_transaction_session_timeout = '100ms';\nCREATE TABLE objects (x int);\n")
	network.Lose()
	goOn() // it holds a table now that the others make, too
	sql(t, address, "UPDATE goose_lock SET lease_expires_at = now()")
	whole(t, address)
	network.Cut()
	if err := <-ended; core.CodeOf(err) != core.CodeUnavailable {
		t.Errorf("it says %v", err)
	}
}
