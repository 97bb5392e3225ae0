package postgres

import (
	"context"
	"encoding/json"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pressly/goose/v3"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/pg"
	"github.com/stellwerk-dev/stellwerk/internal/pg/pgtest"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/postgres/query"
	"github.com/stellwerk-dev/stellwerk/internal/store/storetest"
)

// given are the tables whose rows a commit gives, by its field for them.
var given = map[string]string{"run": "runs", "project": "projects", "tasks": "tasks", "messages": "messages", "conversations": "conversations"}

// release has the rows of commits be those of another release's engine.
type release struct {
	*pgxpool.Pool
	t      *testing.T
	change func(table string, row map[string]any)
}

func (r release) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	if strings.Contains(sql, "commit_batch") {
		args = append([]any{r.rows(args[0].([]byte))}, args[1:]...)
	}
	return r.Pool.QueryRow(ctx, sql, args...)
}

func (r release) rows(text []byte) []byte {
	var batch []map[string]any
	if err := json.Unmarshal(text, &batch); err != nil {
		r.t.Errorf("%s: %v", text, err)
	}
	for _, write := range batch {
		for field, table := range given {
			switch v := write[field].(type) {
			case map[string]any:
				r.change(table, v)
			case []any:
				for _, row := range v {
					r.change(table, row.(map[string]any))
				}
			}
		}
	}
	text, err := json.Marshal(batch)
	if err != nil {
		r.t.Error(err)
	}
	return text
}

