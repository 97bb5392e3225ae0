package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/pg/pgtest"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/storetest"
)

// newest is the schema of this release.
const newest = 4

// allow is what a migration says to let older programs use the database.
func allow(schema int) string {
	return fmt.Sprintf(`INSERT INTO documents (kind, key, version, at, data) VALUES ('schema', 'floor', nextval('document_versions'), clock_timestamp(), '%d')
	ON CONFLICT (kind, key) DO UPDATE SET version = excluded.version, at = excluded.at, data = excluded.data;
`, schema)
}

// expansion adds to every table that this release writes to, and knows nothing of.
const expansion = `
CREATE TABLE extra (x text);
ALTER TABLE runs ADD COLUMN mood text NOT NULL DEFAULT 'fine';
ALTER TABLE projects ADD COLUMN mood text NOT NULL DEFAULT 'fine';
ALTER TABLE tasks ADD COLUMN mood text NOT NULL DEFAULT 'fine';
ALTER TABLE messages ADD COLUMN mood text NOT NULL DEFAULT 'fine';
ALTER TABLE conversations ADD COLUMN mood text NOT NULL DEFAULT 'fine';
ALTER TABLE events ADD COLUMN mood text NOT NULL DEFAULT 'fine';
ALTER TABLE heads ADD COLUMN mood text NOT NULL DEFAULT 'fine';
ALTER TABLE wakes ADD COLUMN mood text NOT NULL DEFAULT 'fine';
ALTER TABLE slots ADD COLUMN mood text NOT NULL DEFAULT 'fine';
ALTER TABLE slot_pools ADD COLUMN mood text NOT NULL DEFAULT 'fine';
ALTER TABLE claims ADD COLUMN mood text NOT NULL DEFAULT 'fine';
ALTER TABLE waiters ADD COLUMN mood text NOT NULL DEFAULT 'fine';
ALTER TABLE owners ADD COLUMN mood text NOT NULL DEFAULT 'fine';
ALTER TABLE engines ADD COLUMN mood text NOT NULL DEFAULT 'fine';
ALTER TABLE documents ADD COLUMN mood text NOT NULL DEFAULT 'fine';
ALTER TABLE snapshots ADD COLUMN mood text NOT NULL DEFAULT 'fine';
ALTER TABLE verdicts ADD COLUMN mood text NOT NULL DEFAULT 'fine';
ALTER TABLE ledger ADD COLUMN mood text NOT NULL DEFAULT 'fine';
`

// with are the migrations of this release up to a version, and one more.
func with(t *testing.T, version int, statements string) fs.FS {
	t.Helper()
	files, err := fs.Glob(migrations(), "*.sql")
	if err != nil || len(files) != newest {
		t.Fatalf("migrations are %v (%v): newest is another", files, err)
	}
	schema := fstest.MapFS{}
	for _, file := range files[:version] {
		data, err := fs.ReadFile(migrations(), file)
		if err != nil {
			t.Fatal(err)
		}
		schema[file] = &fstest.MapFile{Data: data}
	}
	schema[fmt.Sprintf("%05d_next.sql", version+1)] = &fstest.MapFile{Data: []byte("-- +goose Up\n" + statements)}
	return schema
}

// migrateWith brings a database to a schema.
func migrateWith(ctx context.Context, address string, schema fs.FS) error {
	s, err := open(ctx, address, Options{}, schema)
	if err != nil {
		return err
	}
	return s.Close()
}

// TestANewerSchema is used if it says that it has only been added to, and is left as it is otherwise.
func TestANewerSchema(t *testing.T) {
	for name, c := range map[string]struct {
		sql  string
		code core.Code
	}{
		"only added to":                  {expansion + allow(newest), ""},
		"no word about older programs":   {expansion, core.CodeUnsupported},
		"only newer programs may use it": {expansion + allow(newest+1), core.CodeUnsupported},
		"nonsense":                       {strings.Replace(allow(7), "'7'", "'x'", 1), core.CodeInvalid},
	} {
		address := pgtest.Planted(t, "empty", fill)
		if err := migrateWith(t.Context(), address, with(t, newest, c.sql)); err != nil {
			t.Fatal(err)
		}
		err := fill(t.Context(), address)
		if core.CodeOf(err) != c.code && c.code != "" || errors.Is(err, store.ErrNewer) != (c.code == core.CodeUnsupported) || c.code == "" && err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAnUpgradeWhileAnotherEngineWorks: the older engine goes on beside the newer one, on the schema of the newer.
func TestAnUpgradeWhileAnotherEngineWorks(t *testing.T) {
	old, address := opened(t)
	write := func(s *Store, stream string) {
		t.Helper()
		c := tick(t, s, stream, core.Head{})
		at := c.Events[0].At
		c.Run = &store.RunRow{ID: stream, Project: "p", StartedAt: at, UpdatedAt: at}
		if err := s.Commit(t.Context(), c); err != nil {
			t.Error(err)
		}
		if run, err := s.Run(t.Context(), stream); err != nil || run.ID != stream {
			t.Errorf("%s: %+v, %v", stream, run, err)
		}
	}
	write(old, "run/a")
	schema := with(t, newest, expansion+allow(newest))
	next, err := open(t.Context(), address, Options{}, schema)
	if err != nil {
		t.Fatal(err)
	}
	write(old, "run/b")
	write(next, "run/c")
	write(old, "run/d")
	if err := next.Close(); err != nil {
		t.Error(err)
	}
}

func TestMigrationsExpandFirst(t *testing.T) {
	storetest.ExpandFirst(t, migrations(), allow)
}

// TestMigrationsLetGo: whoever stops in the middle of a migration holds others up for seconds, and a table that is in use holds up a
// migration, and with it everybody else, no longer.
func TestMigrationsLetGo(t *testing.T) {
	files, err := fs.Glob(migrations(), "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := fs.ReadFile(migrations(), file)
		if err != nil {
			t.Fatal(err)
		}
		for _, bound := range []string{"SET LOCAL lock_timeout =", "SET LOCAL idle_in_transaction_session_timeout ="} {
			if !strings.Contains(string(text), bound) {
				t.Errorf("%s lacks %s", file, bound)
			}
		}
	}
}
