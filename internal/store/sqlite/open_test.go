package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pressly/goose/v3"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/storetest"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

func TestFilesAreTheOwnersAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a folder?with #odd%20 names", "stellwerk.db")
	if err := os.Mkdir(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	s := openAt(t, path, Options{})
	commit(t, s, "run/a")
	for _, suffix := range []string{"", "-wal", "-shm"} {
		info, err := os.Stat(path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", path+suffix, info.Mode())
		}
	}
	wide := filepath.Join(t.TempDir(), "wide.db")
	if err := os.WriteFile(wide, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	openAt(t, wide, Options{})
	if info, err := os.Stat(wide); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("a wider mode is kept: %v, %v", info.Mode(), err)
	}
}

func TestSettings(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "stellwerk.db"), Options{BusyTimeout: 1234 * time.Millisecond})
	for pragma, want := range map[string]string{
		"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "busy_timeout": "1234", "journal_size_limit": "67108864",
	} {
		var got string
		if err := s.writer.conn.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %s (%v), want %s", pragma, got, err, want)
		}
	}
	if _, err := s.readers.ExecContext(t.Context(), "DELETE FROM events"); err == nil {
		t.Error("a reader can write")
	}
}

// TestHowManyRead: one writes, and as many read as was asked for. What nobody set has its default.
func TestHowManyRead(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		options Options
		readers int
		busy    string
	}{
		{Options{}, 4, "5000"}, {Options{Readers: -1, BusyTimeout: -1}, 4, "5000"}, {Options{Readers: 1, BusyTimeout: time.Millisecond}, 1, "1"},
	} {
		s := openAt(t, filepath.Join(t.TempDir(), "stellwerk.db"), test.options)
		if got := s.writer.db.Stats().MaxOpenConnections; got != 1 {
			t.Errorf("%+v: %d can write", test.options, got)
		}
		if got := s.readers.Stats().MaxOpenConnections; got != test.readers {
			t.Errorf("%+v: %d can read", test.options, got)
		}
		for who, db := range map[string]interface {
			QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
		}{"the writer": s.writer.conn, "a reader": s.readers} {
			var busy string
			if err := db.QueryRowContext(t.Context(), "PRAGMA busy_timeout").Scan(&busy); err != nil || busy != test.busy {
				t.Errorf("%+v: %s waits %s ms for a lock, %v", test.options, who, busy, err)
			}
		}
	}
}

// nextVersion is the schema with one migration more than is known.
func nextVersion(t *testing.T, statement string) fs.FS {
	t.Helper()
	schema := known(t, newest)
	schema[fmt.Sprintf("%05d_next.sql", newest+1)] = &fstest.MapFile{Data: []byte("-- +goose Up\n" + statement + ";\n")}
	return schema
}

// known is the schema as it was at a version.
func known(t *testing.T, version int) fstest.MapFS {
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
	return schema
}

