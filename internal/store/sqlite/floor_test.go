package sqlite

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/seedtest"
	"github.com/stellwerk-dev/stellwerk/internal/store/storetest"
)

// allow is what a migration says to let older programs use the database.
func allow(schema int64) string {
	return fmt.Sprintf("INSERT INTO documents (kind, key, version, at, data) VALUES ('schema', 'floor', 0, 0, CAST('%d' AS BLOB)) ON CONFLICT (kind, key) DO UPDATE SET data = excluded.data;", schema)
}

const expansion = `CREATE TABLE extra (x TEXT); ALTER TABLE runs ADD COLUMN mood TEXT NOT NULL DEFAULT '';`

// migrated makes a database as the next release would.
func migrated(t *testing.T, path, sql string) {
	t.Helper()
	must(t, empty(t.Context(), path, nextVersion(t, sql)))
}

// TestADatabaseThatWasOnlyExpandedCanBeUsed: while a team upgrades, engines of this
// release work on a schema that the next one has added to.
func TestADatabaseThatWasOnlyExpandedCanBeUsed(t *testing.T) {
	folder, schema := t.TempDir(), nextVersion(t, expansion+allow(newest))
	seed := seedtest.Seed{Make: func(path string) error { return empty(t.Context(), path, schema) }}
	storetest.Run(t, func(t *testing.T) store.Store {
		path := databaseOf(t, folder)
		seed.Plant(t, path)
		must(t, Examine(t.Context(), path))
		return openAt(t, path, Options{})
	})
}

// TestWhatIsRefusedStaysAsItIs: neither a file changes nor is one added.
func TestWhatIsRefusedStaysAsItIs(t *testing.T) {
	for name, c := range map[string]struct {
		sql  string
		code core.Code
	}{
		"no word about older programs":   {expansion, core.CodeUnsupported},
		"only newer programs may use it": {expansion + allow(newest+1), core.CodeUnsupported},
		"nonsense":                       {expansion + strings.Replace(allow(7), "'7'", "'x'", 1), core.CodeInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			path := filepath.Join(folder, "stellwerk.db")
			migrated(t, path, c.sql)
			before := contents(t, folder)
			if _, err := Open(t.Context(), path, Options{}); core.CodeOf(err) != c.code || errors.Is(err, store.ErrNewer) != (c.code == core.CodeUnsupported) {
				t.Errorf("got %v", err)
			}
			if after := contents(t, folder); after != before {
				t.Errorf("the folder was\n%sand is\n%s", before, after)
			}
			if err := Examine(t.Context(), path); core.CodeOf(err) != c.code {
				t.Errorf("examined: %v", err)
			}
		})
	}
}

func contents(t *testing.T, folder string) string {
	t.Helper()
	var all strings.Builder
	must(t, filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		fmt.Fprintf(&all, "%s %x\n", e.Name(), sha256.Sum256(data))
		return err
	}))
	return all.String()
}

func TestMigrationsExpandFirst(t *testing.T) {
	storetest.ExpandFirst(t, migrations(), func(schema int) string { return allow(int64(schema)) })
}
