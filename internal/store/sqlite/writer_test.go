package sqlite

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/query"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// queued has writes wait behind one that is under way until the returned function lets it end. The writes leave a row
// each under their number.
func queued(t *testing.T, s *Store, n int) (writes []*write, release func()) {
	t.Helper()
	started, held := make(chan struct{}), make(chan struct{})
	first := &write{ctx: t.Context(), result: make(chan error, 1), do: func(context.Context, *txn) error {
		close(started)
		<-held
		return nil
	}}
	if err := s.writer.enqueue(first); err != nil {
		t.Fatal(err)
	}
	<-started
	for i := range n {
		writes = append(writes, &write{ctx: t.Context(), result: make(chan error, 1), do: func(ctx context.Context, tx *txn) error {
			return tx.AppendEvent(ctx, query.AppendEventParams{Stream: "s", Seq: int64(1000 - i), ID: fmt.Sprintf("%03d", i), Actor: "{}", Body: []byte("{}")})
		}})
	}
	return writes, func() {
		t.Helper()
		close(held)
		if err := <-first.result; err != nil {
			t.Error(err)
		}
	}
}

func enqueue(t *testing.T, s *Store, writes ...*write) {
	t.Helper()
	for _, w := range writes {
		if err := s.writer.enqueue(w); err != nil {
			t.Fatal(err)
		}
	}
}

