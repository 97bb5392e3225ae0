package engine

import (
	"fmt"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// TestALookEndsWhatItHasAnswered: a hint that is seen while it is answered brings another look only if it asks for more.
func TestALookEndsWhatItHasAnswered(t *testing.T) {
	hint := func(seq, due int64) store.Hint { return store.Hint{Stream: "run/a", Seq: seq, DueSeq: due} }
	for name, c := range map[string]struct {
		seen     []store.Hint
		answered store.Hint
		again    bool
	}{
		"nothing":                   {nil, hint(1, 0), false},
		"the same":                  {[]store.Hint{hint(1, 0)}, hint(1, 0), false},
		"raised, and answered":      {[]store.Hint{hint(3, 0)}, hint(3, 0), false},
		"raised":                    {[]store.Hint{hint(4, 0)}, hint(3, 0), true},
		"raised, then older":        {[]store.Hint{hint(4, 0), hint(2, 0)}, hint(3, 0), true},
		"its time has come":         {[]store.Hint{hint(1, 2)}, hint(1, 0), true},
		"its time, and answered":    {[]store.Hint{hint(1, 2)}, hint(1, 2), false},
		"another time":              {[]store.Hint{hint(1, 3)}, hint(1, 2), true},
		"another time, then raised": {[]store.Hint{hint(1, 3), hint(2, 0)}, hint(2, 2), true},
	} {
		l := newLooks()
		if !l.begin(hint(1, c.answered.DueSeq)) {
			t.Fatalf("%s: no look begins", name)
		}
		for _, h := range c.seen {
			if l.begin(h) {
				t.Errorf("%s: two looks at once", name)
			}
		}
		if again := l.end(c.answered); again != c.again {
			t.Errorf("%s: to be asked again: %v", name, again)
		}
		if !l.begin(hint(1, 0)) {
			t.Errorf("%s: the look has not ended", name)
		}
	}
}

// TestLooksThatWaitForRoom: no more are under way than may be, a look that waited is asked for when many have ended, and a stream
// that is being looked at is told of more even then.
func TestLooksThatWaitForRoom(t *testing.T) {
	hint := func(i int) store.Hint { return store.Hint{Stream: fmt.Sprintf("run/%d", i), Seq: 1} }
	l := newLooks()
	for i := range mostLooks {
		if l.ask() == 0 || !l.begin(hint(i)) {
			t.Fatalf("look %d has no room", i)
		}
	}
	if l.ask() != 0 || l.begin(hint(mostLooks)) {
		t.Error("one more than may be")
	}
	more := hint(0)
	if more.Seq = 2; l.begin(more) {
		t.Error("two looks at once")
	}
	if !l.end(hint(0)) {
		t.Error("what it was told meanwhile is lost")
	}
	for i := 1; i < mostLooks; i++ {
		freed := l.postpone(hint(i), time.Hour)
		if freed != (i == mostLooks/2-1) {
			t.Errorf("after %d had ended, others wait no longer: %v", i+1, freed)
		}
	}
	if got := l.ask(); got != lookAtOnce+mostLooks-1 {
		t.Errorf("%d are asked for", got)
	}
	if !l.begin(hint(mostLooks)) || l.end(hint(mostLooks)) {
		t.Error("the one that waited has no room, or more are waited for")
	}
}
