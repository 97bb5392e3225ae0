package postgres

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/pg/pgtest"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// TestEnginesThatStartAtOnce bring an empty database up to date together.
func TestEnginesThatStartAtOnce(t *testing.T) {
	address := pgtest.Database(t)
	var engines sync.WaitGroup
	for range 4 {
		engines.Go(func() {
			if err := fill(t.Context(), address); err != nil {
				t.Error(err)
			}
		})
	}
	engines.Wait()
}

// sql runs a statement in a database.
func sql(t *testing.T, address, statement string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	if err == nil {
		_, err = conn.Exec(t.Context(), statement)
		err = errors.Join(err, conn.Close(t.Context()))
	}
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// TestADatabaseThatCannotBeUsed is refused with what is wrong and what to do, and without a password.
func TestADatabaseThatCannotBeUsed(t *testing.T) {
	foreign := pgtest.Database(t)
	sql(t, foreign, "CREATE TABLE customers (id int)")
	newer := pgtest.Planted(t, "empty", fill)
	sql(t, newer, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)")
	serializable := pgtest.Database(t)
	sql(t, serializable, "ALTER DATABASE "+nameOf(t, serializable)+" SET default_transaction_isolation = 'serializable'")
	forbidden := pgtest.Database(t)
	sql(t, forbidden, "CREATE ROLE guest LOGIN; REVOKE ALL ON SCHEMA public FROM public")
	for name, c := range map[string]struct {
		address, says string
		code          core.Code
		is            error
	}{
		"no address":       {"postgres://user:hunter2@host:port/x", "cannot be read", core.CodeInvalid, nil},
		"nobody there":     {"postgres://user:hunter2@127.0.0.1:1/x", "cannot be reached", core.CodeUnavailable, nil},
		"no such database": {strings.Replace(foreign, "/test_", "/none_", 1), "does not exist", core.CodeUnavailable, nil},
		"another's":        {foreign, "some other program", core.CodeInvalid, nil},
		"newer":            {newer, "knows up to", core.CodeUnsupported, store.ErrNewer},
		"serializable":     {serializable, "serializable; read committed is needed", core.CodeUnsupported, nil},
		"repeatable read":  {foreign + "&options=-cdefault_transaction_isolation%3Drepeatable%5C%20read", "repeatable read; read committed", core.CodeUnsupported, nil},
		"two connections":  {foreign + "&pool_max_conns=2", "needs 3 connections", core.CodeInvalid, nil},
		"no rights":        {strings.Replace(forbidden, "stellwerk@", "guest@", 1), "rights", core.CodeUnavailable, nil},
	} {
		s, err := Open(t.Context(), c.address, Options{})
		if err == nil {
			t.Errorf("%s: it is used", name)
			_ = s.Close()
			continue
		}
		if !strings.Contains(err.Error(), c.says) || core.CodeOf(err) != c.code || c.is != nil && !errors.Is(err, c.is) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v (%s)", name, err, core.CodeOf(err))
		}
		if errors.Is(err, core.ErrAway) != (name == "nobody there") {
			t.Errorf("%s: it is away: %t", name, errors.Is(err, core.ErrAway))
		}
	}
}

// TestAClosedStore refuses writes, and does not wait for ever.
func TestAClosedStore(t *testing.T) {
	s, err := Open(t.Context(), pgtest.Planted(t, "empty", fill), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Raise(context.Background(), "run/a"); core.CodeOf(err) != core.CodeUnavailable {
		t.Error(err)
	}
}

// TestHowManyConnections an engine opens at most is for its address to say.
func TestHowManyConnections(t *testing.T) {
	address := pgtest.Planted(t, "empty", fill)
	for settings, most := range map[string]int32{"": 8, "&pool_max_conns=3": 3, "&pool_max_conns=20": 20} {
		s := openAt(t, address+settings)
		if n := s.pool.Config().MaxConns; n != most {
			t.Errorf("%q: %d", settings, n)
		}
		if most != 3 {
			continue
		}
		for range s.Export(t.Context()) { // which has one
			if err := s.Commit(t.Context(), tick(t, s, "run/a", core.Head{})); err != nil {
				t.Error(err)
			}
			break
		}
	}
}
