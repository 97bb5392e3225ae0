package sqlite

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

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

// TestMigrationsExpandFirst: what a migration takes away, programs of an older schema
// miss, so the floor that one sets is not below any such migration before or after it.
func TestMigrationsExpandFirst(t *testing.T) {
	if problem := tooLow(t, migrations()); problem != "" {
		t.Error(problem)
	}
	for name, c := range map[string]struct {
		files []string // from version 1 on
		wrong bool
	}{
		"nothing said":                {[]string{"CREATE TABLE a (x)", "DROP TABLE a"}, false},
		"added":                       {[]string{"CREATE TABLE a (x)", "CREATE TABLE b (x);" + allow(1)}, false},
		"a column with a default":     {[]string{"CREATE TABLE a (x)", "ALTER TABLE a ADD COLUMN y TEXT NOT NULL DEFAULT '';" + allow(1)}, false},
		"a column that must be given": {[]string{"CREATE TABLE a (x)", "ALTER TABLE a ADD COLUMN y TEXT NOT NULL;" + allow(1)}, true},
		"taken away at once":          {[]string{"CREATE TABLE a (x)", "DROP TABLE a;" + allow(1)}, true},
		"renamed before":              {[]string{"CREATE TABLE a (x)", "ALTER TABLE a RENAME COLUMN x TO y", "CREATE TABLE b (x);" + allow(1)}, true},
		"taken away later, unsaid":    {[]string{"CREATE TABLE a (x)", "CREATE TABLE b (x);" + allow(1), "DROP TABLE a"}, true},
		"taken away later, and said":  {[]string{"CREATE TABLE a (x)", "CREATE TABLE b (x);" + allow(1), "DROP TABLE a;" + allow(3)}, false},
		"must be unlike others":       {[]string{"CREATE TABLE a (x)", "CREATE UNIQUE INDEX i ON a (x);" + allow(1)}, true},
	} {
		files := fstest.MapFS{}
		for i, sql := range c.files {
			files[fmt.Sprintf("%05d_x.sql", i+1)] = &fstest.MapFile{Data: []byte("-- +goose Up\n" + sql)}
		}
		if problem := tooLow(t, files); (problem != "") != c.wrong {
			t.Errorf("%s: %q", name, problem)
		}
	}
}

var (
	takesAway = regexp.MustCompile(`(?i)\b(DROP|RENAME|UNIQUE INDEX)\b`)
	addition  = regexp.MustCompile(`(?i)\bADD COLUMN\b[^;]*`)
	saysFloor = regexp.MustCompile(`'schema', 'floor', 0, 0, CAST\('(\d+)'`)
)

// tooLow says which migration takes something from a program that is still allowed.
func tooLow(t *testing.T, schema fs.FS) string {
	t.Helper()
	names, err := fs.Glob(schema, "*.sql")
	must(t, err)
	floor, contracted := int64(-1), int64(0)
	for _, name := range names {
		data, err := fs.ReadFile(schema, name)
		must(t, err)
		number, err := strconv.ParseInt(name[:5], 10, 64)
		must(t, err)
		contracts := takesAway.Match(data)
		for _, column := range addition.FindAllString(string(data), -1) {
			needed, given := strings.Contains(column, "NOT NULL"), strings.Contains(column, "DEFAULT")
			contracts = contracts || needed && !given
		}
		if contracts {
			contracted = number
		}
		if said := saysFloor.FindSubmatch(data); said != nil {
			floor, err = strconv.ParseInt(string(said[1]), 10, 64)
			must(t, err)
		}
		if floor >= 0 && floor < contracted {
			return fmt.Sprintf("%s: programs of schema %d are allowed, and migration %d takes something from them", name, floor, contracted)
		}
	}
	return ""
}