// written is a database of an older version, with what a statement wrote there.
func written(t *testing.T, version int, statement string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "stellwerk.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	provider, err := goose.NewProvider(goose.DialectSQLite3, db, known(t, version), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.Up(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err = db.ExecContext(t.Context(), statement)
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestRunsFromBeforeAreTakenAsLimited: none of them may miss that its project
// has spent what it may.
func TestRunsFromBeforeAreTakenAsLimited(t *testing.T) {
	path := written(t, 3, `INSERT INTO runs
		(id, alias, project_id, title, goal, issue, reason, stage, branch, base, url, isolation, started_at, updated_at)
		VALUES ('r', 'otter', 'p', '', '', '', '', '', '', '', '', '', 1, 1)`)
	if row, err := openAt(t, path, Options{}).Run(t.Context(), "otter"); err != nil || !row.Limited {
		t.Errorf("%+v, %v", row, err)
	}
}

// TestProjectsOfTheFirstVersionAreKept: what a run brought a project to is what
// it stands at after the migration, also once a pause is over.
func TestProjectsOfTheFirstVersionAreKept(t *testing.T) {
	path := written(t, 1, `INSERT INTO projects
		(id, name, repo_url, integration_branch, status, current_epic, last_activity, created_at, created_by, pr_url)
		VALUES ('p', 'shop', '/r', '', 'awaiting_review', 'greet', 1, 1, 'me', '')`)
	s := openAt(t, path, Options{})
	for _, standing := range []store.Standing{{Paused: "holidays"}, {}} {
		standing.Project, standing.Name = "p", "shop"
		want := core.StatusReview
		if standing.Paused != "" {
			want = core.StatusPaused
		}
		if err := s.Commit(t.Context(), store.Commit{Stream: "project/p", Standing: &standing}); err != nil {
			t.Fatal(err)
		}
		if row, err := s.Project(t.Context(), "shop"); err != nil || row.Status != want || row.CurrentEpic != "greet" {
			t.Errorf("%+v, %v, want it %s", row, err, want)
		}
	}
}

// TestTotalsOfBeforeAreMadeTrue: they were those of the moment in which a run that
// drives the project moved on, and nothing where none ever did.
func TestTotalsOfBeforeAreMadeTrue(t *testing.T) {
	path := written(t, 6, `
		INSERT INTO projects (id, name, repo_url, integration_branch, current_epic, last_activity, created_at, created_by, pr_url)
		VALUES ('p', 'shop', '/r', '', '', 1, 1, 'me', ''), ('q', 'empty', '/q', '', '', 1, 1, 'me', '');
		INSERT INTO runs (id, alias, project_id, title, goal, issue, reason, stage, branch, base, url, isolation, cost_usd, started_at, updated_at)
		VALUES ('r', 'otter', 'p', '', '', '', '', '', '', '', '', '', 0.25, 1, 60000000), ('s', 'heron', 'p', '', '', '', '', '', '', '', '', '', 0.5, 1, 2);
		INSERT INTO tasks (run_id, id, addressee, project_id, task_type, status, prompt, repo_url, branch, triggered_by_task_id, created_by, created_at, worker_pod)
		VALUES ('r', '1', '', 'p', '', 'completed', '', '', '', '', '', 1, ''), ('s', '1', '', 'p', '', 'failed', '', '', '', '', '', 1, ''), ('s', '2', '', 'p', '', 'running', '', '', '', '', '', 1, '')`)
	s := openAt(t, path, Options{})
	row, err := s.Project(t.Context(), "shop")
	if err != nil || row.TotalTasks != 3 || row.CompletedTasks != 1 || row.FailedTasks != 1 || row.TotalCostUSD != 0.75 || row.LastActivity.Unix() != 60 {
		t.Errorf("%+v, %v", row, err)
	}
	if row, err := s.Project(t.Context(), "empty"); err != nil || row.TotalTasks != 0 || row.TotalCostUSD != 0 || row.LastActivity.UnixMicro() != 1 {
		t.Errorf("%+v, %v", row, err)
	}
}

// TestRunsOfBeforeThatToldNoCost: where no attempt said what it cost, that is
// known of old runs too.
func TestRunsOfBeforeThatToldNoCost(t *testing.T) {
	path := written(t, 8, `
		INSERT INTO projects (id, name, repo_url, integration_branch, current_epic, last_activity, created_at, created_by, pr_url)
		VALUES ('p', 'shop', '/r', '', '', 1, 1, 'me', '');
		INSERT INTO runs (id, alias, project_id, title, goal, issue, reason, stage, branch, base, url, isolation, attempts, cost_usd, started_at, updated_at)
		VALUES ('r', 'otter', 'p', '', '', '', '', '', '', '', '', '', 3, 0, 1, 1), ('s', 'heron', 'p', '', '', '', '', '', '', '', '', '', 2, 0.5, 1, 2)`)
	s := openAt(t, path, Options{})
	for alias, want := range map[string]int{"otter": 3, "heron": 0} {
		if row, err := s.Run(t.Context(), alias); err != nil || row.Unpriced != want {
			t.Errorf("%s: %+v, %v", alias, row, err)
		}
	}
	if row, err := s.Project(t.Context(), "shop"); err != nil || row.Unpriced != 3 {
		t.Errorf("%+v, %v", row, err)
	}
}

// TestWhatWasSaidBeforeIsInTheFirstConversation: a project of before has one, and
// what was said in it is there.
func TestWhatWasSaidBeforeIsInTheFirstConversation(t *testing.T) {
	path := written(t, 7, `
		INSERT INTO projects (id, name, repo_url, integration_branch, current_epic, last_activity, created_at, created_by, pr_url)
		VALUES ('p', 'shop', '/r', '', '', 1, 1, 'me', '');
		INSERT INTO messages (run_id, seq, event, project_id, kind, voice, who, text, question_id, default_text, at)
		VALUES ('r', 1, 'r#1', 'p', 'message', 'user', 'me', 'hello', '', '', 60000000)`)
	s := openAt(t, path, Options{})
	talks, err := s.Conversations(t.Context(), "p")
	if err != nil || len(talks) != 1 || talks[0].ID != "p" || talks[0].Name != "main" || talks[0].Messages != 1 || talks[0].LastAt.Unix() != 60 {
		t.Errorf("%+v, %v", talks, err)
	}
	said, err := s.Messages(t.Context(), store.MessageFilter{Project: "p", Conversation: "p"})
	if err != nil || len(said) != 1 || said[0].Text != "hello" || said[0].Conversation != "" {
		t.Errorf("%+v, %v", said, err)
	}
}

// TestSlotsOfBefore: attempts under way keep theirs, and runs at work are looked at once, so that those that
// waited get a place in the queue.
func TestSlotsOfBefore(t *testing.T) {
	run := func(id, status string) string {
		return fmt.Sprintf(`INSERT INTO runs
			(id, alias, project_id, title, goal, issue, status, reason, stage, branch, base, url, isolation, started_at, updated_at)
			VALUES ('%s', '%[1]s', 'p', '', '', '', '%s', '', '', '', '', '', '', 1, 1);
			INSERT INTO wakes (stream, wake_seq, done_seq, woken_at, fence, holder, lease_until) VALUES ('run/%[1]s', 1, 1, 1, 1, '', 0);`, id, status)
	}
	path := written(t, 11, run("a", "active")+run("b", "active")+run("c", "paused")+`
		INSERT INTO claims (kind, key, holder, capacity) VALUES
			('branch', 'p:x', 'run/a', 1), ('slot', 'attempts', 'run/a/t.r1.a1', 4), ('slot', 'attempts of project p', 'run/a/t.r1.a1', 2), ('slot', 'managers', 'run/a/m.a1', 4);
		INSERT INTO waiters (kind, key, stream) VALUES ('slot', 'attempts', 'run/b'), ('project', 'p', 'project/p')`)
	s := openAt(t, path, Options{})
	slots, err := s.Slots(t.Context(), "run/a")
	want := []store.SlotRow{
		{Slots: core.Slots{Holder: "run/a/m.a1", Project: "p", Pools: []core.SlotPool{{Key: "managers@local", Limit: 4}}}, Stream: "run/a", Since: fromMicros(0), Held: true},
		{Slots: core.Slots{Holder: "run/a/t.r1.a1", Project: "p", Pools: []core.SlotPool{{Key: "attempts@local", Limit: 4}, {Key: "attempts of project p", Limit: 2}}}, Stream: "run/a", Since: fromMicros(0), Held: true},
	}
	if diff := cmp.Diff(want, slots); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	if claims, err := s.Claims(t.Context()); err != nil || len(claims) != 1 || claims[0].Kind != core.ClaimBranch {
		t.Errorf("claims: %v, %v", claims, err)
	}
	own(t, s, "e", "p")
	hints, err := s.Hints(t.Context(), "e", 9)
	var looked []string
	for _, h := range hints {
		looked = append(looked, h.Stream)
		if err := s.Rest(t.Context(), h); err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(looked)
	if err != nil || !slices.Equal(looked, []string{"run/a", "run/b"}) {
		t.Errorf("looked at are %v, %v", looked, err)
	}
	if err := s.Commit(t.Context(), store.Commit{Stream: "project/p", Of: "p", Acquire: []core.Claim{core.ProjectClaim("p", "a")}}); err != nil {
		t.Fatal(err)
	}
	if err := s.Commit(t.Context(), store.Commit{Stream: "run/a", Of: "p", Release: []core.Claim{core.ProjectClaim("p", "a")}}); err != nil {
		t.Fatal(err)
	}
	if hints, err := s.Hints(t.Context(), "e", 9); err != nil || len(hints) != 1 || hints[0].Stream != "project/p" {
		t.Errorf("who waits for a project is hinted at: %v, %v", hints, err)
	}
}

// TestOwnersOfBefore: what the one engine of before had open is found by the first that comes, and nothing else.
func TestOwnersOfBefore(t *testing.T) {
	run := func(id, project, status string) string {
		return fmt.Sprintf(`INSERT INTO runs
			(id, alias, project_id, title, goal, issue, status, reason, stage, branch, base, url, isolation, started_at, updated_at)
			VALUES ('%s', '%[1]s', '%s', '', '', '', '%s', '', '', '', '', '', '', 1, 1);
			INSERT INTO wakes (stream, wake_seq, done_seq, woken_at, due_at, fence, holder, lease_until) VALUES ('run/%[1]s', 2, 2, 1, 7, 1, 'engine', 9);`, id, project, status)
	}
	s := openAt(t, written(t, 12, run("a", "p", "paused")+run("b", "p", "paused")+run("c", "q", "completed")+`UPDATE wakes SET due_at = NULL;
		INSERT INTO wakes (stream, wake_seq, done_seq, woken_at, fence, holder, lease_until) VALUES ('project/r', 2, 1, 1, 1, 'engine', 9);`), Options{})
	adrift, err := s.Adrift(t.Context(), "", 0)
	want := []store.Owner{{Project: "p", Fence: 1}, {Project: "r"}}
	if diff := cmp.Diff(want, adrift); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	own(t, s, "e", "r")
	if hints, err := s.Hints(t.Context(), "e", 9); err != nil || len(hints) != 1 || hints[0].Stream != "project/r" || hints[0].Seq != 2 {
		t.Errorf("hints are %+v, %v", hints, err)
	}
}

// newest is the version of the newest migration.
const newest = 15

func TestOlderDatabaseIsCopiedThenMigrated(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stellwerk.db")
	old := openAt(t, path, Options{OnMigrate: func(m Migration) { t.Errorf("a new database was migrated: %+v", m) }})
	commit(t, old, "run/a")
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	var told []Migration
	s, err := open(t.Context(), path, Options{OnMigrate: func(m Migration) { told = append(told, m) }},
		nextVersion(t, "CREATE TABLE extra (x TEXT)"))
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, s)
	if len(told) != 1 || told[0].From != newest || told[0].To != newest+1 ||
		!strings.HasPrefix(told[0].Backup, fmt.Sprintf("%s.backup-v%d-", path, newest)) {
		t.Fatalf("told %+v", told)
	}
	if _, err := s.readers.ExecContext(t.Context(), "SELECT x FROM extra"); err != nil {
		t.Errorf("not migrated: %v", err)
	}
	storetest.Equal(t, s, openAt(t, told[0].Backup, Options{}), "run/a")
}

// TestTheFirstDatabasesAreCopied: the oldest schema is worth as much as any other.
func TestTheFirstDatabasesAreCopied(t *testing.T) {
	path := written(t, 1, "SELECT 1")
	var told []Migration
	openAt(t, path, Options{OnMigrate: func(m Migration) { told = append(told, m) }})
	if len(told) != 1 || told[0].From != 1 || told[0].To != newest {
		t.Fatalf("told %+v", told)
	}
	if info, err := os.Stat(told[0].Backup); err != nil || info.Size() == 0 {
		t.Errorf("the copy is %v, %v", info, err)
	}
}

// TestADatabaseBehindALink is the one that the link names.
func TestADatabaseBehindALink(t *testing.T) {
	there := filepath.Join(t.TempDir(), "real.db")
	if err := openAt(t, there, Options{}).Close(); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "stellwerk.db")
	if err := os.Symlink(there, link); err != nil {
		t.Fatal(err)
	}
	s := openAt(t, link, Options{})
	if _, err := s.Now(t.Context()); err != nil {
		t.Errorf("steps are refused: %v", err)
	}
	commit(t, s, "run/a")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	storetest.Equal(t, openAt(t, link, Options{}), openAt(t, there, Options{}), "run/a")
}

