package sqlite

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// TestAClosedDatabaseIsNotOpened: whoever wants to work on it is told why, and what to do; who says that it may be closed opens it.
func TestAClosedDatabaseIsNotOpened(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stellwerk.db")
	was := store.Closure{}
	for _, reason := range []store.ClosureReason{store.Filling, store.Leaving, store.Left, "something new"} {
		s, err := Open(t.Context(), path, Options{Closed: true})
		must(t, err)
		now := store.Closure{Reason: reason, Other: "postgres://db"}
		must(t, s.SetClosure(t.Context(), was, now))
		must(t, s.Close())
		was = now
		for name, err := range map[string]error{"open": opened(t, path), "examine": Examine(t.Context(), path)} {
			if !errors.Is(err, store.ErrClosed) || core.AdviceOf(err).Hint == "" || reason != "something new" && !strings.Contains(err.Error(), "postgres://db") {
				t.Errorf("%s one that is %s: %v", name, reason, err)
			}
		}
	}
}

func opened(t *testing.T, path string) error {
	t.Helper()
	s, err := Open(t.Context(), path, Options{})
	if err == nil {
		closed(t, s)
	}
	return err
}
