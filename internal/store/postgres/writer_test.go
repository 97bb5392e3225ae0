package postgres

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// TestCommitsThatWaitShareATransaction of the server's, and so one flush.
func TestCommitsThatWaitShareATransaction(t *testing.T) {
	s, address := opened(t)
	blocker := connect(t, address)
	if _, err := blocker.Exec(t.Context(), "BEGIN; SELECT FROM ledger FOR UPDATE"); err != nil {
		t.Fatal(err)
	}
	answers := []<-chan error{commitBesides(t, s, "run/first")}
	if !waittest.Until(func() bool {
		var waits bool
		err := blocker.QueryRow(t.Context(), "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')").Scan(&waits)
		return err == nil && waits
	}) {
		t.Fatal("the first commit does not wait for the ledger")
	}
	const more = 40
	for n := range more {
		answers = append(answers, commitBesides(t, s, fmt.Sprint("run/", n)))
	}
	if !waittest.Until(func() bool { return len(s.writer.queue) == more }) {
		t.Fatalf("%d commits wait", len(s.writer.queue))
	}
	if _, err := blocker.Exec(t.Context(), "COMMIT"); err != nil {
		t.Fatal(err)
	}
	for _, answer := range answers {
		if err := <-answer; err != nil {
			t.Error(err)
		}
	}
	var events, transactions, heads int
	if err := blocker.QueryRow(t.Context(), "SELECT count(*), count(DISTINCT xmin::text), (SELECT count(DISTINCT xmin::text) FROM heads) FROM events").Scan(&events, &transactions, &heads); err != nil {
		t.Fatal(err)
	}
	if events != 1+more || transactions != 2 || heads != 2 {
		t.Errorf("%d events were written in %d transactions, and their heads in %d; expected are %d, 2 and 2", events, transactions, heads, 1+more)
	}
}

// TestASnapshotThatIsKept by somebody does not have commits leave behind rows that later ones pass.
func TestASnapshotThatIsKept(t *testing.T) {
	s, address := opened(t)
	reader := connect(t, address)
	where := func() (at string, pages int) {
		t.Helper()
		if err := s.pool.QueryRow(t.Context(), "SELECT ctid::text, pg_relation_size('ledger') / current_setting('block_size')::int FROM ledger").Scan(&at, &pages); err != nil {
			t.Fatal(err)
		}
		return at, pages
	}
	began, _ := where()
	if _, err := reader.Exec(t.Context(), "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM ledger"); err != nil {
		t.Fatal(err)
	}
	for n := range 5 {
		if err := s.Commit(t.Context(), tick(t, s, fmt.Sprint("run/", n), core.Head{})); err != nil {
			t.Fatal(err)
		}
	}
	if at, pages := where(); at != began || pages != 1 {
		t.Errorf("the ledger's row is at %s of %d pages, it was at %s", at, pages, began)
	}
	if at, err := s.Position(t.Context()); at != 5 || err != nil {
		t.Errorf("the position is %d: %v", at, err)
	}
	kept, err := s.OldestSnapshot(t.Context(), 5)
	by := fmt.Sprintf("connection %d of stellwerk (unnamed)", reader.PgConn().PID())
	if err != nil || kept == nil || kept.By != by || kept.Transactions < 5 {
		t.Errorf("%+v, %v", kept, err)
	}
	if _, err := reader.Exec(t.Context(), "COMMIT"); err != nil {
		t.Fatal(err)
	}
	if kept, err := s.OldestSnapshot(t.Context(), 5); err != nil || kept != nil {
		t.Errorf("%+v is kept, %v", kept, err)
	}
}

// TestEndsOfLooksGoAlong with what somebody waits for, few at a time, and none is forgotten.
func TestEndsOfLooksGoAlong(t *testing.T) {
	fresh := func(n int, lazy bool) []*write {
		list := make([]*write, n)
		for i := range list {
			var err error
			if list[i], err = newWrite(t.Context(), small{fields: fields{"n": i}}, lazy); err != nil {
				t.Fatal(err)
			}
		}
		return list
	}
	w := &writer{queue: make(chan *write, maxBatch), rests: make(chan *write, 3*maxRests)}
	commits, rests := fresh(maxBatch, false), fresh(3*maxRests, true)
	for _, r := range slices.Concat(commits, rests) {
		if err := w.enqueue(r); err != nil {
			t.Fatal(err)
		}
	}
	if got := w.gather(<-w.queue); !slices.Equal(got, slices.Concat(commits, rests[:maxRests])) {
		t.Errorf("%d go with the first call", len(got))
	}
	late := fresh(1, false)
	if err := w.enqueue(late[0]); err != nil {
		t.Fatal(err)
	}
	first := <-w.rests // as it may happen: one of them was there before
	if got := w.gather(first); len(got) != 2+maxRests || got[0] != first || got[1] != late[0] {
		t.Errorf("%d go with the second call", len(got))
	}
	if got := w.gather(<-w.rests); !slices.Equal(got, rests[2*maxRests+1:]) {
		t.Errorf("%d go with the last call", len(got))
	}
}
