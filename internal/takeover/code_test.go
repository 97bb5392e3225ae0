package takeover_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/takeover"
)

// oneProject is a store with a run of one project.
type oneProject struct{ documents }

func (oneProject) Runs(context.Context, store.Filter) ([]store.RunRow, error) {
	return []store.RunRow{{ID: "r1", Project: "p1"}, {ID: "r2", Project: "p1"}}, nil
}

// TestTheYardsOfEachFolderArePackedOnce: those of a second one come to a store that has those of another, and a yard that could
// not be read is tried again.
func TestTheYardsOfEachFolderArePackedOnce(t *testing.T) {
	db := oneProject{newFolder(t).db}
	var packed []string
	var failure error
	start := func(engine string) {
		t.Helper()
		must(t, takeover.Code(t.Context(), takeover.CodeOptions{
			Engine: engine, Store: db, Log: slog.New(slog.DiscardHandler),
			Secure: func(_ context.Context, project string, here bool) error {
				if here {
					t.Error("what a repository stands for was packed")
				}
				packed = append(packed, engine+" "+project)
				return failure
			},
		}))
	}
	failure = errors.New("the yard is damaged")
	start("first")
	failure = nil
	for range 2 {
		start("first")
		start("second")
	}
	if want := []string{"first p1", "first p1", "second p1"}; !slices.Equal(packed, want) {
		t.Errorf("packed were %q, not %q", packed, want)
	}
}
