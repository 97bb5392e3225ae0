package postgres

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/pg/pgtest"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// opened is a store on a database of its own, and the database's address.
func opened(t *testing.T) (*Store, string) {
	t.Helper()
	address := pgtest.Planted(t, "empty", fill)
	return openAt(t, address), address
}

func openAt(t *testing.T, address string) *Store {
	t.Helper()
	s, err := Open(t.Context(), address, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// tick is a commit of one small event after a head.
func tick(t *testing.T, s *Store, stream string, head core.Head) store.Commit {
	t.Helper()
	now, err := s.Now(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	e, _, err := core.Seal(stream, head, now, core.Engine(), "", core.TimerFired{Timer: fmt.Sprint(head.Seq)})
	if err != nil {
		t.Fatal(err)
	}
	return storeCommit(stream, head.Seq, e)
}

func storeCommit(stream string, after int64, e core.Event) store.Commit {
	return store.Commit{Stream: stream, Of: "p", After: after, Events: []core.Event{e}}
}

// TestAnAnswerThatIsLost: a commit that was carried out is not refused, and is there once.
func TestAnAnswerThatIsLost(t *testing.T) {
	direct, address := opened(t)
	network, through := pgtest.Through(t, address)
	s := openAt(t, through)
	s.listen() // so that the next answer is that to the commit, on a connection that knows its statement
	if err := s.Commit(t.Context(), tick(t, s, "run/before", core.Head{})); err != nil {
		t.Fatal(err)
	}
	c := tick(t, s, "run/a", core.Head{})
	network.CutAtAnswer(1)
	if err := s.Commit(t.Context(), c); err != nil {
		t.Error(err)
	}
	events, err := direct.Events(t.Context(), "run/a", 0, 0)
	if lost := network.Swallowed(); err != nil || len(events) != 1 || !lost {
		t.Errorf("%d events, the answer was lost: %t, %v", len(events), lost, err)
	}
	other := tick(t, s, "run/a", core.Head{}) // somebody else's event in the same place
	other.Events[0].Cause = "another"
	network.CutAtAnswer(1)
	if err := s.Commit(t.Context(), other); !errors.Is(err, store.ErrStale) {
		t.Errorf("another commit to the same place: %v", err)
	}
}

// TestAWriteThatCannotBeKept fails alone: those that shared its call do not.
func TestAWriteThatCannotBeKept(t *testing.T) {
	s, _ := opened(t)
	var batch []*write
	for _, stream := range []string{"run/a", "run/\x00", "run/b"} {
		c := tick(t, s, stream, core.Head{})
		rows, err := c.EventRows()
		if err != nil {
			t.Fatal(err)
		}
		r, err := newWrite(t.Context(), commit{c, rows}, false)
		if err != nil {
			t.Fatal(err)
		}
		batch = append(batch, r)
	}
	s.writer.run(batch)
	for i, r := range batch {
		if err := <-r.result; (err != nil) != (i == 1) {
			t.Errorf("write %d: %v", i, err)
		}
	}
	if at, err := s.Position(t.Context()); at != 2 || err != nil {
		t.Errorf("the store stands at %d, %v", at, err)
	}
}
