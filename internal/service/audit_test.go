package service

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/audit"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/sqlitetest"
)

// oneByOne is a store that lists no runs.
type oneByOne struct{ store.Store }

func (oneByOne) Runs(context.Context, store.Filter) ([]store.RunRow, error) {
	return nil, errors.New("all runs were asked for")
}

// TestAnExportAsksRunByRun whose stream it is, by the run's id alone.
func TestAnExportAsksRunByRun(t *testing.T) {
	db := sqlitetest.New(t)
	row := store.RunRow{ID: "r", Alias: "brisk", Project: "p", Status: core.StatusActive, StartedAt: time.Unix(1, 0), UpdatedAt: time.Unix(1, 0)}
	if err := db.Commit(t.Context(), store.Commit{Stream: core.RunStream("r"), Of: "p", Run: &row}); err != nil {
		t.Fatal(err)
	}
	a := &Service{store: oneByOne{db}}
	for stream, want := range map[string]audit.Place{
		core.RunStream("r"):     {Project: "p", Run: "r", Alias: "brisk"},
		core.RunStream("brisk"): {},
		core.RunStream("lost"):  {},
		core.ProjectStream("p"): {Project: "p"},
	} {
		if at, err := a.placed(t.Context(), stream); err != nil || at != want {
			t.Errorf("%s is of %+v, %v, want %+v", stream, at, err, want)
		}
	}
}
