package postgres

import (
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// TestNothingIsDueBeforeItsTime by the time that the engine is told, although the database's own clock is ahead of that by as long as
// its last answer took: an engine that looked too early would take the time for told.
func TestNothingIsDueBeforeItsTime(t *testing.T) {
	s, _ := opened(t)
	if _, err := s.Enlist(t.Context(), store.Engine{ID: "e"}, waittest.Limit); err != nil {
		t.Fatal(err)
	}
	now, err := s.Now(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	due := now.Add(-time.Minute) // by the database's clock it is over
	c := tick(t, s, "run/a", core.Head{})
	c.DueAt = &due
	if err := s.Commit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Take(t.Context(), "e", waittest.Limit, []string{"p"}); err != nil {
		t.Fatal(err)
	}
	for said, want := range map[time.Time]bool{now.Add(-time.Hour): false, now: true} {
		s.clock.mu.Lock()
		s.clock.told, s.clock.at, s.clock.last = said, time.Now(), said // as an answer that took long
		s.clock.mu.Unlock()
		hints, err := s.Hints(t.Context(), "e", 0)
		if err != nil || len(hints) != 1 || (hints[0].DueSeq > 0) != want {
			t.Errorf("at %s: %+v, %v", said, hints, err)
		}
	}
}
