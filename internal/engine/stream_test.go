package engine_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestStatesThatWereNotUsedForLongest go from memory, and are read again when they are used: steps follow one another as before.
func TestStatesThatWereNotUsedForLongest(t *testing.T) {
	b := newBench(t)
	b.close()
	b.states = 2
	b.rest()
	runs := []string{"r1", "r2", "r3"}
	for _, run := range runs {
		b.submit(run, core.Person("me"), start(run, core.DefaultLimits()))
	}
	if kept := b.engine.Kept(runs...); !slices.Equal(kept, runs[1:]) {
		t.Errorf("in memory are %v", kept)
	}
	for i := range 4 {
		for _, run := range runs { // each had to make room for the next
			b.submit(run, core.Engine(), core.TimerFired{Timer: fmt.Sprint(i)})
			if len(b.engine.Kept(runs...)) > 2 {
				t.Fatalf("in memory are %v", b.engine.Kept(runs...))
			}
		}
	}
	for _, run := range runs {
		before := b.head(run)
		if got := b.load(run).Stream.Seq; got != before || before < 8 {
			t.Errorf("%s is read at %d, and stands at %d", run, got, before)
		}
	}
}
