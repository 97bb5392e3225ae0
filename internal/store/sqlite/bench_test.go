package sqlite

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// BenchmarkBare is the yardstick: one INSERT in a transaction of its own, with
// the settings of the store.
func BenchmarkBare(b *testing.B) {
	db, err := sql.Open("sqlite", dataSource(filepath.Join(b.TempDir(), "bare.db"), time.Second, false))
	if err != nil {
		b.Fatal(err)
	}
	defer closed(b, db)
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("CREATE TABLE t (id INTEGER PRIMARY KEY, body BLOB)"); err != nil {
		b.Fatal(err)
	}
	insert, err := db.Prepare("INSERT INTO t (body) VALUES (?)") //nolint:sqlclosecheck // closed does it
	if err != nil {
		b.Fatal(err)
	}
	defer closed(b, insert)
	body := make([]byte, 300)
	for b.Loop() {
		if _, err := insert.Exec(body); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "commits/s")
}

// BenchmarkCommit is one commit by itself: the event and its hint alone, and
// with claim, projection and a snapshot of 4 kB.
func BenchmarkCommit(b *testing.B) {
	b.Run("event", func(b *testing.B) {
		commits(b, func(s *Store, head core.Head) core.Head {
			c, after := next(b, s, "run/a", head)
			if err := s.Commit(b.Context(), c); err != nil {
				b.Fatal(err)
			}
			return after
		})
	})
	b.Run("step", func(b *testing.B) {
		commits(b, func(s *Store, head core.Head) core.Head { return step(b, s, "run/a", head) })
	})
}

func commits(b *testing.B, one func(*Store, core.Head) core.Head) {
	s := openAt(b, filepath.Join(b.TempDir(), "stellwerk.db"), Options{})
	head := core.Head{}
	for b.Loop() {
		head = one(s, head)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "commits/s")
}

// BenchmarkSteps has 100 runs at once, each committing, looking and resting.
func BenchmarkSteps(b *testing.B) {
	for name, o := range map[string]Options{"durable": {}, "lazy": {LazyLooks: true}} {
		b.Run(name, func(b *testing.B) { steps(b, openAt(b, filepath.Join(b.TempDir(), "stellwerk.db"), o)) })
	}
}

func steps(b *testing.B, s *Store) {
	own(b, s, "e")
	var left, id atomic.Int64
	left.Store(int64(b.N))
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() {
			stream, head := fmt.Sprintf("run/%d", id.Add(1)), core.Head{}
			for left.Add(-1) >= 0 {
				head = step(b, s, stream, head)
				hints, err := s.Hints(b.Context(), "e", 1)
				if err != nil {
					b.Error(err)
				}
				for _, w := range hints {
					if err := s.Rest(b.Context(), w); err != nil {
						b.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "steps/s")
}

// BenchmarkLook is finding one hint and resting it.
func BenchmarkLook(b *testing.B) {
	for name, o := range map[string]Options{"durable": {}, "lazy": {LazyLooks: true}} {
		b.Run(name, func(b *testing.B) {
			s := openAt(b, filepath.Join(b.TempDir(), "stellwerk.db"), o)
			own(b, s, "e")
			commit(b, s, "run/a")
			for b.Loop() {
				hints, err := s.Hints(b.Context(), "e", 1)
				if err != nil || len(hints) != 1 {
					b.Fatal(hints, err)
				}
				hints[0].Seq-- // it is to be found again
				if err := s.Rest(b.Context(), hints[0]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func step(b *testing.B, s *Store, stream string, head core.Head) core.Head {
	c, after := next(b, s, stream, head)
	c.Run = &store.RunRow{ID: stream, Status: "active", Attempts: int(head.Seq)}
	c.Acquire = []core.Claim{{Kind: core.ClaimBranch, Key: stream, Holder: stream, Limit: 1}}
	c.Snapshot = &store.Snapshot{Head: after, Format: 1, State: make([]byte, 4000)}
	if err := s.Commit(b.Context(), c); err != nil {
		b.Error(err)
	}
	return after
}

// BenchmarkEvents reads a long stream, as replay does.
func BenchmarkEvents(b *testing.B) {
	s := openAt(b, filepath.Join(b.TempDir(), "stellwerk.db"), Options{})
	var events []core.Event
	head := core.Head{}
	for range 10_000 {
		c, after := next(b, s, "run/a", head)
		events, head = append(events, c.Events...), after
	}
	if err := s.Commit(b.Context(), store.Commit{Stream: "run/a", Events: events}); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if got, err := s.Events(b.Context(), "run/a", 0, 0); err != nil || len(got) != len(events) {
			b.Fatal(len(got), err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(events)), "us/event")
}