func TestFailedMigrationNamesTheCopy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stellwerk.db")
	if err := openAt(t, path, Options{}).Close(); err != nil {
		t.Fatal(err)
	}
	_, err := open(t.Context(), path, Options{}, nextVersion(t, "CREATE TABLE events (x TEXT)"))
	copies, globErr := filepath.Glob(fmt.Sprintf("%s.backup-v%d-*", path, newest))
	if globErr != nil || len(copies) != 1 || !strings.Contains(wording.Hint(err), copies[0]) {
		t.Fatalf("copies %v, error %v, hint %q", copies, err, wording.Hint(err))
	}
	openAt(t, path, Options{}) // and the database is as it was
}

func TestNewerDatabaseIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stellwerk.db")
	newer, err := open(t.Context(), path, Options{}, nextVersion(t, "CREATE TABLE extra (x TEXT)"))
	if err != nil {
		t.Fatal(err)
	}
	if err := newer.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = Open(t.Context(), path, Options{})
	if core.CodeOf(err) != core.CodeUnsupported || !errors.Is(err, store.ErrNewer) {
		t.Fatalf("got %v", err)
	}
	if !strings.Contains(err.Error(), fmt.Sprintf("version %d", newest+1)) || !strings.Contains(err.Error(), fmt.Sprintf("up to %d", newest)) || wording.Hint(err) == "" {
		t.Errorf("message %q, hint %q", err, wording.Hint(err))
	}
}

