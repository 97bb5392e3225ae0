package engine_test

import (
	"errors"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestPokeWritesTheJournalFirst asks for effects while the run folder misses
// events, as after a crash or on a full disk.
func TestPokeWritesTheJournalFirst(t *testing.T) {
	b := newBench(t)
	b.ledger.failWith(errors.New("no space left on device"))
	b.submit("r1", core.Person("me"), start("r1", core.DefaultLimits()))
	if err := b.engine.Poke(t.Context(), "r1"); err == nil {
		t.Error("a run whose journal cannot be written was poked")
	}
	if b.recorder.has(isStart("a.r1.a1")) {
		t.Error("the attempt was handed out before its request was in the journal")
	}
	b.ledger.failWith(nil)
	if err := b.engine.Poke(t.Context(), "r1"); err != nil {
		t.Fatal(err)
	}
	if seq, err := b.ledger.Seq(t.Context(), &core.Run{ID: "r1"}); err != nil || seq == 0 {
		t.Errorf("the journal stands at %d, %v", seq, err)
	}
	if !b.recorder.has(isStart("a.r1.a1")) {
		t.Error("the attempt was not handed out")
	}
}
