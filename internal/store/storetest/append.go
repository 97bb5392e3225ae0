package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

func testAppend(t *testing.T, open Open) {
	s := open(t)
	if head, err := s.Head(t.Context(), "run/a"); err != nil || head != (core.Head{}) {
		t.Fatalf("head of an unknown stream: %+v, %v", head, err)
	}
	events, head := seal(t, s, "run/a", core.Head{}, tick(1), tick(2), tick(3))
	if err := s.Commit(t.Context(), store.Commit{Stream: "run/a", Events: events}); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Head(t.Context(), "run/a"); err != nil || got != head {
		t.Fatalf("head: %+v, %v, want %+v", got, err, head)
	}
	for _, page := range []struct{ after, limit, first, count int }{
		{0, 0, 1, 3}, {0, 2, 1, 2}, {2, 10, 3, 1}, {3, 10, 0, 0},
	} {
		got, err := s.Events(t.Context(), "run/a", int64(page.after), page.limit)
		if err != nil || len(got) != page.count {
			t.Fatalf("after %d, at most %d: %d events, %v", page.after, page.limit, len(got), err)
		}
		if len(got) > 0 && got[0].Seq != int64(page.first) {
			t.Errorf("after %d: first is %d, want %d", page.after, got[0].Seq, page.first)
		}
	}
}

func testStale(t *testing.T, open Open) {
	s := open(t)
	first, head := seal(t, s, "run/a", core.Head{}, tick(1))
	second, _ := seal(t, s, "run/a", head, tick(2))
	if err := s.Commit(t.Context(), store.Commit{Stream: "run/a", Events: first}); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]store.Commit{
		"behind": {Stream: "run/a", After: 0, Events: first},
		"ahead":  {Stream: "run/a", After: 2, Events: []core.Event{{Stream: "run/a", Seq: 3, At: head.At}}},
		"empty":  {Stream: "run/a", After: 0},
	} {
		if err := s.Commit(t.Context(), c); !errors.Is(err, store.ErrStale) {
			t.Errorf("%s: got %v, want ErrStale", name, err)
		}
	}
	if err := s.Commit(t.Context(), store.Commit{Stream: "run/a", After: 1, Events: second}); err != nil {
		t.Fatalf("the right place is refused: %v", err)
	}
}

// testAtomic commits everything a commit can hold under a condition that
// fails, and finds none of it.
func testAtomic(t *testing.T, open Open) {
	s := open(t)
	push(t, s, "run/a")
	rest(t, s, "e", claimOne(t, s, "e", "run/a"))
	events, _ := seal(t, s, "run/a", core.Head{}, tick(1))
	due := time.Unix(1, 0)
	err := s.Commit(t.Context(), store.Commit{
		Stream: "run/a", Events: events, DueAt: &due,
		Acquire:  []core.Claim{{Kind: core.ClaimBranch, Key: "k", Holder: "h", Limit: 1}},
		Run:      &store.RunRow{ID: "a"},
		Project:  &store.ProjectRow{ID: "p"},
		Tasks:    []store.TaskRow{{ID: "t", Run: "a"}},
		Snapshot: &store.Snapshot{Format: 1, State: []byte("x")},
	})
	wantErr(t, err, store.ErrStale)
	wantUntouched(t, s)
}

func wantUntouched(t *testing.T, s store.Store) {
	t.Helper()
	_, err := s.Run(t.Context(), "a")
	wantErr(t, err, store.ErrNotFound)
	_, err = s.Project(t.Context(), "p")
	wantErr(t, err, store.ErrNotFound)
	_, err = s.Snapshot(t.Context(), "run/a")
	wantErr(t, err, store.ErrNotFound)
	if tasks, err := s.Tasks(t.Context(), "a"); err != nil || len(tasks) != 0 {
		t.Errorf("tasks: %+v, %v", tasks, err)
	}
	if claims, err := s.Claims(t.Context()); err != nil || len(claims) != 0 {
		t.Errorf("claims: %+v, %v", claims, err)
	}
	if head, err := s.Head(t.Context(), "run/a"); err != nil || head.Seq != 1 {
		t.Errorf("head: %+v, %v", head, err)
	}
	claimNone(t, s, "e")
}

