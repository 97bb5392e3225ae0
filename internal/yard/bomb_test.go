package yard

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/usertest"
)

// plant puts a commit of the tree into a workspace's own repository, as its HEAD.
func (b *forgedBundle) plant(t *testing.T, dir, base string, tree []byte) string {
	t.Helper()
	commit, pack := b.finish(base, tree)
	cmd := exec.CommandContext(ctx(t), "git", "index-pack", "--stdin")
	cmd.Dir, cmd.Stdin = dir, bytes.NewReader(pack)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	hash := fmt.Sprintf("%x", commit)
	must(t, os.WriteFile(dir+"/.git/HEAD", []byte(hash+"\n"), 0o600))
	return hash
}

// delta adds one that repeats its base.
func (b *forgedBundle) delta(base []byte, size, times int) {
	content := binary.AppendUvarint(binary.AppendUvarint(nil, uint64(size)), uint64(size*times))
	content = append(content, bytes.Repeat([]byte{0x80}, times)...) // 64 KiB from the beginning
	b.header(referenceDelta, len(content))
	b.pack.Write(base)
	b.compress(content)
}

// TestHandInSurvivesBombs has agents whose last commit describes more than anybody could read. The files must arrive.
func TestHandInSurvivesBombs(t *testing.T) {
	f := newFixture(t)
	for name, bomb := range map[string]func(b *forgedBundle) []byte{
		"files without end": func(b *forgedBundle) []byte {
			blob := b.add("blob", []byte("x"))
			return b.tower(b.add("tree", append([]byte("100644 f\x00"), blob...)), 9, 10)
		},
		"folders without end": func(b *forgedBundle) []byte { return b.tower(b.add("tree", nil), 10, 50) },
		"a bottomless one":    func(b *forgedBundle) []byte { return b.tower(b.add("tree", nil), 60_000, 1) },
		"a deep path":         func(b *forgedBundle) []byte { return b.tower(b.add("tree", nil), 3000, 1) },
		"bytes without end": func(b *forgedBundle) []byte {
			blob := b.add("blob", make([]byte, 8<<20))
			return b.tower(b.add("tree", append([]byte("100644 f\x00"), blob...)), 2, 80)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := f.workspace(t)
			sh(t, dir, "echo n > new")
			var b forgedBundle
			head := b.plant(t, dir, f.base, bomb(&b))
			handed, imported := f.handIn(t, f.handInSpec(t, dir))
			equal(t, "paths", f.paths(t, imported.Commit), ".gitignore README.md new src/a.txt")
			if notes := strings.Join(handed.Notes, "\n"); !strings.Contains(notes, head) || !strings.Contains(notes, "limit") && !strings.Contains(notes, "damaged") {
				t.Errorf("nothing is said about it: %s", notes)
			}
		})
	}
}

func TestHandInSurvivesBombsAsAPlainUser(t *testing.T) {
	usertest.Again(t, nil, "TestHandInSurvivesBombs")
}

// TestHandInMeasuresWhatIsNew has commits that are small in the workspace and would be large in a pack.
func TestHandInMeasuresWhatIsNew(t *testing.T) {
	f := newFixture(t)
	dir := f.workspace(t)
	sh(t, dir, "head -c 3000000 /dev/zero > zeros; git add .; git commit -qm zeros; git rm -q zeros; git commit -qm none; echo n > new")
	h, err := newHandIn(f.handInSpec(t, dir))
	must(t, err)
	for _, most := range []packLimits{
		{objects: 1000, object: 2_000_000, total: 1 << 30}, {objects: 1000, object: 1 << 30, total: 2_999_999}, {objects: 3, object: 1 << 30, total: 1 << 30},
	} {
		h.pack, h.notes = most, nil
		result, err := h.collect(ctx(t), h.agentRefs())
		must(t, err)
		equal(t, "commits", result.Commits, 1)
		if !strings.Contains(strings.Join(result.Notes, "\n"), "the limit") {
			t.Errorf("%+v: nothing is said about it: %q", most, result.Notes)
		}
	}
	h.pack = packLimits{objects: 5, object: 3_000_000, total: 3_001_000} // two commits, two trees, one blob
	result, err := h.collect(ctx(t), h.agentRefs())
	must(t, err)
	equal(t, "commits", result.Commits, 3)
}

