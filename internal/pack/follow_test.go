package pack_test

import (
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

func (h *history) follow(y *yard.Yard) {
	h.t.Helper()
	if err := h.code().Follow(h.t.Context(), y, "p1", []string{theRun}); err != nil {
		h.t.Fatal(err)
	}
}

// TestAYardFollows: the yard of an engine that others have worked without gets what they made, and its branches are where
// theirs are: moved on, or gone.
func TestAYardFollows(t *testing.T) {
	h := worked(t, packed)
	whole := h.events
	h.events = whole[:2:2]
	exited, err := core.Decode(whole[1])
	if err != nil {
		t.Fatal(err)
	}
	one := exited.(core.AttemptExited).Delivery.Commit
	for _, branch := range []string{"refs/heads/feature/gone", "refs/heads/feature/x"} {
		h.say(core.BranchMoved{Ref: branch, New: one})
	}
	y, err := h.restore("behind.git")
	if err != nil {
		t.Fatal(err)
	}
	if refs, err := y.Refs(t.Context(), "refs/heads"); err != nil || len(refs) != 2 {
		t.Fatalf("the branches are %v, %v", refs, err)
	}
	h.events = whole
	h.follow(y)
	h.same(y)
	h.follow(y) // nothing is new
	h.same(y)
}

// TestAYardFollowsWhatHasBegun: of a run that another engine started and that has come to nothing yet, the base is there.
func TestAYardFollowsWhatHasBegun(t *testing.T) {
	h := worked(t, packed)
	whole := h.events
	h.events = nil
	y, err := h.restore("behind.git")
	if err != nil {
		t.Fatal(err)
	}
	h.events = whole[:1]
	h.follow(y)
	if known, err := y.Exists(t.Context(), h.git(h.yard.Dir(), "rev-parse refs/upstream/heads/main")); err != nil || !known {
		t.Errorf("the base is there: %t, %v", known, err)
	}
}
