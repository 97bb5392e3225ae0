package pack_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/pack"
)

// TestARunComesBackWhileItsRepositoryIsAway: the yard says what it misses, and has it when the repository is back, in this
// engine or in the next. That a yard was complete before its store knew the run makes no difference.
func TestARunComesBackWhileItsRepositoryIsAway(t *testing.T) {
	for _, next := range []bool{false, true} {
		h := newHistory(t)
		ctx := t.Context()
		base := h.git(h.person, "rev-parse HEAD")
		h.say(standIn(h, base))
		h.deliver(1, base, "new\n")
		events := h.events
		h.events = nil
		if err := os.Rename(h.person, h.person+"-away"); err != nil {
			t.Fatal(err)
		}
		options := pack.YardsOptions{Dir: filepath.Join(h.dir, "yards"), Code: h.code(), AskAgain: 1} // at every use
		yards := pack.NewYards(options)
		adopt := func() {
			t.Helper()
			if _, away := errors.AsType[*pack.Away](yards.Adopt(ctx, "p1", theRun, events)); !away {
				t.Fatal("the run's base is there")
			}
		}
		adopt()
		if _, err := yards.Yard(ctx, "p1"); err != nil { // of a project without runs, as the store has it
			t.Fatal(err)
		}
		h.events = events
		adopt()
		y, err := yards.Yard(ctx, "p1")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := y.Tree(ctx, base); err == nil || !strings.Contains(err.Error(), "the repository "+h.person+" cannot be reached; put it back") {
			t.Errorf("the run's base while the repository is away: %v", err)
		}
		if err := os.Rename(h.person+"-away", h.person); err != nil {
			t.Fatal(err)
		}
		if next {
			if err := yards.Close(); err != nil {
				t.Fatal(err)
			}
			yards = pack.NewYards(options)
		}
		if y, err = yards.Yard(ctx, "p1"); err != nil {
			t.Fatal(err)
		}
		h.same(y)
		if err := errors.Join(yards.Adopt(ctx, "p1", theRun, events), yards.Close()); err != nil {
			t.Error(err)
		}
	}
}