// TestHandInLeavesBombsOnOtherBranches has the bomb where no file of the workspace comes from.
func TestHandInLeavesBombsOnOtherBranches(t *testing.T) {
	f := newFixture(t)
	dir := f.workspace(t)
	head, err := os.ReadFile(dir + "/.git/HEAD")
	must(t, err)
	var b forgedBundle
	bomb := b.plant(t, dir, f.base, b.tower(b.add("tree", nil), 10, 50))
	must(t, os.WriteFile(dir+"/.git/HEAD", head, 0o600))
	must(t, os.WriteFile(dir+"/.git/refs/heads/side", []byte(bomb+"\n"), 0o600))
	sh(t, dir, "echo n > new")
	handed, _ := f.handIn(t, f.handInSpec(t, dir))
	if len(handed.Left) != 0 || !strings.Contains(strings.Join(handed.Notes, "\n"), bomb) {
		t.Errorf("%+v", handed)
	}
}

// TestImportRefusesPackBombs has bundles that git would unpack for hours, or in more memory than there is.
func TestImportRefusesPackBombs(t *testing.T) {
	f := newFixture(t)
	f.yard.pack = packLimits{objects: 200, object: 4 << 20, total: 16 << 20}
	for name, bomb := range map[string]func(b *forgedBundle) []byte{
		"one blob": func(b *forgedBundle) []byte {
			blob := b.add("blob", make([]byte, 5<<20))
			return b.add("tree", append([]byte("100644 f\x00"), blob...))
		},
		"many blobs": func(b *forgedBundle) []byte {
			for i := range 30 {
				b.add("blob", append(make([]byte, 1<<20), fmt.Sprint(i)...))
			}
			return b.add("tree", nil)
		},
		"many objects": func(b *forgedBundle) []byte {
			for i := range 201 {
				b.add("blob", []byte(fmt.Sprint(i)))
			}
			return b.add("tree", nil)
		},
		"a delta that grows": func(b *forgedBundle) []byte {
			b.delta(b.add("blob", make([]byte, 64<<10)), 64<<10, 2000)
			return b.add("tree", nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			var b forgedBundle
			bundle := b.write(t, f.base, bomb(&b))
			_, err := f.yard.Import(ctx(t), ImportSpec{Bundle: bundle, Ref: Attempts + "r/1", Base: f.base, MaxBytes: enough})
			if _, tooBig := errors.AsType[*TooBigError](err); !tooBig {
				t.Fatalf("got %v", err)
			}
			packs := sh(t, f.yard.Dir(), "ls objects/pack | wc -l")
			if _, err := f.yard.Resolve(ctx(t), Attempts+"r/1"); !errors.Is(err, ErrNotFound) {
				t.Errorf("there is a ref: %v (%s packs)", err, packs)
			}
		})
	}
}

// TestImportIsCancelled ends the look at a pack together with whoever asked for it.
func TestImportIsCancelled(t *testing.T) {
	f := newFixture(t)
	var b forgedBundle
	blob := b.add("blob", make([]byte, 32<<20))
	bundle := b.write(t, f.base, b.add("tree", append([]byte("100644 f\x00"), blob...)))
	ended, cancel := context.WithCancel(ctx(t))
	cancel()
	if _, err := f.yard.Import(ended, ImportSpec{Bundle: bundle, Ref: Attempts + "r/1", Base: f.base, MaxBytes: enough}); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
}

// TestAPackOfNonsenseSaysWhatIsWrong: an object whose size is written as more than there can be.
func TestAPackOfNonsenseSaysWhatIsWrong(t *testing.T) {
	pack := append([]byte("PACK\x00\x00\x00\x02\x00\x00\x00\x01\xb0"), binary.AppendUvarint(nil, 1<<60)...)
	err := scanPack(ctx(t), bytes.NewReader(pack), defaultPackLimits())
	if !errors.Is(err, ErrCorrupt) || strings.Contains(err.Error(), "%!") {
		t.Errorf("got %v", err)
	}
}
