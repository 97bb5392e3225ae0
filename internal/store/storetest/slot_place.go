package storetest

import (
	"errors"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// testSlotsAtTheOwner: slots that anybody asks for are those of the place of the project's owner.
func testSlotsAtTheOwner(t *testing.T, open Open) {
	s := open(t)
	for _, e := range []store.Engine{{ID: "a", Place: "A"}, {ID: "unsaid"}} {
		_, err := s.Enlist(t.Context(), e, waittest.Limit)
		must(t, err)
	}
	_, err := s.Enlist(t.Context(), store.Engine{ID: "gone", Place: "G"}, 0)
	must(t, err)
	for engine, project := range map[string]string{"a": "p", "unsaid": "q", "gone": "g"} {
		_, err := s.Take(t.Context(), engine, waittest.Limit, []string{project})
		must(t, err)
	}
	must(t, s.Leave(t.Context(), "gone"))
	at := func(place, holder, project string) core.Slots {
		return core.Slots{Holder: holder, Project: project, Pools: []core.SlotPool{{Key: core.AttemptSlots(place), Limit: 1}, {Key: core.ProjectSlots(project), Limit: 9}}}
	}
	says := func(holder, project string, c store.Commit) error {
		c.Of, c.Place = project, "B"
		return about(t, s, holder, c)
	}
	must(t, says("p1", "p", store.Commit{Take: []core.Slots{at("B", "p1", "p")}}))
	var full *store.SlotsTaken
	if err := says("p2", "p", store.Commit{Take: []core.Slots{at("B", "p2", "p")}}); !errors.As(err, &full) || full.Full[0].Pool.Key != core.AttemptSlots("A") {
		t.Errorf("a second attempt at the owner's place: %v", err)
	}
	must(t, says("p2", "p", store.Commit{Queue: []core.Slots{at("B", "p2", "p")}}))
	must(t, says("q1", "q", store.Commit{Take: []core.Slots{at("B", "q1", "q")}})) // the owner did not say where it is
	frees(t, s, "q1")
	must(t, says("g1", "g", store.Commit{Take: []core.Slots{at("B", "g1", "g")}})) // nobody owns it
	frees(t, s, "g1")
	must(t, says("n1", "new", store.Commit{Take: []core.Slots{at("B", "n1", "new")}}))
	want := map[string]string{"p1": "A", "p2": "A", "n1": "B"}
	rows, err := s.Slots(t.Context(), "")
	must(t, err)
	for _, r := range rows {
		if r.Pools[0].Key != core.AttemptSlots(want[r.Holder]) || r.Held == (r.Holder == "p2") {
			t.Errorf("%s: %v, held %v", r.Holder, r.Pools, r.Held)
		}
	}
	if got := standing(t, s); got != "n1 p1 | p2" {
		t.Errorf("slots: %s", got)
	}
}

// testSlotsMoveWhole: whoever moves to another place keeps its slot of the project's own pool, although somebody waits for it.
// What it leaves behind is handed on; what it cannot keep is, too.
func testSlotsMoveWhole(t *testing.T, open Open) {
	s := open(t)
	at := func(place, holder string) core.Slots {
		moved := slots(holder, "p", 1, 1)
		moved.Pools[0].Key = place
		return moved
	}
	takes(t, s, at("A", "p1"))
	queues(t, s, at("B", "p2"), at("A", "p3"))
	other := slots("q", "q", 1, 0)
	other.Pools[0].Key = "A"
	queues(t, s, other)
	wantStanding(t, s, "a project of one slot", "p1 | p2 p3 q")
	takes(t, s, at("B", "p1"))
	wantStanding(t, s, "moved, and left its place", "p1 q | p2 p3")
	queues(t, s, at("C", "p1"))
	wantStanding(t, s, "moved by way of the queue", "p1 q | p2 p3")
	var taken *store.SlotsTaken
	if err := about(t, s, "p1", store.Commit{Take: []core.Slots{at("A", "p1")}}); !errors.As(err, &taken) || taken.Full[0].Pool.Key != "A" {
		t.Errorf("a move to a full place: %v", err)
	}
	wantStanding(t, s, "refused", "p1 q | p2 p3")
	queues(t, s, at("A", "p1"))
	wantStanding(t, s, "waits at a full place", "p2 q | p3 p1")
}