// openAs opens a database as an engine that gives other rows.
func openAs(t *testing.T, address string, change func(table string, row map[string]any)) *Store {
	t.Helper()
	s, err := Open(t.Context(), address, Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.writer.q = query.New(release{s.pool, t, change})
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// knows leaves out of rows what a release did not know that had the schema of a database.
func knows(t *testing.T, address string) func(table string, row map[string]any) {
	t.Helper()
	columns := map[string][]string{}
	conn := connect(t, address)
	for _, table := range given {
		var names []string
		err := conn.QueryRow(t.Context(), "SELECT array_agg(column_name::text) FROM information_schema.columns WHERE table_schema = 'public' AND table_name = $1", table).Scan(&names)
		if err != nil || len(names) == 0 {
			t.Fatalf("%s has the columns %v: %v", table, names, err)
		}
		columns[table] = names
	}
	return func(table string, row map[string]any) {
		maps.DeleteFunc(row, func(name string, _ any) bool { return !slices.Contains(columns[table], name) })
	}
}

// upTo are migrations up to a version.
func upTo(t *testing.T, all fs.FS, version int64) fs.FS {
	t.Helper()
	files, err := fs.Glob(all, "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	some := fstest.MapFS{}
	for _, file := range files {
		number, err := goose.NumericComponent(file)
		if err != nil {
			t.Fatal(err)
		}
		if number > version {
			continue
		}
		data, err := fs.ReadFile(all, file)
		if err != nil {
			t.Fatal(err)
		}
		some[file] = &fstest.MapFile{Data: data}
	}
	return some
}

// TestTheOldestEngineThatIsLetInWrites everything, with the columns that it knew.
func TestTheOldestEngineThatIsLetInWrites(t *testing.T) {
	s, address := opened(t)
	floor, err := floorOf(t.Context(), s.pool, s.Schema().To)
	if err != nil {
		t.Fatal(err)
	}
	before := pgtest.Database(t)
	if err := migrateWith(t.Context(), before, upTo(t, migrations(), floor)); err != nil {
		t.Fatal(err)
	}
	storetest.Fill(t, openAs(t, address, knows(t, before)))
}

// writing is the function that a migration replaces which adds columns.
func writing(t *testing.T) string {
	t.Helper()
	text, err := fs.ReadFile(migrations(), "00002_functions.sql")
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(text), "CREATE FUNCTION write_rows")
	body, _, ended := strings.Cut(after, "END $$;")
	if !found || !ended {
		t.Fatal("00002_functions.sql has no write_rows")
	}
	return "CREATE OR REPLACE FUNCTION write_rows" + body + "END $$;"
}

// wider is a schema whose newest migration adds to each of the tables a column that must be given, and replaces the function that writes
// them.
func wider(t *testing.T, function string) fs.FS {
	t.Helper()
	return with(t, newest, `
ALTER TABLE runs ADD COLUMN mood text NOT NULL DEFAULT 'fine';
ALTER TABLE projects ADD COLUMN mood text NOT NULL DEFAULT 'fine';
ALTER TABLE tasks ADD COLUMN mood text NOT NULL DEFAULT 'fine';
ALTER TABLE messages ADD COLUMN mood text NOT NULL DEFAULT 'fine';
ALTER TABLE conversations ADD COLUMN mood text NOT NULL DEFAULT 'fine';
-- +goose StatementBegin
`+function+`
-- +goose StatementEnd
`+allow(newest))
}

// bySecondStatement are the new columns as write_rows says they are to be written.
const bySecondStatement = `
    UPDATE runs r SET mood = j.c->'run'->>'mood' FROM unnest(judged) AS j(c) WHERE r.id = j.c->'run'->>'id' AND j.c->'run' ? 'mood';
    UPDATE projects r SET mood = j.c->'project'->>'mood' FROM unnest(judged) AS j(c) WHERE r.id = j.c->'project'->>'id' AND j.c->'project' ? 'mood';
    UPDATE tasks r SET mood = x->>'mood' FROM unnest(judged) AS j(c), jsonb_array_elements(j.c->'tasks') x WHERE r.run_id = x->>'run_id' AND r.task = x->>'task' AND x ? 'mood';
    UPDATE messages r SET mood = x->>'mood' FROM unnest(judged) AS j(c), jsonb_array_elements(j.c->'messages') x WHERE r.run_id = x->>'run_id' AND r.seq = (x->>'seq')::bigint AND x ? 'mood';
    UPDATE conversations r SET mood = x->>'mood' FROM unnest(judged) AS j(c), jsonb_array_elements(j.c->'conversations') x WHERE r.id = x->>'id' AND x ? 'mood';
    RETURN told;`

func grim(_ string, row map[string]any) { row["mood"] = "grim" }

// moods are the values of the new column of a table.
func moods(t *testing.T, s *Store, table string) (all []string) {
	t.Helper()
	if err := s.pool.QueryRow(t.Context(), "SELECT array_agg(DISTINCT mood ORDER BY mood) FROM "+table).Scan(&all); err != nil {
		t.Error(err)
	}
	return all
}

// TestANewerReleaseGivesMore: engines of this release go on beside it. What they write anew has the new columns' defaults, and what the
// newer release gave stays when they write the same rows.
func TestANewerReleaseGivesMore(t *testing.T) {
	this, address := opened(t)
	if err := migrateWith(t.Context(), address, wider(t, strings.Replace(writing(t), "\n    RETURN told;", bySecondStatement, 1))); err != nil {
		t.Fatal(err)
	}
	storetest.Fill(t, this)
	for _, table := range given {
		if all := moods(t, this, table); !slices.Equal(all, []string{"fine"}) {
			t.Errorf("%s of this release have %q", table, all)
		}
	}
	other := pgtest.Planted(t, "empty", fill)
	if err := migrateWith(t.Context(), other, wider(t, strings.Replace(writing(t), "\n    RETURN told;", bySecondStatement, 1))); err != nil {
		t.Fatal(err)
	}
	next := openAs(t, other, grim)
	storetest.Fill(t, next)
	for _, table := range given {
		want := []string{"grim"}
		if table == "conversations" { // each project's first is made by the database
			want = []string{"fine", "grim"}
		}
		if all := moods(t, next, table); !slices.Equal(all, want) {
			t.Errorf("%s of the next release have %q", table, all)
		}
	}
	again := openAt(t, other)
	head, err := again.Head(t.Context(), core.RunStream("r0"))
	if err != nil {
		t.Fatal(err)
	}
	c := tick(t, again, core.RunStream("r0"), head)
	run, err := again.Run(t.Context(), "r0")
	if err != nil {
		t.Fatal(err)
	}
	c.Of, c.Run = run.Project, &run
	if err := again.Commit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if all := moods(t, again, "runs"); !slices.Equal(all, []string{"grim"}) {
		t.Errorf("after this release wrote one of them, runs have %q", all)
	}
}

// TestAColumnThatAnOlderEngineDoesNotGive is what the test of the oldest engine would find.
func TestAColumnThatAnOlderEngineDoesNotGive(t *testing.T) {
	function := writing(t)
	for old, replaced := range map[string]string{"limited, worked, started_at": "limited, worked, mood, started_at", "r.limited, r.worked, ": "r.limited, r.worked, r.mood, "} {
		if !strings.Contains(function, old) {
			t.Fatalf("write_rows lacks %s", old)
		}
		function = strings.Replace(function, old, replaced, 1)
	}
	before, address := pgtest.Planted(t, "empty", fill), pgtest.Planted(t, "empty", fill)
	if err := migrateWith(t.Context(), address, wider(t, function)); err != nil {
		t.Fatal(err)
	}
	strip := knows(t, before)
	for name, c := range map[string]struct {
		change func(table string, row map[string]any)
		code   string
	}{
		"newer": {grim, ""},
		"older": {func(table string, row map[string]any) { grim(table, row); strip(table, row) }, "23502"},
	} {
		s := openAs(t, address, c.change)
		w := tick(t, s, core.RunStream(name), core.Head{})
		w.Run = &store.RunRow{ID: name, Project: "p", StartedAt: w.Events[0].At, UpdatedAt: w.Events[0].At}
		if err := s.Commit(t.Context(), w); pg.Code(err) != c.code || (err == nil) != (c.code == "") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