func TestDatabaseOfAnotherProgramIsLeftAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "other.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, db)
	if _, err := db.ExecContext(t.Context(), "CREATE TABLE customers (x)"); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), path, Options{}); core.CodeOf(err) != core.CodeInvalid {
		t.Fatalf("got %v", err)
	}
}

func TestBackup(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "stellwerk.db"), Options{})
	for range 20 {
		commit(t, s, "run/a")
		commit(t, s, "project/p")
	}
	stop := make(chan struct{})
	writing := make(chan struct{})
	go func() { // in use meanwhile
		defer close(writing)
		for {
			select {
			case <-stop:
				return
			default:
				commit(t, s, "run/busy")
			}
		}
	}()
	path := filepath.Join(t.TempDir(), "copy.db")
	err := s.Backup(t.Context(), path)
	close(stop)
	<-writing
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	twin := openAt(t, path, Options{})
	for _, stream := range []string{"run/a", "project/p"} {
		a, errA := s.Head(t.Context(), stream)
		b, errB := twin.Head(t.Context(), stream)
		if errA != nil || errB != nil || a != b {
			t.Errorf("%s: %+v and %+v, %v %v", stream, a, b, errA, errB)
		}
	}
	still := filepath.Join(t.TempDir(), "still.db")
	if err := s.Backup(t.Context(), still); err != nil {
		t.Fatal(err)
	}
	storetest.Equal(t, s, openAt(t, still, Options{}), "run/a", "project/p", "run/busy")
	if err := s.Backup(t.Context(), still); core.CodeOf(err) != core.CodeConflict {
		t.Errorf("an existing file: %v", err)
	}
	if err := s.Backup(t.Context(), filepath.Join(still, "below")); core.CodeOf(err) != core.CodeUnavailable {
		t.Errorf("a folder that is a file: %v", err)
	}
	none := filepath.Join(t.TempDir(), "none", "copy.db")
	if err := s.Backup(t.Context(), none); core.CodeOf(err) != core.CodeUnavailable || !strings.Contains(err.Error(), "backup cannot be written") || strings.Contains(err.Error(), s.path) {
		t.Errorf("a folder that is not there: %v, want it said of the backup", err)
	}
}

