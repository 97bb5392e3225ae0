package takeover

import (
	"context"
	"errors"
	"log/slog"

	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// yardsPiece is the piece whose mark says that the code of an engine's yards is among the objects.
const yardsPiece = "yards"

// CodeOptions say whose code is taken over.
type CodeOptions struct {
	Engine string // whose yards they are
	Store  interface {
		store.Documents
		Runs(ctx context.Context, f store.Filter) ([]store.RunRow, error)
	}
	// Secure packs what of a project's code is in its yard only.
	Secure func(ctx context.Context, project string, here bool) error
	Log    *slog.Logger
}

// Code packs, once, the commits that an earlier version kept in yards only. The yards stay: they are caches from then on. A
// project whose yard cannot be read is named in the log and tried again at the next start.
func Code(ctx context.Context, o CodeOptions) error {
	mark := markOf(o.Engine, yardsPiece)
	_, err := o.Store.Document(ctx, kind, mark)
	if err == nil || !errors.Is(err, store.ErrNotFound) {
		return err
	}
	runs, err := o.Store.Runs(ctx, store.Filter{})
	if err != nil {
		return err
	}
	whole, seen := true, map[string]bool{}
	for _, run := range runs {
		if seen[run.Project] {
			continue
		}
		seen[run.Project] = true
		if err := o.Secure(ctx, run.Project, false); err != nil {
			whole = false
			o.Log.Error("what an earlier version left in a yard could not be packed; keep the yard", "project", run.Project, "error", err)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	if !whole {
		return nil
	}
	_, err = o.Store.PutDocument(ctx, store.Document{Kind: kind, Key: mark})
	if errors.Is(err, store.ErrStale) {
		return nil
	}
	return err
}
