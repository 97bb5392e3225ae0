package backing_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/stellwerk-dev/stellwerk/internal/backing"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/pg/pgtest"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// TestAdmitReader: of a store as it is. A database that nobody has migrated is left alone, and a file has no roles.
func TestAdmitReader(t *testing.T) {
	role := pgtest.Role(t, "reader")
	place := backing.Place{Store: pgtest.Database(t)}
	if _, err := place.AdmitReader(t.Context(), role); !errors.Is(err, store.ErrOlder) {
		t.Errorf("an empty database: %v", err)
	}
	conn, err := pgx.Connect(t.Context(), place.Store)
	if err == nil {
		_, err = conn.Exec(t.Context(), "REVOKE CREATE ON SCHEMA public FROM PUBLIC") // as PostgreSQL 14 has it
		err = errors.Join(err, conn.Close(t.Context()))
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := place.Migrate(t.Context(), newFolder(t)); err != nil {
		t.Fatal(err)
	}
	if a, err := place.AdmitReader(t.Context(), role); err != nil || !slices.Contains(a.Views, "v_runs") {
		t.Errorf("%+v, %v", a, err)
	}
	if _, err := (backing.Place{}).AdmitReader(t.Context(), role); core.CodeOf(err) != core.CodeUnsupported {
		t.Errorf("a file: %v", err)
	}
}