// TestClockSetBack finds what was committed before the clock was set back.
func TestClockSetBack(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s := openAt(t, filepath.Join(t.TempDir(), "stellwerk.db"), Options{Clock: func() time.Time { return now }})
	commit(t, s, "run/a")
	now = now.Add(-24 * time.Hour)
	commit(t, s, "run/b")
	own(t, s, "e")
	hints, err := s.Hints(t.Context(), "e", 10)
	if err != nil || len(hints) != 2 {
		t.Fatalf("hints are %+v, %v", hints, err)
	}
	now = now.Add(time.Minute)
	own(t, s, "f")
	hints, err = s.Hints(t.Context(), "f", 10)
	if err != nil || len(hints) != 2 || hints[0].Fence != 2 {
		t.Fatalf("when the lease has run out: %+v, %v", hints, err)
	}
}

// own makes an engine the owner of a project, of "" if none is named, for a minute.
func own(t testing.TB, s *Store, engine string, project ...string) {
	t.Helper()
	_, err := s.Enlist(t.Context(), store.Engine{ID: engine}, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if taken, err := s.Take(t.Context(), engine, time.Minute, append(project, make([]string, 1-len(project))...)); err != nil || len(taken) != 1 {
		t.Fatalf("%s took %+v, %v", engine, taken, err)
	}
}

func commit(t testing.TB, s *Store, stream string) core.Head {
	t.Helper()
	head, err := s.Head(t.Context(), stream)
	if err != nil {
		t.Errorf("head: %v", err)
		return head
	}
	c, head := next(t, s, stream, head)
	if err := s.Commit(t.Context(), c); err != nil {
		t.Errorf("commit: %v", err)
	}
	return head
}

func next(t testing.TB, s *Store, stream string, head core.Head) (store.Commit, core.Head) {
	t.Helper()
	e, after, err := core.Seal(stream, head, s.now(), core.Engine(), "", core.TimerFired{Timer: "t"})
	if err != nil {
		t.Errorf("seal: %v", err)
	}
	return store.Commit{Stream: stream, After: head.Seq, Events: []core.Event{e}}, after
}

// TestOnlyLooksAreLazy sees that an event waits for the disk, before and after
// a look that does not, and that no look does without being allowed to.
func TestOnlyLooksAreLazy(t *testing.T) {
	for lazy, want := range map[bool]string{false: "2", true: "1"} {
		s := openAt(t, filepath.Join(t.TempDir(), "stellwerk.db"), Options{LazyLooks: lazy})
		synchronous := func() (mode string) {
			if err := s.writer.conn.QueryRowContext(t.Context(), "PRAGMA synchronous").Scan(&mode); err != nil {
				t.Fatal(err)
			}
			return mode
		}
		for range 2 {
			commit(t, s, "run/a")
			if got := synchronous(); got != "2" {
				t.Fatalf("an event was committed with synchronous=%s", got)
			}
			own(t, s, "e")
			if got := synchronous(); got != want {
				t.Fatalf("lazy %v: a project was taken with synchronous=%s", lazy, got)
			}
		}
	}
}

// TestALookBesideAnEventIsNotLazy: writes that share a transaction wait for the disk if one of them has to, in whatever
// order they came.
func TestALookBesideAnEventIsNotLazy(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "stellwerk.db"), Options{LazyLooks: true})
	look, event := &write{lazy: true}, &write{}
	for _, batch := range [][]*write{{look, event}, {event, look}, {look, event, look}, {event}} {
		if err := s.writer.pace(t.Context(), []*write{look}); err != nil || !s.writer.lazy {
			t.Fatalf("a look alone waits for the disk: %v", err)
		}
		if err := s.writer.pace(t.Context(), batch); err != nil || s.writer.lazy {
			t.Errorf("a transaction of %d with an event in it does not wait for the disk: %v", len(batch), err)
		}
	}
}

// TestAPatchReleaseCounts: the faults of write-ahead logs were mended in one.
func TestAPatchReleaseCounts(t *testing.T) {
	for text, want := range map[string][]int{"3.51.3": {3, 51, 3}, "3.9.10": {3, 9, 10}} {
		if got, err := parseVersion(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s is %v, %v", text, got, err)
		}
	}
	if got, err := parseVersion("3.51"); err == nil {
		t.Errorf("half a version is %v", got)
	}
}
