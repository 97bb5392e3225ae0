package engine

import (
	"testing"

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
