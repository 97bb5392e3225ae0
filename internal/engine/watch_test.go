package engine

import (
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestMovesSince(t *testing.T) {
	l := live{moves: moves{engine: "e"}}
	start := l.moves.position()
	for _, stream := range []string{"run/a", "run/b", "run/a"} {
		l.moves.add(stream)
	}
	if got := l.movedSince(start); !cmp.Equal(got.Streams, []string{"run/a", "run/b"}) || got.All || got.At != "e.3" {
		t.Errorf("since the start: %+v", got)
	}
	if got := l.movedSince("e.2"); !cmp.Equal(got.Streams, []string{"run/a"}) {
		t.Errorf("since the second move: %+v", got)
	}
	if got := l.movedSince(l.moves.position()); got.All || len(got.Streams) != 0 {
		t.Errorf("since now: %+v", got)
	}
	for _, position := range []string{"", "e", "e.x", "other.3", "e.99", "e.-1"} {
		if !l.movedSince(position).All {
			t.Errorf("since %q: something may have been missed", position)
		}
	}
	if got := l.movedSince(start); len(got.Streams) != 2 {
		t.Errorf("asking changed what is remembered: %+v", got)
	}
}

func TestMovesForget(t *testing.T) {
	l := live{moves: moves{engine: "e"}}
	for i := range 5 * remembered {
		l.moves.add("run/" + strconv.Itoa(i))
	}
	if n := len(l.moves.recent); n > 2*remembered {
		t.Errorf("%d moves are kept", n)
	}
	if !l.movedSince("e.1").All {
		t.Error("what is forgotten must count as moved")
	}
	near := "e." + strconv.Itoa(l.moves.count-remembered)
	if got := l.movedSince(near); got.All || len(got.Streams) != remembered {
		t.Errorf("%d of the newest %d are known, all is %v", len(got.Streams), remembered, got.All)
	}
}

// TestAskingIsCheap: who asks for much again and again costs little. (Comparing each
// with each took a third of a second a time.)
func TestAskingIsCheap(t *testing.T) {
	l := live{moves: moves{engine: "e"}}
	for i := range 2*remembered - 2 {
		l.moves.add("run/" + strconv.Itoa(i))
	}
	begun := time.Now()
	for range 100 {
		if got := l.movedSince("e.0"); len(got.Streams) != 2*remembered-2 {
			t.Fatalf("%d streams, all is %v", len(got.Streams), got.All)
		}
	}
	if took := time.Since(begun); took > 10*time.Second {
		t.Errorf("100 times took %v", took)
	}
}
