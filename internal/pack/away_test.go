package pack_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/pack"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// TestARepositoryIsAway: a run began at what an earlier run delivered, and the yard is filled while the repository is away.
// The delivery rests on a commit that only the repository has, so it stays out: the yard would seem to have the run's base
// without most of its files, and git would never fetch them. Once the repository is back, everything is there.
func TestARepositoryIsAway(t *testing.T) {
	h := newHistory(t)
	ctx := t.Context()
	h.write("kept.txt", "not changed by any run\n")
	h.commit("second")
	if err := h.yard.Fetch(ctx, h.person); err != nil {
		t.Fatal(err)
	}
	first := h.git(h.person, "rev-parse HEAD")
	h.say(standIn(h, first))
	h.write("b.txt", "whole in the delivery's pack\n")
	second := h.deliver(1, first, strings.Repeat("one line of many\n", 400))
	h.say(standIn(h, second))
	yards := pack.NewYards(pack.YardsOptions{Dir: filepath.Join(h.dir, "yards"), Code: h.code()})
	t.Cleanup(func() { _ = yards.Close() })

	away := h.person + "-away"
	if err := os.Rename(h.person, away); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		y, err := yards.Yard(ctx, "p1")
		if err != nil {
			t.Fatal(err)
		}
		_, err = y.Tree(ctx, second)
		if !errors.Is(err, yard.ErrNotFound) || !strings.Contains(err.Error(), "the repository "+h.person+" cannot be reached; put it back") {
			t.Errorf("the run's base while the repository is away: %v", err)
		}
		if _, err := y.Resolve(ctx, "refs/heads/none"); !errors.Is(err, yard.ErrNotFound) || strings.Contains(err.Error(), h.person) {
			t.Errorf("a branch that never was: %v", err)
		}
		if said := h.git(y.Dir(), "fsck --full --no-dangling"); strings.Contains(said, "missing") || strings.Contains(said, "broken") {
			t.Errorf("git thinks of it: %s", said)
		}
	}

	if err := os.Rename(away, h.person); err != nil {
		t.Fatal(err)
	}
	y, err := yards.Yard(ctx, "p1")
	if err != nil {
		t.Fatal(err)
	}
	if files := h.git(y.Dir(), "ls-tree -r --name-only "+second); files != "a.txt\nb.txt\nkept.txt" {
		t.Errorf("the run's base has %q", files)
	}
	h.same(y)
	if _, err := y.Resolve(ctx, strings.Repeat("1", 40)); !errors.Is(err, yard.ErrNotFound) || strings.Contains(err.Error(), h.person) {
		t.Errorf("a commit that never was: %v", err)
	}
}

// TestARepositoryGetsItsCommitsBack: nobody sees from outside that a fetch brought them, so it is asked again after a while.
func TestARepositoryGetsItsCommitsBack(t *testing.T) {
	for _, again := range []bool{true, false} {
		t.Run(fmt.Sprintf("asked again: %t", again), func(t *testing.T) {
			h := newHistory(t)
			ctx := t.Context()
			first := h.git(h.person, "rev-parse HEAD")
			h.say(standIn(h, first))
			pause := time.Hour
			if again {
				pause = time.Nanosecond
			}
			yards := pack.NewYards(pack.YardsOptions{Dir: filepath.Join(h.dir, "yards"), Code: h.code(), AskAgain: pause})
			t.Cleanup(func() { _ = yards.Close() })
			object := filepath.Join(h.person, ".git", "objects", first[:2])
			if err := os.Rename(object, object+"-away"); err != nil {
				t.Fatal(err)
			}
			y, err := yards.Yard(ctx, "p1")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := y.Tree(ctx, first); !errors.Is(err, yard.ErrNotFound) {
				t.Fatalf("the repository has lost it: %v", err)
			}
			if err := os.Rename(object+"-away", object); err != nil {
				t.Fatal(err)
			}
			if y, err = yards.Yard(ctx, "p1"); err != nil {
				t.Fatal(err)
			}
			if _, err := y.Tree(ctx, first); (err == nil) != again {
				t.Errorf("once the repository has it again: %v", err)
			}
		})
	}
}

// TestLatePacksInAnyOrder: late packs are named by their digests, so one may be read before another that it rests on.
func TestLatePacksInAnyOrder(t *testing.T) {
	h := newHistory(t)
	ctx := t.Context()
	var commits []string
	for n := range 6 {
		h.write("a.txt", strings.Repeat("line\n", n+1))
		commits = append(commits, h.commit("more"))
		if err := h.yard.Fetch(ctx, h.person); err != nil {
			t.Fatal(err)
		}
		h.say(core.RefKept{Ref: yard.Kept + theRun + "/" + commits[n], Commit: commits[n]})
		if err := h.yard.Keep(ctx, yard.Kept+theRun+"/"+commits[n], commits[n]); err != nil {
			t.Fatal(err)
		}
		if err := h.code().Secure(ctx, h.yard, "p1", false); err != nil {
			t.Fatal(err)
		}
	}
	y, err := h.restore("again.git")
	if err != nil {
		t.Fatal(err)
	}
	h.same(y)
}

// TestAYardIsRemovedWhileItIsOpen: whoever asks next gets one that is filled again, and the process that read the old one ends.
func TestAYardIsRemovedWhileItIsOpen(t *testing.T) {
	h := worked(t, packed)
	ctx := t.Context()
	dir := filepath.Join(h.dir, "yards")
	yards := pack.NewYards(pack.YardsOptions{Dir: dir, Code: h.code()})
	t.Cleanup(func() { _ = yards.Close() })
	before, err := yards.Yard(ctx, "p1")
	if err != nil {
		t.Fatal(err)
	}
	h.same(before)
	if again, err := yards.Yard(ctx, "p1"); again != before || err != nil {
		t.Errorf("it was opened again, %v", err)
	}
	for _, lost := range []string{dir, before.Dir()} {
		if err := os.RemoveAll(lost); err != nil {
			t.Fatal(err)
		}
		after, err := yards.Yard(ctx, "p1")
		if err != nil {
			t.Fatal(err)
		}
		h.same(after)
		if _, err := before.Gone(); !errors.Is(err, os.ErrClosed) {
			t.Errorf("the yard that was removed is still held: %v", err)
		}
		before = after
	}
}
