package storetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// slots are what an attempt of a project needs: one of a place, and one of its
// project if that has a limit.
func slots(holder, project string, limit, own int) core.Slots {
	s := core.Slots{Holder: holder, Project: project, Pools: []core.SlotPool{{Key: "place", Limit: limit}}}
	if own > 0 {
		s.Pools = append(s.Pools, core.SlotPool{Key: "of " + project, Limit: own})
	}
	return s
}

// about commits to the stream of a holder what is to become of its slots.
func about(t *testing.T, s store.Store, holder string, c store.Commit) error {
	t.Helper()
	c.Stream = "run/" + holder
	head, err := s.Head(t.Context(), c.Stream)
	if err != nil {
		t.Fatal(err)
	}
	c.After = head.Seq
	return s.Commit(t.Context(), c)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func takes(t *testing.T, s store.Store, all ...core.Slots) {
	t.Helper()
	for _, w := range all {
		must(t, about(t, s, w.Holder, store.Commit{Take: []core.Slots{w}}))
	}
}

func queues(t *testing.T, s store.Store, all ...core.Slots) {
	t.Helper()
	for _, w := range all {
		must(t, about(t, s, w.Holder, store.Commit{Queue: []core.Slots{w}}))
	}
}

func frees(t *testing.T, s store.Store, holder string) {
	t.Helper()
	must(t, about(t, s, holder, store.Commit{Free: []string{holder}}))
}

// standing says who holds slots and who waits for them: "a b | c".
func standing(t *testing.T, s store.Store) string {
	t.Helper()
	rows, err := s.Slots(t.Context(), "")
	must(t, err)
	var held, wait []string
	for _, r := range rows {
		if r.Held {
			held = append(held, r.Holder)
		} else {
			wait = append(wait, r.Holder)
		}
	}
	slices.Sort(held)
	return strings.Join(held, " ") + " | " + strings.Join(wait, " ")
}

func wantStanding(t *testing.T, s store.Store, when, want string) {
	t.Helper()
	if got := standing(t, s); got != want {
		t.Errorf("%s: %q, want %q", when, got, want)
	}
}

// testSlotsTaken: whoever asks for slots that others hold is told which, of all it asks for, and nothing is committed.
func testSlotsTaken(t *testing.T, open Open) {
	s := open(t)
	takes(t, s, slots("a", "p", 2, 1), slots("b", "q", 2, 0))
	takes(t, s, slots("a", "p", 2, 1)) // what it has
	events, _ := seal(t, s, "run/c", core.Head{}, tick(1))
	err := about(t, s, "c", store.Commit{Events: events, Take: []core.Slots{
		slots("c1", "p", 3, 1), slots("c2", "q", 3, 0), slots("c3", "q", 2, 0),
	}})
	var taken *store.SlotsTaken
	if !errors.As(err, &taken) || len(taken.Full) != 2 {
		t.Fatalf("got %v", err)
	}
	want := []store.Full{
		{Holder: "c1", Pool: core.SlotPool{Key: "of p", Limit: 1}, By: "a"},
		{Holder: "c3", Pool: core.SlotPool{Key: "place", Limit: 2}, By: taken.Full[1].By},
	}
	if !slices.Equal(taken.Full, want) || !slices.Contains([]string{"a", "b", "c2"}, want[1].By) {
		t.Errorf("told of %+v", taken.Full)
	}
	wantStanding(t, s, "after a refusal", "a b | ")
	if head, err := s.Head(t.Context(), "run/c"); err != nil || head.Seq != 0 {
		t.Errorf("it left %+v, %v", head, err)
	}
	var internal *core.Error
	for _, none := range []core.Slots{{Holder: "d"}, slots("d", "p", 0, 0)} {
		if err := about(t, s, "d", store.Commit{Take: []core.Slots{none}}); !errors.As(err, &internal) || internal.Code != core.CodeInternal {
			t.Errorf("slots that nobody may hold: %v", err)
		}
	}
}

// testSlotsHandedOn: a freed slot goes to the one whose turn it is, and only its stream is hinted at.
func testSlotsHandedOn(t *testing.T, open Open) {
	s := open(t)
	takes(t, s, slots("a1", "a", 2, 0), slots("a2", "a", 2, 0))
	queues(t, s, slots("a3", "a", 2, 0), slots("b1", "b", 2, 0), slots("c1", "c", 2, 0), slots("b2", "b", 2, 0))
	wantStanding(t, s, "queued", "a1 a2 | a3 b1 c1 b2")
	for holder, want := range map[string]int{"a1": 0, "nobody": 0, "b1": 1, "c1": 2, "b2": 3, "a3": 4} {
		if place, err := s.PlaceInLine(t.Context(), holder); err != nil || place != want {
			t.Errorf("%s has place %d in line, %v, want %d", holder, place, err, want)
		}
	}
	claimNone(t, s, "e")
	for _, turn := range []struct{ frees, next, standing string }{
		{"a1", "b1", "a2 b1 | a3 c1 b2"}, // of a project that has none, the older of two
		{"b1", "c1", "a2 c1 | a3 b2"},    // and again, though a3 waits longer
		{"a2", "a3", "a3 c1 | b2"},       // now neither has one, and a3 waits longer
		{"c1", "b2", "a3 b2 | "},
	} {
		drain(s)
		frees(t, s, turn.frees)
		wantSignal(t, s, "after slots were handed on")
		rest(t, s, "e", claimOne(t, s, "e", "run/"+turn.next))
		wantStanding(t, s, turn.frees+" is done", turn.standing)
	}
	frees(t, s, "nobody")
	frees(t, s, "a3")
	claimNone(t, s, "e")
	takes(t, s, slots("b2", "b", 1, 0))
	wantStanding(t, s, "taken by who was handed it", "b2 | ")
}

// testSlotsWithdrawn: whoever leaves the queue, or gives back what it was handed, holds nobody up.
func testSlotsWithdrawn(t *testing.T, open Open) {
	s := open(t)
	takes(t, s, slots("a", "a", 1, 0))
	queues(t, s, slots("b", "b", 1, 0), slots("c", "c", 1, 0), slots("d", "d", 1, 0))
	frees(t, s, "b")
	wantStanding(t, s, "b gives up its place", "a | c d")
	frees(t, s, "a")
	frees(t, s, "c")
	wantStanding(t, s, "c gives back what it was handed", "d | ")
}

// testSlotsTwoPools: slots of both pools, or none. Who waits for its project keeps no other project waiting.
func testSlotsTwoPools(t *testing.T, open Open) {
	s := open(t)
	takes(t, s, slots("a1", "a", 2, 1), slots("b1", "b", 2, 1))
	queues(t, s, slots("a2", "a", 2, 1), slots("b2", "b", 2, 1), slots("c1", "c", 2, 1))
	frees(t, s, "b1")
	wantStanding(t, s, "two projects have none, b2 waits longer", "a1 b2 | a2 c1")
	frees(t, s, "b2")
	wantStanding(t, s, "a has its one slot", "a1 c1 | a2")
	queues(t, s, slots("d1", "d", 2, 0))
	frees(t, s, "a1")
	wantStanding(t, s, "both pools of a2 have room", "a2 c1 | d1")
}

// testSlotsAtOnce: nobody waits while all its pools have room: not who comes, not whose limit is raised.
func testSlotsAtOnce(t *testing.T, open Open) {
	s := open(t)
	queues(t, s, slots("a", "a", 1, 0))
	wantStanding(t, s, "a free slot", "a | ")
	rest(t, s, "e", claimOne(t, s, "e", "run/a"))
	queues(t, s, slots("a", "a", 1, 0), slots("b", "b", 1, 0), slots("c", "c", 1, 0))
	wantStanding(t, s, "queued", "a | b c")
	queues(t, s, slots("b", "b", 1, 0), slots("c", "c", 1, 3))
	wantStanding(t, s, "other pools, another place", "a | b c")
	queues(t, s, slots("c", "c", 2, 3))
	wantStanding(t, s, "a raised limit", "a c | b")
	rest(t, s, "e", claimOne(t, s, "e", "run/c"))
	queues(t, s, slots("b", "b", 3, 0))
	rest(t, s, "e", claimOne(t, s, "e", "run/b"))
	elsewhere := slots("a", "a", 1, 0)
	elsewhere.Pools[0].Key = "another place"
	queues(t, s, slots("d", "d", 1, 0))
	takes(t, s, elsewhere)
	frees(t, s, "b")
	frees(t, s, "c")
	wantStanding(t, s, "a moved, and made room", "a d | ")
	rows, err := s.Slots(t.Context(), "run/a")
	if err != nil || len(rows) != 1 || rows[0].Stream != "run/a" || !rows[0].Held || rows[0].Project != "a" || !slices.Equal(rows[0].Pools, elsewhere.Pools) || rows[0].Since.IsZero() {
		t.Errorf("the slots of a: %+v, %v", rows, err)
	}
}

// testSlotsGoFirstToTheQueue: whoever gives a slot back and wants another in the same step waits behind those in line.
func testSlotsGoFirstToTheQueue(t *testing.T, open Open) {
	s := open(t)
	takes(t, s, slots("a1", "a", 1, 0))
	must(t, about(t, s, "a", store.Commit{Free: []string{"a1"}, Take: []core.Slots{slots("a2", "a", 1, 0)}}))
	wantStanding(t, s, "nobody waits", "a2 | ")
	queues(t, s, slots("b", "b", 1, 0))
	again := store.Commit{Free: []string{"a2"}, Take: []core.Slots{slots("a3", "a", 1, 0)}}
	var taken *store.SlotsTaken
	if err := about(t, s, "a", again); !errors.As(err, &taken) {
		t.Fatalf("got %v", err)
	}
	wantStanding(t, s, "refused", "a2 | b")
	again.Take, again.Queue = nil, again.Take
	must(t, about(t, s, "a", again))
	wantStanding(t, s, "queued", "b | a3")
}

// testSlotsRace has two engines take and hand on at once: no slot is held twice, and none is free while somebody waits.
func testSlotsRace(t *testing.T, open Open) {
	stores := []store.Store{open(t), open(t)}
	const limit, many = 4, 40
	outcome := make(chan error, many)
	for i := range many {
		go func() {
			holder := fmt.Sprintf("h%02d", i)
			s, all := stores[i%2], []core.Slots{slots(holder, fmt.Sprint("p", i%5), limit, 0)}
			err := s.Commit(t.Context(), store.Commit{Stream: "run/" + holder, Take: all})
			var taken *store.SlotsTaken
			if errors.As(err, &taken) {
				err = s.Commit(t.Context(), store.Commit{Stream: "run/" + holder, Queue: all})
			}
			outcome <- err
		}()
	}
	for range many {
		must(t, <-outcome)
	}
	for left := many; left > 0; left-- {
		rows, err := stores[0].Slots(t.Context(), "")
		must(t, err)
		held := slices.DeleteFunc(slices.Clone(rows), func(r store.SlotRow) bool { return !r.Held })
		if len(rows) != left || len(held) != min(limit, left) {
			t.Fatalf("%d of %d hold slots, want %d of %d", len(held), len(rows), min(limit, left), left)
		}
		must(t, about(t, stores[left%2], held[0].Holder, store.Commit{Free: []string{held[0].Holder}}))
	}
	hinted := 0
	for hints := claim(t, stores[1], "e", waittest.Limit); len(hints) > 0; hints = claim(t, stores[1], "e", waittest.Limit) {
		for _, w := range hints {
			hinted++
			rest(t, stores[1], "e", w)
		}
	}
	if hinted > many-limit {
		t.Errorf("%d streams were hinted at", hinted)
	}
}
