package retention

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/object"
)

// late are objects whose list says what once was.
type late struct {
	object.Objects
	was []object.Entry
}

// Each implements object.Objects.
func (l late) Each(_ context.Context, fn func(object.Entry) error) error {
	for _, e := range l.was {
		if err := fn(e); err != nil {
			return err
		}
	}
	return nil
}

// TestALateList has what is gone, lacks what is new, and calls old what was put again since. Nothing is removed that anything speaks of
// or is about to speak of, and nothing fails.
func TestALateList(t *testing.T) {
	t.Parallel()
	e := newEstate(t)
	again, gone := e.object("put again since"), e.object("gone since")
	l := late{Objects: e.Objects}
	must(t, e.Objects.Each(t.Context(), func(o object.Entry) error { l.was = append(l.was, o); return nil }))
	if there, err := e.Objects.Touch(t.Context(), again); err != nil || !there {
		t.Fatal(there, err)
	}
	if discarded, err := e.Objects.Discard(t.Context(), gone, time.Now()); err != nil || !discarded {
		t.Fatal(discarded, err)
	}
	unlisted := e.object("new, and named")
	e.more = []core.Body{core.AttemptExited{Attempt: "build.r1.a2", Transcript: unlisted}}
	e.Objects = l
	removed, kept := e.prune(e.request())
	if !slices.Contains(removed, "object "+e.orphan) || !slices.Contains(kept, "object "+again) {
		t.Errorf("%q went, %q stayed", removed, kept)
	}
	for _, digest := range []string{again, unlisted, e.exited.Transcript, e.asked} {
		if err := e.Objects.Verify(t.Context(), digest); err != nil {
			t.Error(err)
		}
	}
	if _, err := e.Objects.Size(t.Context(), e.orphan); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("nobody's is there: %v", err)
	}
}
