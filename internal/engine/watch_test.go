package engine_test

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/engine"
)

// TestMovesSinceAPosition: each stream that moved is named once, by whichever engine it was moved; of a position that is not
// the store's, everything may have moved.
func TestMovesSinceAPosition(t *testing.T) {
	b := newBench(t)
	b.stop()
	since := b.position()
	for i := range 3 {
		b.submit(fmt.Sprint("r", i%2), core.Person("me"), spoken(i))
	}
	ctx := t.Context()
	for name, test := range map[string]struct {
		since   string
		streams []string
		all     bool
	}{
		"the start": {since, []string{"run/r0", "run/r1"}, false},
		"nothing":   {"", nil, true},
		"a word":    {"x", nil, true},
		"the past":  {"-1", nil, true},
		"to come":   {"99999", nil, true},
	} {
		moved, err := b.with(engine.Options{ID: "other"}).MovedSince(ctx, test.since)
		if err != nil || moved.All != test.all || !slices.Equal(moved.Streams, test.streams) || moved.At != b.position() {
			t.Errorf("since %s: %+v, %v, at %s", name, moved, err, b.position())
		}
	}
	if moved, err := b.engine.MovedSince(ctx, b.position()); err != nil || moved.All || len(moved.Streams) > 0 {
		t.Errorf("since now: %+v, %v", moved, err)
	}
	at, err := strconv.Atoi(b.position())
	if err != nil {
		t.Fatal(err)
	}
	for n := range engine.Remembered {
		b.elsewhere(b.store, core.TimerFired{Timer: strconv.Itoa(n)})
	}
	if moved, err := b.engine.MovedSince(ctx, strconv.Itoa(at-1)); err != nil || !moved.All {
		t.Errorf("since one more than is remembered: %+v, %v", moved, err)
	}
	if moved, err := b.engine.MovedSince(ctx, strconv.Itoa(at)); err != nil || moved.All || len(moved.Streams) != 1 {
		t.Errorf("since as many as are remembered: %+v, %v", moved, err)
	}
}

// spoken begins a run, and then says something in it.
func spoken(i int) core.Body {
	if i < 2 {
		return start(fmt.Sprint("r", i), core.DefaultLimits())
	}
	return core.RunPaused{Code: core.PausePerson, Reason: "lunch"}
}
