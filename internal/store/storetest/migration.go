package storetest

import (
	"fmt"
	"io/fs"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

// ExpandFirst holds migrations to the rule by which neighbouring releases share a store: what a migration takes away, programs of an
// older schema miss, so the floor that one sets is not below any such migration before or after it. allow is how a migration sets it.
func ExpandFirst(t *testing.T, migrations fs.FS, allow func(schema int) string) {
	t.Helper()
	if problem := tooLow(t, migrations); problem != "" {
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
		"of another type":             {[]string{"CREATE TABLE a (x)", "ALTER TABLE a ALTER COLUMN x TYPE bigint;" + allow(1)}, true},
		"must be something":           {[]string{"CREATE TABLE a (x)", "ALTER TABLE a ADD CONSTRAINT c CHECK (x > 0);" + allow(1)}, true},
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
	takesAway = regexp.MustCompile(`(?i)\b(DROP|RENAME|UNIQUE INDEX|ALTER COLUMN|ADD CONSTRAINT)\b`)
	addition  = regexp.MustCompile(`(?i)\bADD COLUMN\b[^;]*`)
	saysFloor = regexp.MustCompile(`'schema', 'floor',[^;]*?'(\d+)'`)
)

// tooLow says which migration takes something from a program that is still allowed.
func tooLow(t *testing.T, schema fs.FS) string {
	t.Helper()
	names, err := fs.Glob(schema, "*.sql")
	if err != nil || len(names) == 0 {
		t.Fatalf("migrations: %q, %v", names, err)
	}
	floor, contracted := int64(-1), int64(0)
	for _, name := range names {
		data, err := fs.ReadFile(schema, name)
		if err != nil {
			t.Fatal(err)
		}
		number, err := strconv.ParseInt(name[:5], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		contracts := takesAway.Match(data)
		for _, column := range addition.FindAllString(string(data), -1) {
			needed, given := strings.Contains(column, "NOT NULL"), strings.Contains(column, "DEFAULT")
			contracts = contracts || needed && !given
		}
		if contracts {
			contracted = number
		}
		if said := saysFloor.FindSubmatch(data); said != nil {
			if floor, err = strconv.ParseInt(string(said[1]), 10, 64); err != nil {
				t.Fatal(err)
			}
		}
		if floor >= 0 && floor < contracted {
			return fmt.Sprintf("%s: programs of schema %d are allowed, and migration %d takes something from them", name, floor, contracted)
		}
	}
	return ""
}
