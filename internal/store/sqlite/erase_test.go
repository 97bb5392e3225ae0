package sqlite

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// TestNothingErasedIsLeftInTheFiles, not even in the space of rows that were replaced long before, or in the log; and writes wait
// for that and succeed.
func TestNothingErasedIsLeftInTheFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	s := openAt(t, path, Options{})
	const words = "Zarzuela"
	commit := func(c store.Commit, body core.Body) core.ErasedStream {
		head, err := s.Head(t.Context(), c.Stream)
		must(t, err)
		now, err := s.Now(t.Context())
		must(t, err)
		e, _, err := core.Seal(c.Stream, head, now, core.Person("ada"), "", body)
		must(t, err)
		c.After, c.Events = head.Seq, []core.Event{e}
		must(t, s.Commit(t.Context(), c))
		return core.ErasedStream{Stream: c.Stream, Seq: e.Seq}
	}
	var run core.ErasedStream
	for _, n := range []int{9000, 10, 5000} { // rows and snapshots that are replaced
		long := strings.Repeat(words+" ", n)
		run = commit(store.Commit{
			Stream: "run/r", Of: "p", Run: &store.RunRow{ID: "r", Project: "p", Goal: long, Status: core.StatusCompleted},
			Snapshot: &store.Snapshot{Format: 1, State: []byte(long)},
		}, core.TimerFired{Timer: long})
	}
	project := commit(store.Commit{Stream: "project/p", Of: "p"}, core.ProjectNamed{Name: "n"})
	if !contain(t, path, words) {
		t.Fatal("there is nothing to erase")
	}
	streams := []core.ErasedStream{project, run}
	commit(store.Commit{Stream: "project/p", Of: "p", Erase: &store.Erasure{Project: "p", Streams: streams}}, core.ProjectErased{Streams: streams})

	position, err := s.Position(t.Context())
	must(t, err)
	written := make(chan error)
	go func() {
		var err error
		for n := range 20 {
			_, put := s.PutDocument(context.WithoutCancel(t.Context()), store.Document{Kind: "k", Key: strings.Repeat("x", n+1)})
			err = errors.Join(err, put)
		}
		written <- err
	}()
	scrubbed := s.Scrub(t.Context())
	must(t, errors.Join(scrubbed, <-written))
	if contain(t, path, words) {
		t.Error("the files still have the content")
	}
	if now, err := s.Position(t.Context()); err != nil || now != position {
		t.Errorf("the store has seen %d events, not %d: %v", now, position, err)
	}
	commit(store.Commit{Stream: "project/p", Of: "p"}, core.ProjectRegistered{Project: "p", Name: "n"})
	if streams, now, err := s.Moved(t.Context(), position, 0); err != nil || len(streams) != 1 || now != position+1 {
		t.Errorf("%v moved up to %d: %v", streams, now, err)
	}
}

// contain reports that one of the database's files has words.
func contain(t *testing.T, path, words string) bool {
	t.Helper()
	found := false
	for _, suffix := range []string{"", "-wal"} {
		data, err := os.ReadFile(path + suffix)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		found = found || bytes.Contains(data, []byte(words))
	}
	return found
}
