package yard

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestACheckpointSaysWhoseItIs: a commit that an agent did not make carries the words, the name and the date it was ordered with.
func TestACheckpointSaysWhoseItIs(t *testing.T) {
	f := newFixture(t)
	const committed = "echo n > new; git add .; git commit -qm mine"
	for name, c := range map[string]struct {
		script          string
		mark            bool
		commits         int
		checked, marked bool
	}{
		"work that nobody committed":          {"echo n > new", false, 1, true, false},
		"work that nobody committed, marked":  {"echo n > new", true, 1, true, false},
		"work that the agent committed":       {committed, false, 1, false, false},
		"work that it committed, marked":      {committed, true, 2, false, true},
		"work that it committed, and more":    {committed + "; echo m > more", true, 2, true, false},
		"a commit of nothing, to be marked":   {"git commit -q --allow-empty -m mine", true, 2, false, true},
		"a branch beside, nothing to be seen": {"git checkout -q -b side; " + committed + "; git checkout -q -", true, 0, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := f.workspace(t)
			sh(t, dir, c.script)
			spec := f.handInSpec(t, dir)
			spec.Mark, spec.When = c.mark, noon()
			handed, imported := f.handIn(t, spec)
			if handed.Commits != c.commits || handed.Checkpointed != c.checked || handed.Marked != c.marked {
				t.Fatalf("got %+v", handed)
			}
			made := sh(t, f.yard.Dir(), "git log -1 --format='%an <%ae> %at|%cn <%ce> %ct|%B' "+imported.Commit)
			by := fmt.Sprintf("%s <%s> %d", testIdentity().Name, testIdentity().Email, noon().Unix())
			if want := by + "|" + by + "|" + spec.Message; (made == want) != (c.checked || c.marked) {
				t.Errorf("the last commit is %q", made)
			}
			tree, err := f.yard.Tree(ctx(t), imported.Commit)
			must(t, err)
			equal(t, "tree", imported.Tree, tree)
			if c.marked {
				changes, err := f.yard.Changed(ctx(t), imported.Commit+"~1", imported.Commit)
				must(t, err)
				equal(t, "changes by the mark", len(changes), 0)
			}
		})
	}
}

func TestACheckpointWithoutADateIsOfNow(t *testing.T) {
	f := newFixture(t)
	dir := f.workspace(t)
	sh(t, dir, "echo n > new")
	before := time.Now().Truncate(time.Second)
	imported := f.roundTrip(t, dir)
	log, err := f.yard.Log(ctx(t), f.base, imported.Commit)
	must(t, err)
	if at := log[0].AuthoredAt; at.Before(before) || at.After(time.Now()) {
		t.Errorf("it is of %s", at)
	}
}

// TestHandInLeavesSubmodulesAsTheyWere: where the base has one, its files are not the repository's own, whatever lies there.
func TestHandInLeavesSubmodulesAsTheyWere(t *testing.T) {
	f := newFixture(t)
	f.base = f.commit(t, "linked", "git update-index --add --cacheinfo 160000,"+f.base+",sub; mkdir sub; git commit -qm sub; touch new")
	for name, script := range map[string]string{
		"untouched": "true", "filled": "cd sub; git init -q; echo s > s; git add .; git commit -qm s", "filled and not committed": "cd sub; git init -q; echo s > s",
		"gone": "rm -rf sub",
	} {
		t.Run(name, func(t *testing.T) {
			dir := f.workspace(t)
			sh(t, dir, script)
			sh(t, dir, "echo m > more")
			imported := f.roundTrip(t, dir)
			changes, err := f.yard.Changed(ctx(t), f.base, imported.Commit)
			must(t, err)
			if len(changes) != 1 || changes[0] != (Change{Path: "more", Status: 'A', Kind: Regular, Added: 1}) {
				t.Errorf("changed are %v", changes)
			}
		})
	}
}

func TestHandInSaysNoMoreThanAnybodyReads(t *testing.T) {
	f := newFixture(t)
	dir := f.workspace(t)
	sh(t, dir, "echo n > new; for i in $(seq 150); do mkfifo .gitpipe$i; done")
	handed, _ := f.handIn(t, f.handInSpec(t, dir))
	equal(t, "notes", len(handed.Notes), 100)
}

// TestHandInThatNobodyWaitsFor leaves neither a bundle nor anything it was made from.
func TestHandInThatNobodyWaitsFor(t *testing.T) {
	f := newFixture(t)
	dir := f.workspace(t)
	sh(t, dir, "echo n > new; git add .; git commit -qm one; echo m > more")
	spec := f.handInSpec(t, dir)
	ended, cancel := context.WithCancel(ctx(t))
	cancel()
	if _, err := HandIn(ended, spec); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	left, err := os.ReadDir(filepath.Dir(spec.Bundle))
	must(t, err)
	if len(left) > 0 {
		t.Errorf("left are %v", left)
	}
}

// TestHandInReadsRefsAsFarAsAnybodyHasThem: a file of refs that goes on without end is not read to it.
func TestHandInReadsRefsAsFarAsAnybodyHasThem(t *testing.T) {
	dir := folder(t)
	must(t, os.WriteFile(filepath.Join(dir, "refs"), []byte(strings.Repeat("x", maxRefFile+1)), 0o600))
	root, err := os.OpenRoot(dir)
	must(t, err)
	defer func() { must(t, root.Close()) }()
	equal(t, "bytes", len(readRegular(root, "refs")), maxRefFile)
}
