package yard

import (
	"io"
	"os"
	"os/exec"
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

// TestHandInTellsTooMuchFromDamage has a commit that git has no memory for.
func TestHandInTellsTooMuchFromDamage(t *testing.T) {
	f := newFixture(t)
	dir := f.workspace(t)
	sh(t, dir, "head -c 50000000 /dev/zero | tr '\\0' x | git commit -q --allow-empty -F -")
	h, err := newHandIn(f.handInSpec(t, dir))
	must(t, err)
	h.git.memory = 32 << 20
	flaw, err := h.flaw(ctx(t), sh(t, dir, "git rev-parse HEAD"))
	must(t, err)
	if !strings.Contains(flaw, "more memory") {
		t.Errorf("it is %s", flaw)
	}
}

// TestAddedSaysWhatItCouldNotRead: what git has no memory for was not searched, which is not the same as nothing found.
func TestAddedSaysWhatItCouldNotRead(t *testing.T) {
	f := newFixture(t)
	head := f.commit(t, "topic", "head -c 50000000 /dev/zero > zeros; git add zeros")
	f.yard.memory = 32 << 20
	for _, history := range []string{"", "format:commit %s"} {
		cut, err := f.yard.Added(ctx(t), io.Discard, f.base, head, AddedOptions{History: history, MaxBytes: 1 << 30})
		must(t, err)
		if !cut {
			t.Errorf("with format %q everything was read", history)
		}
	}
	head = f.commit(t, "long", "head -c 50000000 /dev/zero | tr '\\0' x | git commit -q --allow-empty -F -; touch new")
	cut, err := f.yard.AddedCommits(ctx(t), io.Discard, f.base, head, 1<<30)
	must(t, err)
	if !cut {
		t.Error("a commit without end was read")
	}
}

// TestGitWithoutALimitDoesNotBegin: what cannot be bounded does not read what an agent made.
func TestGitWithoutALimitDoesNotBegin(t *testing.T) {
	made := t.TempDir() + "/made"
	cmd := exec.CommandContext(ctx(t), "git", "init", made)
	limitMemory(cmd, 1<<30)
	cmd.Args[3] = "no number"
	if out, err := cmd.CombinedOutput(); err == nil {
		t.Errorf("it ran: %s", out)
	}
	if _, err := os.Stat(made); !os.IsNotExist(err) {
		t.Errorf("git began: %v", err)
	}
}