// rows are what writes left, in the order in which they were made.
func rows(t *testing.T, s *Store) string {
	t.Helper()
	var all string
	if err := s.readers.QueryRowContext(t.Context(), "SELECT group_concat(id, ' ' ORDER BY rowid) FROM events").Scan(&all); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestWritesAreMadeInTheirOrder, however many wait, and whether they are made together or, since one was refused, apart.
func TestWritesAreMadeInTheirOrder(t *testing.T) {
	t.Parallel()
	for _, refused := range []int{-1, 0, 7, 29} {
		s := openAt(t, filepath.Join(t.TempDir(), "stellwerk.db"), Options{})
		writes, release := queued(t, s, 30)
		refusal := errors.New("refused")
		var want []string
		for i := range writes {
			if i == refused {
				writes[i].do = func(context.Context, *txn) error { return refusal }
				continue
			}
			want = append(want, fmt.Sprintf("%03d", i))
		}
		enqueue(t, s, writes...)
		release()
		for i, w := range writes {
			if err := <-w.result; (i == refused) != errors.Is(err, refusal) || i != refused && err != nil {
				t.Errorf("write %d, of which %d is refused: %v", i, refused, err)
			}
		}
		if got := rows(t, s); got != strings.Join(want, " ") {
			t.Errorf("write %d is refused: %s", refused, got)
		}
	}
}

// TestWritesThatWaitShareATransaction: as many as may.
func TestWritesThatWaitShareATransaction(t *testing.T) {
	t.Parallel()
	s := openAt(t, filepath.Join(t.TempDir(), "stellwerk.db"), Options{})
	writes, release := queued(t, s, maxBatch)
	transactions := map[*txn]int{}
	for _, w := range writes {
		w.do = func(_ context.Context, tx *txn) error {
			transactions[tx]++ // only the writer's own goroutine calls it
			return nil
		}
	}
	enqueue(t, s, writes...)
	release()
	for i, w := range writes {
		if err := <-w.result; err != nil {
			t.Errorf("write %d: %v", i, err)
		}
	}
	if len(transactions) != 1 {
		t.Errorf("%d writes were made in %d transactions", maxBatch, len(transactions))
	}
}

// TestARefusalBesideAFailure: what the database fails at is told to who wrote it, though the batch is made again for one
// that was refused before it.
func TestARefusalBesideAFailure(t *testing.T) {
	t.Parallel()
	s := openAt(t, filepath.Join(t.TempDir(), "stellwerk.db"), Options{})
	writes, release := queued(t, s, 4)
	refusal := errors.New("refused")
	writes[0].do = func(context.Context, *txn) error { return refusal }
	writes[2].do = func(ctx context.Context, _ *txn) error {
		_, err := s.writer.conn.ExecContext(ctx, "INSERT INTO none VALUES (1)")
		return err
	}
	enqueue(t, s, writes...)
	release()
	for i, says := range []string{"refused", "", "no such table", ""} {
		if err := <-writes[i].result; says == "" && err != nil || says != "" && (err == nil || !strings.Contains(err.Error(), says)) {
			t.Errorf("write %d: %v, want %q", i, err, says)
		}
	}
	if got := rows(t, s); got != "001 003" {
		t.Errorf("kept: %s", got)
	}
}

// TestClosingWaitsForWhatWaits: a write that was taken is made, one that comes later is refused.
func TestClosingWaitsForWhatWaits(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "stellwerk.db")
	s, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	writes, release := queued(t, s, 5)
	enqueue(t, s, writes...)
	ended := make(chan error, 1)
	go func() { ended <- s.Close() }()
	release()
	for i, w := range writes {
		if err := <-w.result; err != nil {
			t.Errorf("write %d: %v", i, err)
		}
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := s.Remember(t.Context(), "k", nil); core.CodeOf(err) != core.CodeUnavailable || !strings.Contains(err.Error(), "closed") {
		t.Errorf("a write after the end: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("closed again: %v", err)
	}
	if got := rows(t, openAt(t, path, Options{})); got != "000 001 002 003 004" {
		t.Errorf("kept: %s", got)
	}
}

// TestAWriteThatIsGivenUpWhileItWaits is not made, and those around it are.
func TestAWriteThatIsGivenUpWhileItWaits(t *testing.T) {
	t.Parallel()
	s := openAt(t, filepath.Join(t.TempDir(), "stellwerk.db"), Options{})
	writes, release := queued(t, s, 3)
	ctx, cancel := context.WithCancel(t.Context())
	writes[1].ctx = ctx
	enqueue(t, s, writes...)
	cancel()
	release()
	for i, w := range writes {
		if err := <-w.result; (i == 1) != errors.Is(err, context.Canceled) || i != 1 && err != nil {
			t.Errorf("write %d: %v", i, err)
		}
	}
	if got := rows(t, s); got != "000 002" {
		t.Errorf("made: %s", got)
	}
}

// TestACommitThatFails: a transaction that the database takes no end of is given up. Who was in it is told, or tried
// again alone, and the next write finds no transaction open.
func TestACommitThatFails(t *testing.T) {
	t.Parallel()
	s := openAt(t, filepath.Join(t.TempDir(), "stellwerk.db"), Options{})
	otherwise(t, s, "CREATE TABLE parent (id INTEGER PRIMARY KEY); CREATE TABLE child (id INTEGER REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED)")
	orphan := func(ctx context.Context, _ *txn) error {
		_, err := s.writer.conn.ExecContext(ctx, "INSERT INTO child VALUES (1)")
		return err
	}
	if err := s.writer.commit(t.Context(), orphan); err == nil || !strings.Contains(err.Error(), "FOREIGN KEY") {
		t.Errorf("alone: %v", err)
	}
	commit(t, s, "run/a")
	if err := amongOthers(t, s, orphan); err == nil || !strings.Contains(err.Error(), "FOREIGN KEY") {
		t.Errorf("among others: %v", err)
	}
	commit(t, s, "run/a")
}

// TestSignals: whoever waits for a signal hears of what they did not bring about themselves, and of nothing else.
func TestSignals(t *testing.T) {
	t.Parallel()
	s := openAt(t, filepath.Join(t.TempDir(), "stellwerk.db"), Options{})
	select {
	case <-s.Signals():
	default:
		t.Error("no signal of hints of an earlier life")
	}
	head := commit(t, s, "run/a")
	soon := s.now().Add(time.Hour)
	for _, tt := range []struct {
		name                       string
		event, due, attended, want bool
	}{
		{"an event", true, false, false, true}, {"a time", false, true, false, true}, {"both", true, true, false, true},
		{"neither", false, false, false, false}, {"an event that is attended", true, false, true, false}, {"both, attended", true, true, true, false},
	} {
		c, after := next(t, s, "run/a", head)
		if !tt.event {
			c.Events, after = nil, head
		}
		if tt.due {
			c.DueAt = &soon
		}
		c.Attended = tt.attended
		c.Spends, c.Run = true, &store.RunRow{ID: "a", Project: "p", Status: "active", StartedAt: s.now(), UpdatedAt: s.now()} // beside nobody
		select {                                                                                                               // of before
		case <-s.Signals():
		default:
		}
		if err := s.Commit(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		head = after
		signalled := false
		select {
		case <-s.Signals():
			signalled = true
		default:
		}
		if signalled != tt.want {
			t.Errorf("%s: signalled %v", tt.name, signalled)
		}
	}
}

// TestAHintIsNotLostBesideALookThatEnds: the end of a look in the same transaction says nothing about others.
func TestAHintIsNotLostBesideALookThatEnds(t *testing.T) {
	t.Parallel()
	s := openAt(t, filepath.Join(t.TempDir(), "stellwerk.db"), Options{})
	commit(t, s, "run/a")
	own(t, s, "e")
	held, err := s.Hints(t.Context(), "e", 1)
	if err != nil || len(held) != 1 {
		t.Fatalf("claimed %+v, %v", held, err)
	}
	select { // of before
	case <-s.Signals():
	default:
	}
	c, _ := next(t, s, "run/b", core.Head{})
	_, release := queued(t, s, 0)
	done := make(chan error, 2)
	for i, write := range []func() error{
		func() error { return s.Commit(t.Context(), c) },
		func() error { return s.Rest(t.Context(), held[0]) },
	} {
		go func() { done <- write() }()
		if !waittest.Until(func() bool { return len(s.writer.queue) == i+1 }) {
			t.Fatal("a write does not wait")
		}
	}
	release()
	if err := errors.Join(<-done, <-done); err != nil {
		t.Fatal(err)
	}
	select {
	case <-s.Signals():
	default:
		t.Error("nobody hears of the event")
	}
}
