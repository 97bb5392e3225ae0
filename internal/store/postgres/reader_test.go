package postgres

import (
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/pg"
	"github.com/stellwerk-dev/stellwerk/internal/pg/pgtest"
)

// owned makes an empty database that a role owns which may make neither roles nor databases. The roles are to be made before.
func owned(t *testing.T) (address, owner string) {
	t.Helper()
	owner = pgtest.Role(t, "owner")
	address = pgtest.Database(t)
	sql(t, address, "REVOKE CREATE ON SCHEMA public FROM PUBLIC")
	sql(t, address, "ALTER DATABASE "+nameOf(t, address)+" OWNER TO "+owner)
	sql(t, address, "GRANT ALL ON SCHEMA public TO "+owner)
	return address, owner
}

// as is an address for another role.
func as(t *testing.T, role, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.User(role)
	return u.String()
}

// connect opens a connection until t ends.
func connect(t *testing.T, address string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(t.Context()) }) // which has ended: it is only closed
	return conn
}

// relations are the names of what a query of pg_class finds.
func relations(t *testing.T, conn *pgx.Conn, kinds string) []string {
	t.Helper()
	rows, err := conn.Query(t.Context(), "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind::text = ANY (string_to_array($1, NULL)) ORDER BY 1", kinds)
	if err != nil {
		t.Fatal(err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(names) == 0 {
		t.Fatalf("%v, %v", names, err)
	}
	return names
}

// codeForbidden is PostgreSQL's answer to who lacks a right.
const codeForbidden = "42501"

// TestAReader reads the views, also those that a later migration adds, and can do nothing else.
func TestAReader(t *testing.T) {
	readerRole, partialRole := pgtest.Role(t, "reader"), pgtest.Role(t, "partial")
	address, owner := owned(t)
	s := openAt(t, as(t, owner, address))
	if err := s.Commit(t.Context(), tick(t, s, "run/a", core.Head{})); err != nil {
		t.Fatal(err)
	}
	sql(t, address, "GRANT SELECT ON v_projects TO "+partialRole)
	for range 2 { // repeated, it does nothing
		views, err := s.AdmitReader(t.Context(), readerRole)
		if err != nil || strings.Join(views, " ") != "v_events v_owners v_projects v_runs v_schema v_slots v_tasks" {
			t.Fatalf("%v, %v", views, err)
		}
	}
	reader := connect(t, as(t, readerRole, address))
	var body string
	if err := reader.QueryRow(t.Context(), "SELECT body FROM v_events WHERE stream = 'run/a'").Scan(&body); err != nil || !strings.HasPrefix(body, "{") {
		t.Errorf("%q, %v", body, err)
	}
	onlyReads(t, reader)

	next := with(t, newest, "CREATE VIEW v_next AS SELECT max(position) AS position FROM events; CREATE TABLE secrets (x text); SELECT share_views();\n"+allow(newest))
	if err := migrateWith(t.Context(), as(t, owner, address), next); err != nil {
		t.Fatal(err)
	}
	var position int64
	if err := reader.QueryRow(t.Context(), "SELECT position FROM v_next").Scan(&position); err != nil || position != 1 {
		t.Errorf("the view of a later migration has %d: %v", position, err)
	}
	onlyReads(t, reader)
	if _, err := reader.Exec(t.Context(), "SELECT share_with('PUBLIC')"); err != nil {
		t.Error(err) // it only warns
	}
	partial := connect(t, as(t, partialRole, address))
	if _, err := partial.Exec(t.Context(), "SELECT FROM v_projects"); err != nil {
		t.Error(err)
	}
	for _, view := range []string{"v_next", "v_runs"} {
		if _, err := partial.Exec(t.Context(), "SELECT FROM "+view); pg.Code(err) != codeForbidden {
			t.Errorf("who was let read one view reads %s: %v", view, err)
		}
	}
}

// onlyReads tries everything that a reader must not be able to do.
func onlyReads(t *testing.T, reader *pgx.Conn) {
	t.Helper()
	for _, view := range relations(t, reader, "v") {
		if _, err := reader.Exec(t.Context(), "SELECT * FROM "+view); err != nil {
			t.Errorf("%s: %v", view, err)
		}
	}
	forbidden := []string{
		"CREATE TABLE mine (x int)", "CREATE FUNCTION mine() RETURNS int LANGUAGE sql AS 'SELECT 1'", "SELECT nextval('document_versions')",
		"SELECT commit_batch('[{\"op\": \"raise\", \"stream\": \"run/a\"}]', '{}', '{0}', false, '')", "SELECT put_documents('{a}', '{b}', '{0}', '{c}')",
		"SELECT enlist('a', 'b', 'c', interval '1 hour')", "SELECT set_closure('', '', 'leaving', '', '{}')",
		"UPDATE v_runs SET title = 'x'", "DELETE FROM v_tasks", "INSERT INTO v_schema VALUES (9)",
	}
	for _, table := range relations(t, reader, "r") {
		forbidden = append(forbidden, "SELECT count(*) FROM "+table, "SELECT x FROM (SELECT "+table+" AS x FROM "+table+") y", "INSERT INTO "+table+" DEFAULT VALUES",
			"DELETE FROM "+table, "TRUNCATE "+table, "DO $$ BEGIN LOCK TABLE "+table+"; END $$", "COPY "+table+" TO STDOUT")
	}
	for _, statement := range forbidden {
		if _, err := reader.Exec(t.Context(), statement); pg.Code(err) != codeForbidden && pg.Code(err) != "55000" { // a view that cannot be written to at all
			t.Errorf("%s: %v", statement, err)
		}
	}
}

// TestWhoIsNoReader is refused with what is to be done, and nothing is granted.
func TestWhoIsNoReader(t *testing.T) {
	reader, member, column := pgtest.Role(t, "reader"), pgtest.Role(t, "member"), pgtest.Role(t, "column")
	address, owner := owned(t)
	s := openAt(t, as(t, owner, address))
	sql(t, address, fmt.Sprintf("GRANT %s TO %s", owner, member))
	sql(t, address, "ALTER ROLE "+member+" NOINHERIT")
	sql(t, address, "GRANT SELECT (data) ON documents TO "+column)
	for name, c := range map[string]struct{ prepare, role, says, hint, undo string }{
		"nobody":         {"", `ada "x"`, "there is no role", `createuser --pwprompt "ada ""x"""`, ""},
		"the owner":      {"", owner, "owns the tables", "role of its own", ""},
		"superuser":      {"", "stellwerk", "owns the tables", "role of its own", ""},
		"member":         {"", member, "owns the tables", "role of its own", ""},
		"one column":     {"", column, "rights to documents", "role of its own", ""},
		"makes tables":   {"GRANT CREATE ON SCHEMA public TO PUBLIC", reader, "may create", "REVOKE CREATE ON SCHEMA public FROM PUBLIC", "REVOKE CREATE ON SCHEMA public FROM PUBLIC"},
		"reads all data": {"GRANT pg_read_all_data TO " + reader, reader, "rights to", "role of its own", "REVOKE pg_read_all_data FROM " + reader},
		"not let in": {
			"REVOKE CONNECT ON DATABASE " + nameOf(t, address) + " FROM PUBLIC; ALTER DATABASE " + nameOf(t, address) + " OWNER TO stellwerk", reader,
			"may not use the database", "GRANT CONNECT ON DATABASE", "ALTER DATABASE " + nameOf(t, address) + " OWNER TO " + owner,
		},
	} {
		if c.prepare != "" {
			sql(t, address, c.prepare)
		}
		_, err := s.AdmitReader(t.Context(), c.role)
		if core.CodeOf(err) != core.CodeInvalid || !strings.Contains(err.Error(), c.says) || !strings.Contains(core.AdviceOf(err).Hint, c.hint) {
			t.Errorf("%s: %v (%s)", name, err, core.AdviceOf(err).Hint)
		}
		if c.undo != "" {
			sql(t, address, c.undo)
		}
	}
	var granted bool
	if err := connect(t, address).QueryRow(t.Context(), "SELECT has_table_privilege($1, 'v_runs', 'SELECT')", reader).Scan(&granted); err != nil || granted {
		t.Errorf("it was let read all the same: %v", err)
	}
	if _, err := s.AdmitReader(t.Context(), reader); err != nil {
		t.Errorf("the database's owner lets it in: %v", err)
	}
	onlyReads(t, connect(t, as(t, reader, address)))
}

// TestMigrationsShareTheirViews with those who read the others.
func TestMigrationsShareTheirViews(t *testing.T) {
	files, err := fs.Glob(migrations(), "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := fs.ReadFile(migrations(), file)
		if err != nil {
			t.Fatal(err)
		}
		if file != "00003_views.sql" && strings.Contains(string(text), " VIEW v_") && !strings.Contains(string(text), "SELECT share_views();") {
			t.Errorf("%s lacks SELECT share_views();", file)
		}
	}
}

// tabled are the names in the rows of a page's tables that begin so, by the first.
func tabled(t *testing.T, page string, begins ...string) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("../../../docs/" + page)
	if err != nil {
		t.Fatal(err)
	}
	found, name := map[string][]string{}, regexp.MustCompile("`([a-z_]+)`")
	for _, line := range strings.Split(string(text), "\n") {
		if !slices.ContainsFunc(begins, func(begin string) bool { return strings.HasPrefix(line, begin) }) {
			continue
		}
		names := name.FindAllStringSubmatch(line, -1)
		for _, n := range names[1:] {
			found[names[0][1]] = append(found[names[0][1]], n[1])
		}
	}
	return found
}

// TestTheViewsAreDocumented with all their columns, and no others are.
func TestTheViewsAreDocumented(t *testing.T) {
	documented := tabled(t, "database.md", "| `v_")
	s, _ := opened(t)
	rows, err := s.pool.Query(t.Context(), `SELECT table_name::text, array_agg(column_name::text ORDER BY ordinal_position) FROM information_schema.columns
		WHERE table_schema = 'public' AND table_name LIKE 'v\_%' GROUP BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	views := map[string][]string{}
	var view string
	var columns []string
	if _, err := pgx.ForEachRow(rows, []any{&view, &columns}, func() error {
		views[view] = columns
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if !maps.EqualFunc(views, documented, slices.Equal) {
		t.Errorf("views are\n%v\ndocumented are\n%v", views, documented)
	}
}

// TestTheTablesAreThoseOfTheSources, with their columns and statuses, and with further columns that are documented.
func TestTheTablesAreThoseOfTheSources(t *testing.T) {
	ours := tabled(t, "sources.md", "| `tasks` |", "| `projects` |")
	s, _ := opened(t)
	for table, theirs := range map[string][]string{
		"tasks": {
			"id", "addressee", "project_id", "task_type", "status", "prompt", "repo_url", "branch", "triggered_by_task_id", "created_by", "created_at", "started_at",
			"completed_at", "result", "worker_pod",
		},
		"projects": {
			"id", "name", "repo_url", "default_branch", "integration_branch", "status", "current_epic", "last_activity", "created_at", "created_by", "total_tasks",
			"completed_tasks", "failed_tasks", "total_cost_usd", "pr_url", "pr_number",
		},
	} {
		var columns []string
		if err := s.pool.QueryRow(t.Context(), "SELECT array_agg(column_name::text ORDER BY 1) FROM information_schema.columns WHERE table_schema = 'public' AND table_name = $1", table).Scan(&columns); err != nil {
			t.Fatal(err)
		}
		want := slices.Concat(theirs, ours[table])
		slices.Sort(want)
		slices.Sort(columns)
		if !slices.Equal(columns, want) {
			t.Errorf("%s has the columns\n%v\ndocumented are\n%v", table, columns, want)
		}
	}
}

// TestABodyThatIsNoText is NULL in the view, and fails no query of the others.
func TestABodyThatIsNoText(t *testing.T) {
	s, address := opened(t)
	for _, stream := range []string{"run/a", "run/b", "run/c"} {
		if err := s.Commit(t.Context(), tick(t, s, stream, core.Head{})); err != nil {
			t.Fatal(err)
		}
	}
	sql(t, address, `UPDATE events SET body = '\xff' WHERE stream = 'run/a'`)
	sql(t, address, `UPDATE events SET body = '\x00' WHERE stream = 'run/b'`)
	var events, bodies int
	if err := s.pool.QueryRow(t.Context(), "SELECT count(*), count(body::json) FROM v_events").Scan(&events, &bodies); err != nil || events != 3 || bodies != 1 {
		t.Errorf("%d events with %d bodies: %v", events, bodies, err)
	}
}
