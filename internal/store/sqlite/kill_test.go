package sqlite

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// commitForever is the child of TestKilled: it prints every sequence number
// once its commit is acknowledged.
func commitForever(path string) error {
	ctx := context.Background()
	s, err := Open(ctx, path, Options{})
	if err != nil {
		return err
	}
	if _, err := s.Enlist(ctx, store.Engine{ID: "child"}, time.Hour); err != nil {
		return err
	}
	head, err := s.Head(ctx, "run/a")
	if err != nil {
		return err
	}
	for {
		var e core.Event
		e, head, err = core.Seal("run/a", head, s.now(), core.Engine(), "", core.TimerFired{Timer: "t"})
		if err != nil {
			return err
		}
		if err := s.Commit(ctx, store.Commit{Stream: "run/a", After: e.Seq - 1, Events: []core.Event{e}}); err != nil {
			return err
		}
		if _, err := s.Take(ctx, "child", time.Hour, []string{""}); err != nil {
			return err
		}
		fmt.Println(e.Seq)
	}
}

// TestKilled ends a committing process without warning, again and again: every
// acknowledged commit is there, the chain is whole, and the next of the process's
// name owns at once what it owned.
func TestKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stellwerk.db")
	for round := range 5 {
		cmd, out := child(t, childCommits, path)
		for range 10 + 7*round {
			if !out.Scan() {
				t.Fatal("the child stopped by itself")
			}
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		last := out.Text()
		for out.Scan() { // what it said before it was hit
			last = out.Text()
		}
		if err := cmd.Wait(); err == nil {
			t.Fatal("the child ended by itself")
		}
		acknowledged, err := strconv.ParseInt(last, 10, 64)
		if err != nil {
			t.Fatalf("the child said %q", last)
		}
		wantAcknowledged(t, path, acknowledged)
	}
}

func wantAcknowledged(t *testing.T, path string, seq int64) {
	t.Helper()
	s, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, s)
	events, err := s.Events(t.Context(), "run/a", 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if n := int64(len(events)); n < seq || n > seq+1 {
		t.Fatalf("%d events, %d were acknowledged", n, seq)
	}
	if _, err := core.VerifyChain(core.Head{}, events); err != nil {
		t.Fatal(err)
	}
	if owned, err := s.Enlist(t.Context(), store.Engine{ID: "child"}, time.Hour); err != nil || len(owned) != 1 {
		t.Fatalf("inherited %+v, %v", owned, err)
	}
	hints, err := s.Hints(t.Context(), "child", 10)
	if err != nil || len(hints) != 1 {
		t.Fatalf("hints are %+v, %v", hints, err)
	}
	if err := s.Rest(t.Context(), hints[0]); err != nil {
		t.Fatal(err)
	}
}
