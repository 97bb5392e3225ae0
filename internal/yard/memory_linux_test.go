package yard

import (
	"strings"
	"testing"
)

// TestGitHasItsMemory lets git read a tree that is larger than its memory.
func TestGitHasItsMemory(t *testing.T) {
	f := newFixture(t)
	dir := f.workspace(t)
	var b forgedBundle
	blob := b.add("blob", []byte("x"))
	head := b.plant(t, dir, f.base, b.tower(b.add("tree", append([]byte("100644 f\x00"), blob...)), 9, 10))
	h, err := newHandIn(f.handInSpec(t, dir))
	must(t, err)
	h.git.memory = 64 << 20
	_, err = h.git.with("GIT_INDEX_FILE="+h.private+"/index").run(ctx(t), "read-tree", head)
	if err == nil || !strings.Contains(err.Error(), "ut of memory") {
		t.Fatalf("got %v", err)
	}
}
