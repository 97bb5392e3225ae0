package storetest

import (
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// tickOn waits until the store's clock has moved on, so that ages can be told apart.
func tickOn(t *testing.T, s store.Store) {
	t.Helper()
	before, err := s.Now(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the clock moves on", func() bool {
		now, err := s.Now(t.Context())
		return err == nil && now.After(before)
	})
}

// order claims everything that waits, and says in which order.
func order(t *testing.T, s store.Store) string {
	t.Helper()
	var streams []string
	for _, w := range claim(t, s, "order", waittest.Limit) {
		streams = append(streams, strings.TrimPrefix(w.Stream, "run/"))
		rest(t, s, "order", w)
	}
	return strings.Join(streams, " ")
}

// testAges: a stream is as old as the first reason to look at it that no look has seen, whatever the reason is.
func testAges(t *testing.T, open Open) {
	raise := map[string]func(t *testing.T, s store.Store){
		"event": func(t *testing.T, s store.Store) { push(t, s, "run/x") },
		"time": func(t *testing.T, s store.Store) {
			t.Helper()
			push(t, s, "run/x", at(t, s, time.Hour))
		},
		"release":  letGo,
		"spending": spent,
	}
	for name, again := range raise {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			push(t, s, "run/x", spending("x", core.Spent{}, core.ProjectLimits{CostUSD: 100}))
			push(t, s, "run/y")
			order(t, s)
			tickOn(t, s)
			push(t, s, "run/y")
			tickOn(t, s)
			again(t, s)
			if got := order(t, s); got != "y x" {
				t.Errorf("%s, long after the last look: %q, want what has waited longer first", name, got)
			}
			again(t, s)
			tickOn(t, s)
			push(t, s, "run/y")
			tickOn(t, s)
			again(t, s)
			if got := order(t, s); got != "x y" {
				t.Errorf("%s, while it waits already: %q, want it no younger for that", name, got)
			}
		})
	}
	t.Run("overtaken", func(t *testing.T) {
		s := open(t)
		push(t, s, "run/x")
		w := claimOne(t, s, "order", "run/x")
		push(t, s, "run/x")
		tickOn(t, s)
		push(t, s, "run/y")
		tickOn(t, s)
		rest(t, s, "order", w)
		if got := order(t, s); got != "y x" {
			t.Errorf("a stream that an event overtook: %q, want it behind what nobody has looked at", got)
		}
	})
	t.Run("due", func(t *testing.T) {
		s := open(t)
		push(t, s, "run/x")
		order(t, s)
		dueNow := func() {
			t.Helper()
			now, err := s.Now(t.Context())
			if err == nil {
				err = s.Commit(t.Context(), store.Commit{Stream: "run/x", After: 1, DueAt: &now})
			}
			if err != nil {
				t.Fatal(err)
			}
			tickOn(t, s)
		}
		dueNow()
		push(t, s, "run/y")
		if got := order(t, s); got != "x y" {
			t.Errorf("a time that came before an event: %q, want it first", got)
		}
		push(t, s, "run/y")
		tickOn(t, s)
		dueNow()
		if got := order(t, s); got != "y x" {
			t.Errorf("a time that came after an event: %q, want it last", got)
		}
	})
}

// testTimeKept: a look that was not told of a time leaves it, and so does whatever else raises its hint.
func testTimeKept(t *testing.T, open Open) {
	s := open(t)
	push(t, s, "run/x", at(t, s, time.Hour), spending("x", core.Spent{}, core.ProjectLimits{CostUSD: 100}))
	due, err := s.NextDue(t.Context(), time.Time{})
	if err != nil || due == nil {
		t.Fatalf("due at %v, %v", due, err)
	}
	want := func(after string) {
		t.Helper()
		rest(t, s, "a", claimOne(t, s, "a", "run/x"))
		if got, err := s.NextDue(t.Context(), time.Time{}); err != nil || got == nil || !got.Equal(*due) {
			t.Errorf("%s: due at %v, %v, want %v", after, got, err, due)
		}
	}
	want("looked at")
	letGo(t, s)
	want("a claim was released")
	spent(t, s)
	want("another has spent")
}

// letGo releases a claim that run/x waits for.
func letGo(t *testing.T, s store.Store) {
	t.Helper()
	if err := take(t, s, "run/holder", hold("h", 1)); err != nil {
		t.Fatal(err)
	}
	if err := s.Await(t.Context(), "run/x", hold("", 0)); err != nil {
		t.Fatal(err)
	}
	if err := s.Commit(t.Context(), store.Commit{Stream: "run/holder", Release: []core.Claim{hold("h", 1)}}); err != nil {
		t.Fatal(err)
	}
}

// spent has another run of the project use something up.
func spent(t *testing.T, s store.Store) {
	t.Helper()
	c := store.Commit{Stream: "run/spender"}
	spending("spender", core.Spent{}, core.ProjectLimits{})(&c)
	if err := s.Commit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
}