// testBytes keeps bodies that a re-encoding would change, and every field of
// the envelope.
func testBytes(t *testing.T, open Open) {
	s := open(t)
	bodies := []string{
		`{"timer":"a"}`,
		`{ "timer" : "spaces\tand\u003ctags\u003e" }`,
		`{"b":1.0,"a":1e3,"ü":"\u2028 \ud83d\ude00"}`,
		`{"big":"` + strings.Repeat("x", 1<<20) + `"}`,
	}
	head := core.Head{At: time.Date(2026, 3, 1, 12, 0, 0, 123456000, time.UTC)}
	var events []core.Event
	for i, b := range bodies {
		e := core.Event{
			ID: core.EventID("run/a", head.Seq+1), Stream: "run/a", Seq: head.Seq + 1, Type: core.TypeTimerFired,
			V: 1, At: head.At.Add(time.Duration(i) * time.Microsecond), Cause: "run/a#1", PrevHash: head.Hash,
			Actor: core.Actor{Kind: core.ActorDecider, ID: `q"uote`, Version: "phases/1 law/1"}, Body: []byte(b),
		}
		hash, err := e.Hash()
		if err != nil {
			t.Fatal(err)
		}
		head = core.Head{Seq: e.Seq, Hash: hash, At: e.At}
		events = append(events, e)
	}
	if err := s.Commit(t.Context(), store.Commit{Stream: "run/a", Events: events}); err != nil {
		t.Fatal(err)
	}
	got, err := s.Events(t.Context(), "run/a", 0, 0)
	if err != nil || len(got) != len(events) {
		t.Fatalf("%d events, %v", len(got), err)
	}
	for i := range got {
		if !bytes.Equal(got[i].Body, events[i].Body) {
			t.Errorf("body %d changed: %.60s", i, got[i].Body)
		}
		before, err := events[i].Line()
		if err != nil {
			t.Fatal(err)
		}
		if after, err := got[i].Line(); err != nil || !bytes.Equal(before, after) {
			t.Errorf("line %d changed: %v\n%.200s\n%.200s", i, err, before, after)
		}
	}
	if end, err := core.VerifyChain(core.Head{}, got); err != nil || end != head {
		t.Errorf("chain: %+v, %v, want %+v", end, err, head)
	}
}

// testChain refuses what would break a history, whoever asks.
func testChain(t *testing.T, open Open) {
	s := open(t)
	head := push(t, s, "run/a")
	good, _ := seal(t, s, "run/a", head, tick(2), tick(3))
	other := core.Head{Seq: head.Seq, Hash: strings.Repeat("0", 64), At: head.At}
	foreign, _ := seal(t, s, "run/a", other, tick(2), tick(3))
	for name, spoilt := range map[string]func([]core.Event) []core.Event{
		"first does not follow the stored one": func([]core.Event) []core.Event { return foreign },
		"the only one does not follow":         func([]core.Event) []core.Event { return foreign[:1] },
		"second does not follow the first":     func(e []core.Event) []core.Event { e[1].PrevHash = other.Hash; return e },
		"a gap":                                func(e []core.Event) []core.Event { e[1].Seq = 4; return e },
		"another stream":                       func(e []core.Event) []core.Event { e[0].Stream = "run/b"; return e[:1] },
		"a time of another zone": func(e []core.Event) []core.Event {
			e[0].At = e[0].At.In(time.FixedZone("east", 3600))
			return e[:1]
		},
		"a body that is none": func(e []core.Event) []core.Event {
			e[0].Body = []byte("{")
			return e[:1]
		},
		"a time that cannot be kept": func(e []core.Event) []core.Event {
			e[0].At = e[0].At.Add(time.Nanosecond)
			return e[:1]
		},
	} {
		events := spoilt(append([]core.Event(nil), good...))
		err := s.Commit(t.Context(), store.Commit{Stream: "run/a", After: 1, Events: events})
		if err == nil || errors.Is(err, store.ErrStale) {
			t.Errorf("%s: got %v, want a refusal", name, err)
		}
	}
	if got, err := s.Head(t.Context(), "run/a"); err != nil || got != head {
		t.Fatalf("head moved: %+v, %v", got, err)
	}
}

// testConcurrent commits to many streams at once from two openings, each
// commit with a claim of its own, and finds every history whole.
func testConcurrent(t *testing.T, open Open) {
	const streams, each = 24, 10
	stores := []store.Store{open(t), open(t)}
	var wg sync.WaitGroup
	for i := range streams {
		wg.Go(func() {
			s, stream := stores[i%2], fmt.Sprintf("run/%02d", i)
			head := core.Head{}
			for n := range each {
				events, next := seal(t, s, stream, head, tick(n), tick(n))
				err := s.Commit(t.Context(), store.Commit{
					Stream: stream, After: head.Seq, Events: events,
					Acquire: []core.Claim{{Kind: core.ClaimSlot, Key: "all", Holder: stream, Limit: streams}},
					Run:     &store.RunRow{ID: stream, Attempts: n},
				})
				if err != nil {
					t.Errorf("%s: commit %d: %v", stream, n, err)
					return
				}
				head = next
			}
		})
	}
	wg.Wait()
	for i := range streams {
		events, err := stores[0].Events(t.Context(), fmt.Sprintf("run/%02d", i), 0, 0)
		if err != nil || len(events) != 2*each {
			t.Fatalf("stream %d: %d events, %v", i, len(events), err)
		}
		if _, err := core.VerifyChain(core.Head{}, events); err != nil {
			t.Error(err)
		}
	}
	if claims, err := stores[1].Claims(t.Context()); err != nil || len(claims) != streams {
		t.Errorf("%d claims, %v", len(claims), err)
	}
}

