package yard

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestATreeIsMeasuredByWhatIsNewInIt compares what is summed up from known trees with what git lists.
func TestATreeIsMeasuredByWhatIsNewInIt(t *testing.T) {
	f := newFixture(t)
	must(t, f.yard.vet(ctx(t), f.base))
	for name, script := range map[string]string{
		"a file":      "echo more >> README.md",
		"folders":     "mkdir -p a/bb/ccc; echo 1 > a/bb/ccc/d; echo 22 > a/x; cp -r a src/again",
		"a link":      "ln -s README.md link; chmod +x src/a.txt",
		"a submodule": "git update-index --add --cacheinfo 160000," + f.base + ",sub; mkdir sub; git commit -qm sub; touch new",
		"less":        "git rm -q src/a.txt",
	} {
		t.Run(name, func(t *testing.T) {
			commit := f.commit(t, slug(t), script)
			root, err := f.yard.Tree(ctx(t), commit)
			must(t, err)
			summed, err := f.yard.measureNew(ctx(t), root)
			must(t, err)
			listed, err := f.yard.measureAll(ctx(t), commit, root)
			must(t, err)
			equal(t, "size", summed, listed)
			equal(t, "submodules", summed.links, name == "a submodule")
			f.yard.vetted.Clear()
			f.yard.extent.entries = summed.entries - 1
			if err := f.yard.vet(ctx(t), commit); !errors.As(err, new(*TooBigError)) {
				t.Errorf("over the limit it is %v", err)
			}
			f.yard.extent = defaultExtent()
		})
	}
}

// TestMuchThatIsNewIsListedByGit: a look for each of many objects takes longer.
func TestMuchThatIsNewIsListedByGit(t *testing.T) {
	f := newFixture(t)
	must(t, f.yard.vet(ctx(t), f.base))
	commit := f.commit(t, "many", "mkdir many; for i in $(seq 600); do echo $i > many/$i; done")
	root, err := f.yard.Tree(ctx(t), commit)
	must(t, err)
	if _, err := f.yard.measureNew(ctx(t), root); !errors.Is(err, errManyLooks) {
		t.Errorf("looked up: %v", err)
	}
	must(t, f.yard.vet(ctx(t), commit))
	if _, err := f.yard.measureNew(ctx(t), root); err != nil {
		t.Errorf("after that: %v", err)
	}
}

// TestRefsMoveAsGitMovesThem has refs in git's other file, refs in each other's way, and one that another process holds.
func TestRefsMoveAsGitMovesThem(t *testing.T) {
	f := newFixture(t)
	other := f.commit(t, "other", "echo o > o")
	must(t, f.yard.Move(ctx(t), "refs/heads/packed", "", f.base))
	sh(t, f.yard.Dir(), "git pack-refs --all; rmdir refs/heads/* 2>/dev/null || true")
	must(t, f.yard.Move(ctx(t), "refs/heads/packed", f.base, other))
	equal(t, "what git sees", sh(t, f.yard.Dir(), "git rev-parse refs/heads/packed"), other)
	sh(t, f.yard.Dir(), "git pack-refs --all")
	for _, ref := range []string{"refs/heads/packed/below", "refs/heads/loose/below", "refs/heads/full"} {
		if ref != "refs/heads/packed/below" {
			must(t, f.yard.Move(ctx(t), "refs/heads/loose", "", f.base))
			must(t, f.yard.Move(ctx(t), "refs/heads/full/x", "", f.base))
		}
		if err := f.yard.Move(ctx(t), ref, "", other); err == nil {
			t.Errorf("%s exists beside what is in its way", ref)
		}
	}
	must(t, os.MkdirAll(filepath.Join(f.yard.Dir(), "refs/heads/empty/deeper"), 0o755))
	must(t, f.yard.Move(ctx(t), "refs/heads/empty", "", f.base))
	if err := f.yard.Move(ctx(t), "refs/heads/nothing", "", strings.Repeat("1", len(f.base))); err == nil {
		t.Error("a branch points at nothing")
	}
	tree, err := f.yard.Tree(ctx(t), f.base)
	must(t, err)
	if err := f.yard.Move(ctx(t), "refs/heads/tree", "", tree); err == nil {
		t.Error("a branch points at a tree")
	}

	must(t, os.WriteFile(filepath.Join(f.yard.Dir(), "refs/heads/loose.lock"), nil, 0o644))
	hurried, cancel := context.WithCancel(ctx(t))
	cancel()
	if err := f.yard.tryMoves(hurried, []move{{"refs/heads/loose", f.base, other}}); err == nil {
		t.Error("a ref moved under another's lock")
	}
	must(t, os.Remove(filepath.Join(f.yard.Dir(), "refs/heads/loose.lock")))
	must(t, f.yard.Move(ctx(t), "refs/heads/loose", f.base, other))
	locks, err := filepath.Glob(filepath.Join(f.yard.Dir(), "refs/heads/*.lock"))
	must(t, err)
	equal(t, "locks left", len(locks), 0)
	sh(t, f.yard.Dir(), "git fsck --strict 2>&1")
}

// hollow adds a symlink without a target, which only git can keep.
const hollow = `git update-index --add --cacheinfo 120000,$(git hash-object -w --stdin </dev/null),d/hollow; git update-index --skip-worktree d/hollow`

// TestALinkWithoutATargetIsRefused, whether the tree is looked up piece by piece or listed: it could never be checked out.
func TestALinkWithoutATargetIsRefused(t *testing.T) {
	f := newFixture(t)
	commit := f.commit(t, "hollow", hollow+`; git commit -qm hollow; touch after`)
	for _, known := range []bool{false, true} {
		if known {
			must(t, f.yard.vet(ctx(t), f.base))
		}
		if err := f.yard.vet(ctx(t), commit); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), `hollow" is a symlink without a target`) {
			t.Errorf("with sizes known %t: %v", known, err)
		}
	}
}
