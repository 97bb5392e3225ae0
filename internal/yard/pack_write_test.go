package yard

import (
	"errors"
	"testing"
)

// TestCachedTreesAreTakenAsTheyAre, if they speak of as many files as there are.
func TestCachedTreesAreTakenAsTheyAre(t *testing.T) {
	id, cached := hashObject("blob", nil), hashObject("tree", []byte("cached"))
	entries := []indexEntry{{path: "a/b", mode: "100644", hash: id}, {path: "a/c", mode: "100644", hash: id}, {path: "d", mode: "100644", hash: id}}
	made := func(c *cachedTree) (objectID, uint32) {
		p := smallPack{known: map[objectID]bool{}, left: 1000}
		tree, err := p.addTrees(entries, 0, c)
		must(t, err)
		return tree, p.count
	}
	want, n := made(nil)
	equal(t, "trees", n, 2)
	for name, c := range map[string]cachedTree{
		"changed":        {entries: -1, hash: cached},
		"of fewer files": {entries: 2, hash: cached},
		"of more files":  {entries: 4, hash: cached},
		"changed below":  {entries: -1, below: []cachedTree{{name: "a", entries: -1, hash: cached}}},
		"of others":      {entries: -1, below: []cachedTree{{name: "d", entries: 1, hash: cached}}},
	} {
		if tree, n := made(&c); tree != want || n != 2 {
			t.Errorf("%s: %s and %d trees", name, tree, n)
		}
	}
	if tree, n := made(&cachedTree{entries: 3, hash: cached}); tree != cached || n != 0 {
		t.Errorf("the whole: %s and %d trees", tree, n)
	}
	if tree, n := made(&cachedTree{entries: -1, below: []cachedTree{{name: "a", entries: 2, hash: cached}}}); tree == want || n != 1 {
		t.Errorf("below: %s and %d trees", tree, n)
	}
}

// TestASmallPackIsSmall.
func TestASmallPackIsSmall(t *testing.T) {
	p := smallPack{known: map[objectID]bool{}, left: 5}
	for _, content := range []string{"abc", "abc", "de"} {
		if _, err := p.add(packedBlob, []byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := p.add(packedTree, []byte("f")); !errors.Is(err, errOdd) {
		t.Errorf("got %v", err)
	}
	equal(t, "objects", p.count, 2)
}
