package pack_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/object/folder"
	"github.com/stellwerk-dev/stellwerk/internal/pack"
)

// TestARunComesBackByItsOwnPacks: its base rests on the pack of an earlier run's, and only the packs that its own events name
// are left, as in its folder.
func TestARunComesBackByItsOwnPacks(t *testing.T) {
	h := newHistory(t)
	ctx := t.Context()
	earlier := packed(h, h.git(h.person, "rev-parse HEAD"))
	h.write("a.txt", strings.Repeat("one line of many\n", 401))
	base := h.commit("second")
	if err := h.yard.Fetch(ctx, h.person); err != nil {
		t.Fatal(err)
	}
	digest, err := pack.Keep(ctx, h.objects, h.yard, []string{base}, earlier.BaseCommit)
	if err != nil {
		t.Fatal(err)
	}
	h.say(core.RunStarted{Run: theRun, BaseCommit: base, Remote: earlier.Remote, BasePack: digest, BaseRests: []string{earlier.BasePack}})
	h.deliver(1, base, "new\n")
	own, err := folder.Open(filepath.Join(h.dir, "own"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range h.events {
		digests, err := pack.Named(e, core.Decode)
		if err != nil {
			t.Fatal(err)
		}
		for _, digest := range digests {
			content, err := h.objects.Open(ctx, digest)
			if err != nil {
				t.Fatal(err)
			}
			if _, _, err := own.Put(ctx, content, 0); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.RemoveAll(h.person); err != nil {
		t.Fatal(err)
	}
	h.objects = own
	y := h.open("again.git")
	if err := h.code().RestoreRun(ctx, y, "p1", theRun, h.events); err != nil {
		t.Fatal(err)
	}
	if err := y.Restored(); err != nil {
		t.Fatal(err)
	}
	h.same(y)
}
