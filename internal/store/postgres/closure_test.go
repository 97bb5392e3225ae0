package postgres

import (
	"errors"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/pg/pgtest"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// TestAClosedDatabaseIsNotOpened: whoever wants to work on it is told why, and what to do; who says that it may be closed opens it.
func TestAClosedDatabaseIsNotOpened(t *testing.T) {
	address := pgtest.Planted(t, "empty", fill)
	was := store.Closure{}
	for _, reason := range []store.ClosureReason{store.Filling, store.Leaving, store.Left, "something new"} {
		s, err := Open(t.Context(), address, Options{Closed: true})
		if err != nil {
			t.Fatal(err)
		}
		now := store.Closure{Reason: reason, Other: "/state"}
		if err := errors.Join(s.SetClosure(t.Context(), was, now), s.Close()); err != nil {
			t.Fatal(err)
		}
		was = now
		_, err = Open(t.Context(), address, Options{})
		if !errors.Is(err, store.ErrClosed) || core.AdviceOf(err).Hint == "" || reason != "something new" && !strings.Contains(err.Error(), "/state") {
			t.Errorf("open one that is %s: %v", reason, err)
		}
	}
}
