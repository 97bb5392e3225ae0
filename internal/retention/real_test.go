package retention

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite"
)

// database puts the estate's events into a real database, which is asked from now on.
func (e *estate) database(others ...store.RunRow) {
	e.t.Helper()
	db, err := sqlite.Open(e.t.Context(), filepath.Join(e.State, "stellwerk.db"), sqlite.Options{})
	must(e.t, err)
	e.t.Cleanup(func() { must(e.t, db.Close()) })
	for _, row := range append(others, e.row) {
		row.Status, row.StartedAt, row.UpdatedAt = core.StatusActive, time.Now(), time.Now()
		if row.EndedAt != nil {
			row.Status = core.StatusCompleted
		}
		e.commit(db, core.RunStream(row.ID), &row)
	}
	e.commit(db, core.ProjectStream("p1"), nil)
	e.Store = db
}

// commit brings the bodies of a stream into a database.
func (e *estate) commit(db store.Store, stream string, row *store.RunRow) {
	e.t.Helper()
	c := store.Commit{Stream: stream, Run: row}
	head := core.Head{}
	for _, body := range e.bodies(stream) {
		ev, next, err := core.Seal(stream, head, time.Now(), core.Engine(), "", body)
		must(e.t, err)
		c.Events, head = append(c.Events, ev), next
	}
	if row == nil {
		c.Project = &store.ProjectRow{ID: "p1", Name: "shop"}
	}
	must(e.t, db.Commit(e.t.Context(), c))
}

// TestADatabaseIsAsked: what it says of runs and projects decides, also of one that goes on beside the run that is over.
func TestADatabaseIsAsked(t *testing.T) {
	beside := store.RunRow{ID: "0197", Alias: "calm-newt", Project: "p1", Branch: "feature/y"}
	orphaned := func(e *estate) []string { return []string{"object " + e.orphan} }
	for name, c := range map[string]struct {
		change func(*estate)
		others []store.RunRow
		stays  func(*estate) []string
	}{
		"everything goes": {stays: func(*estate) []string { return nil }},
		"another run speaks of an object": {func(e *estate) {
			e.others = map[string][]core.Body{beside.ID: {core.AttemptStarted{Attempt: "plan.r1.a1", Prompt: e.orphan}}}
		}, []store.RunRow{beside}, orphaned},
		"the project speaks of an object": {func(e *estate) { e.project = []core.Body{core.ContentTrusted{Hash: e.orphan}} }, nil, orphaned},
		"the run goes on": {func(e *estate) { e.row.EndedAt = nil }, nil, func(e *estate) []string {
			return slices.DeleteFunc(e.everything(), func(what string) bool { return what == "object "+e.orphan })
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEstate(t)
			e.project = []core.Body{core.ContentTrusted{Hash: "x"}}
			if c.change != nil {
				c.change(e)
			}
			e.database(c.others...)
			e.prune(e.request())
			if there, want := e.there(), c.stays(e); !slices.Equal(there, want) {
				t.Errorf("left are %q, not %q", there, want)
			}
		})
	}
}

// TestALinkGoesAndNotWhereItLeads: a person may have put a folder on another disk.
func TestALinkGoesAndNotWhereItLeads(t *testing.T) {
	t.Parallel()
	e := newEstate(t)
	elsewhere := t.TempDir()
	for _, dir := range []string{e.work, filepath.Dir(e.transcript)} {
		moved := filepath.Join(elsewhere, filepath.Base(filepath.Dir(dir)), filepath.Base(dir))
		must(t, os.MkdirAll(filepath.Dir(moved), 0o700))
		must(t, os.Rename(dir, moved))
		must(t, os.Symlink(moved, dir))
	}
	e.prune(e.request())
	if there := e.there(); len(there) > 0 {
		t.Errorf("left are %q", there)
	}
	for _, file := range []string{"work/" + theRun + "/left", theRun + "/" + theAttempt + "/out.jsonl"} {
		if _, err := os.Stat(filepath.Join(elsewhere, file)); err != nil {
			t.Error(err)
		}
	}
}

// TestClocksThatRanAhead: what seems to come from the future is young.
func TestClocksThatRanAhead(t *testing.T) {
	t.Parallel()
	e := newEstate(t)
	ahead := time.Now().Add(24 * time.Hour)
	must(t, os.Chtimes(e.stored(e.orphan), ahead, ahead))
	e.row.EndedAt = &ahead
	req := e.request()
	req.Before = time.Now()
	if gone, _ := e.prune(req); len(gone) > 0 || !slices.Equal(e.there(), e.everything()) {
		t.Errorf("gone are %q", gone)
	}
}