// testRace lets many writers want the same place of one stream: one gets it.
func testRace(t *testing.T, open Open) {
	stores := []store.Store{open(t), open(t)}
	outcome := make(chan error, 20)
	for i := range cap(outcome) {
		go func() {
			s := stores[i%2]
			now, err := s.Now(t.Context())
			if err != nil {
				outcome <- err
				return
			}
			e, _, err := core.Seal("run/a", core.Head{}, now, core.Engine(), "", tick(i))
			if err == nil {
				err = s.Commit(t.Context(), store.Commit{Stream: "run/a", Events: []core.Event{e}})
			}
			outcome <- err
		}()
	}
	won := 0
	for range cap(outcome) {
		switch err := <-outcome; {
		case err == nil:
			won++
		case !errors.Is(err, store.ErrStale):
			t.Errorf("got %v, want ErrStale", err)
		}
	}
	if won != 1 {
		t.Errorf("%d writers got the place, want 1", won)
	}
}

func testReopened(t *testing.T, open Open) {
	s := open(t)
	head := push(t, s, "run/a", func(c *store.Commit) { c.Run = &store.RunRow{ID: "a", Alias: "otter"} })
	if err := s.Close(); err != nil {
		t.Fatalf("close: %v", err)
	}
	if err := s.Commit(t.Context(), store.Commit{Stream: "run/a", After: 1}); err == nil {
		t.Error("a closed store takes a commit")
	}
	again := open(t)
	if got, err := again.Head(t.Context(), "run/a"); err != nil || got != head {
		t.Fatalf("head: %+v, %v, want %+v", got, err, head)
	}
	if row, err := again.Run(t.Context(), "otter"); err != nil || row.ID != "a" {
		t.Fatalf("run: %+v, %v", row, err)
	}
}

func testClock(t *testing.T, open Open) {
	s := open(t)
	now, err := s.Now(t.Context())
	if err != nil || now.IsZero() || now.Location() != time.UTC || now.Nanosecond()%1000 != 0 {
		t.Fatalf("now is %s (%v), want whole microseconds in UTC", now, err)
	}
}

// testCancelled finds that nothing happens once the caller has given up.
func testCancelled(t *testing.T, open Open) {
	s := open(t)
	push(t, s, "run/a")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	events, _ := seal(t, s, "run/b", core.Head{}, tick(1))
	claim := core.Claim{Kind: core.ClaimSlot, Key: "k"}
	for name, call := range map[string]func() error{
		"Now":      func() error { _, err := s.Now(ctx); return err },
		"Commit":   func() error { return s.Commit(ctx, store.Commit{Stream: "run/b", Events: events}) },
		"Await":    func() error { return s.Await(ctx, "run/a", claim) },
		"Events":   func() error { _, err := s.Events(ctx, "run/a", 0, 0); return err },
		"Head":     func() error { _, err := s.Head(ctx, "run/a"); return err },
		"Hints":    func() error { _, err := s.Hints(ctx, "e", 1); return err },
		"Rest":     func() error { return s.Rest(ctx, store.Hint{Stream: "run/a"}) },
		"Enlist":   func() error { _, err := s.Enlist(ctx, store.Engine{ID: "e"}, time.Minute); return err },
		"Take":     func() error { _, err := s.Take(ctx, "e", time.Minute, []string{"p"}); return err },
		"Adrift":   func() error { _, err := s.Adrift(ctx, "", 1); return err },
		"Moved":    func() error { _, _, err := s.Moved(ctx, 0, 1); return err },
		"Runs":     func() error { _, err := s.Runs(ctx, store.Filter{}); return err },
		"Remember": func() error { return s.Remember(ctx, "k", []byte("v")) },
		"Document": func() error { _, err := s.Document(ctx, "k", "a"); return err },
		"PutDocument": func() error {
			_, err := s.PutDocument(ctx, store.Document{Kind: "k", Key: "a"})
			return err
		},
		"Backup": func() error { return s.Backup(ctx, t.TempDir()+"/copy") },
	} {
		if err := call(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v, want context.Canceled", name, err)
		}
	}
	if head, err := s.Head(t.Context(), "run/b"); err != nil || head.Seq != 0 {
		t.Errorf("a cancelled commit left %+v, %v", head, err)
	}
	claimOne(t, s, "e", "run/a")
}
