package engine

import (
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMovesSince(t *testing.T) {
	m := moves{engine: "e"}
	start := m.position()
	for _, stream := range []string{"run/a", "run/b", "run/a"} {
		m.add(stream)
	}
	if got := m.since(start); !cmp.Equal(got.Streams, []string{"run/a", "run/b"}) || got.All || got.At != "e.3" {
		t.Errorf("since the start: %+v", got)
	}
	if got := m.since("e.2"); !cmp.Equal(got.Streams, []string{"run/a"}) {
		t.Errorf("since the second move: %+v", got)
	}
	if got := m.since(m.position()); got.All || len(got.Streams) != 0 {
		t.Errorf("since now: %+v", got)
	}
	for _, position := range []string{"", "e", "e.x", "other.3", "e.99", "e.-1"} {
		if !m.since(position).All {
			t.Errorf("since %q: something may have been missed", position)
		}
	}
}

func TestMovesForget(t *testing.T) {
	m := moves{engine: "e"}
	for i := range 5 * remembered {
		m.add("run/" + strconv.Itoa(i))
	}
	if len(m.recent) > 2*remembered {
		t.Errorf("%d moves are kept", len(m.recent))
	}
	if !m.since("e.1").All {
		t.Error("what is forgotten must count as moved")
	}
	near := "e." + strconv.Itoa(m.count-remembered)
	if got := m.since(near); got.All || len(got.Streams) != remembered {
		t.Errorf("%d of the newest %d are known, all is %v", len(got.Streams), remembered, got.All)
	}
}
