package postgres

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/pg/pgtest"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// nameOf is the name of the database at address.
func nameOf(t *testing.T, address string) string {
	t.Helper()
	at, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimPrefix(at.Path, "/")
}

// commitBesides begins a commit.
func commitBesides(t *testing.T, s *Store, stream string) <-chan error {
	t.Helper()
	c, answer := tick(t, s, stream, core.Head{}), make(chan error, 1)
	go func() { answer <- s.Commit(t.Context(), c) }()
	return answer
}

// says waits until reading fails with the words for what has happened.
func says(t *testing.T, s *Store, words string) {
	t.Helper()
	var err error
	if !waittest.Until(func() bool {
		_, err = s.Head(t.Context(), "run/a")
		return err != nil && strings.Contains(err.Error(), words)
	}) {
		t.Errorf("it says %v", err)
	}
	said, known := errors.AsType[*core.Error](err)
	if !known || said.Code != core.CodeUnavailable || said.Hint == "" || !errors.Is(err, core.ErrAway) {
		t.Errorf("nobody is told what to do: %+v", err)
	}
}

// waits fails if a commit has its answer already.
func waits(t *testing.T, answer <-chan error) {
	t.Helper()
	select {
	case err := <-answer:
		t.Fatalf("meanwhile a write says %v", err)
	default:
	}
}

// TestConnectionsOfAServerThatTakesNoWrites are left after a failover, and none of them is used again: there is another server.
func TestConnectionsOfAServerThatTakesNoWrites(t *testing.T) {
	s, _ := opened(t)
	all := s.pool.AcquireAllIdle(t.Context())
	for len(all) < 3 {
		c, err := s.pool.Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	for _, c := range all {
		if _, err := c.Exec(t.Context(), "SET default_transaction_read_only = on"); err != nil {
			t.Fatal(err)
		}
		c.Release()
	}
	answer := commitBesides(t, s, "run/a")
	once(t, s, "run/a", answer)
	for _, c := range s.pool.AcquireAllIdle(t.Context()) {
		var readOnly bool
		err := c.QueryRow(t.Context(), "SELECT current_setting('transaction_read_only')::boolean").Scan(&readOnly)
		c.Release()
		if err != nil || readOnly {
			t.Errorf("a connection that takes no writes is kept: %v", err)
		}
	}
}

// TestADatabaseThatTakesNoWrites: it is said so, and what was to be written is written when it takes writes again.
func TestADatabaseThatTakesNoWrites(t *testing.T) {
	s, address := opened(t)
	writable := address + "&default_transaction_read_only=off"
	sql(t, address, "ALTER DATABASE "+nameOf(t, address)+" SET default_transaction_read_only = on")
	sql(t, writable, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
	if _, err := Open(t.Context(), address, Options{}); err == nil || !strings.Contains(err.Error(), "is read-only") {
		t.Errorf("it is opened: %v", err)
	}
	says(t, s, "is read-only")
	c := tick(t, openAt(t, writable), "run/a", core.Head{})
	answer := make(chan error, 1)
	go func() { answer <- s.Commit(t.Context(), c) }()
	says(t, s, "is read-only")
	waits(t, answer)
	sql(t, writable, "ALTER DATABASE "+nameOf(t, address)+" RESET default_transaction_read_only")
	once(t, s, "run/a", answer)
}

// TestNoConnectionLeft: it is said so, and everything goes on when there is room.
func TestNoConnectionLeft(t *testing.T) {
	direct, address := opened(t)
	role := "tenant_" + nameOf(t, address)
	sql(t, address, "CREATE ROLE "+role+" LOGIN IN ROLE stellwerk CONNECTION LIMIT 0")
	tenant := strings.Replace(address, "stellwerk@", role+"@", 1)
	if _, err := Open(t.Context(), tenant, Options{}); err == nil || !strings.Contains(err.Error(), "has no connection left") {
		t.Errorf("it is opened: %v", err)
	}
	sql(t, address, "ALTER ROLE "+role+" CONNECTION LIMIT 3")
	s := openAt(t, tenant)
	if err := s.Raise(t.Context(), "run/b"); err != nil {
		t.Fatal(err)
	}
	sql(t, address, "ALTER ROLE "+role+" CONNECTION LIMIT 0")
	sql(t, address, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '"+role+"'")
	says(t, s, "has no connection left")
	c := tick(t, direct, "run/a", core.Head{})
	answer := make(chan error, 1)
	go func() { answer <- s.Commit(t.Context(), c) }()
	says(t, s, "has no connection left")
	waits(t, answer)
	sql(t, address, "ALTER ROLE "+role+" CONNECTION LIMIT 3")
	once(t, direct, "run/a", answer)
	if !waittest.Until(func() bool { _, err := s.Head(t.Context(), "run/a"); return err == nil }) {
		t.Error("reads do not go on")
	}
}

// TestTwoEnginesOfOneName: whoever began last is the engine, however many begin at once, and no other owns anything.
func TestTwoEnginesOfOneName(t *testing.T) {
	address := pgtest.Planted(t, "empty", fill)
	stores := make([]*Store, 4)
	errs := make(chan error, len(stores))
	for i := range stores {
		stores[i] = openAt(t, address)
		go func() {
			_, err := stores[i].Enlist(t.Context(), store.Engine{ID: "e"}, waittest.Limit)
			errs <- err
		}()
	}
	for range stores {
		if err := <-errs; err != nil {
			t.Fatal(err)
		}
	}
	alive := 0
	for _, s := range stores {
		taken, err := s.Take(t.Context(), "e", waittest.Limit, []string{"p"})
		switch {
		case err == nil && len(taken) == 1:
			alive++
		case !errors.Is(err, store.ErrFenced):
			t.Errorf("it took %v, %v", taken, err)
		}
	}
	if alive != 1 {
		t.Errorf("%d of them are alive", alive)
	}
}
