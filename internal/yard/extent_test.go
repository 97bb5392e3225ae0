package yard

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// forgedBundle collects objects that git itself would take forever to write.
type forgedBundle struct {
	pack    bytes.Buffer
	deflate *zlib.Writer
	objects uint32
}

func (b *forgedBundle) add(kind string, content []byte) (hash []byte) {
	b.header(map[string]int{"commit": 1, "tree": 2, "blob": 3}[kind], len(content))
	b.compress(content)
	sum := sha1.Sum(append(fmt.Appendf(nil, "%s %d\x00", kind, len(content)), content...))
	return sum[:]
}

func (b *forgedBundle) header(kind, size int) {
	head := byte(kind<<4 | size&0xf)
	for size >>= 4; size > 0; size >>= 7 {
		b.pack.WriteByte(head | 0x80)
		head = byte(size & 0x7f)
	}
	b.pack.WriteByte(head)
	b.objects++
}

func (b *forgedBundle) compress(content []byte) {
	if b.deflate == nil {
		b.deflate = zlib.NewWriter(&b.pack)
	}
	b.deflate.Reset(&b.pack)
	_, _ = b.deflate.Write(content) // a bytes.Buffer takes everything
	_ = b.deflate.Close()
}

// tower stacks trees on each other: each holds the one below it width times.
func (b *forgedBundle) tower(top []byte, height, width int) []byte {
	for range height {
		var tree []byte
		for i := range width {
			tree = append(fmt.Appendf(tree, "40000 %03d\x00", i), top...)
		}
		top = b.add("tree", tree)
	}
	return top
}

// finish adds a commit of the tree on base, and returns the whole pack.
func (b *forgedBundle) finish(base string, tree []byte) (commit, pack []byte) {
	commit = b.add("commit", fmt.Appendf(nil, "tree %x\nparent %s\nauthor A <a@b> 0 +0000\ncommitter A <a@b> 0 +0000\n\nx\n", tree, base))
	pack = append([]byte("PACK\x00\x00\x00\x02"), binary.BigEndian.AppendUint32(nil, b.objects)...)
	pack = append(pack, b.pack.Bytes()...)
	sum := sha1.Sum(pack)
	return commit, append(pack, sum[:]...)
}

// write makes a bundle with a commit of the tree on base.
func (b *forgedBundle) write(t *testing.T, base string, tree []byte) string {
	t.Helper()
	commit, pack := b.finish(base, tree)
	file := filepath.Join(folder(t), "forged.bundle")
	header := fmt.Sprintf("# v2 git bundle\n-%s \n%x %s\n\n", base, commit, bundleHead)
	must(t, os.WriteFile(file, append([]byte(header), pack...), 0o600))
	return file
}

// TestImportRefusesTreeBombs has bundles of a few kilobytes that describe trees nobody could list or check out.
func TestImportRefusesTreeBombs(t *testing.T) {
	f := newFixture(t)
	for name, bomb := range map[string]struct {
		tree  func(b *forgedBundle) []byte
		crash bool // git may break over it before it is counted
	}{
		"files without end": {tree: func(b *forgedBundle) []byte {
			blob := b.add("blob", []byte("x"))
			return b.tower(b.add("tree", append([]byte("100644 f\x00"), blob...)), 10, 50)
		}},
		"folders without end": {tree: func(b *forgedBundle) []byte { return b.tower(b.add("tree", nil), 10, 50) }},
		"bytes without end": {tree: func(b *forgedBundle) []byte {
			blob := b.add("blob", make([]byte, 8<<20))
			return b.tower(b.add("tree", append([]byte("100644 f\x00"), blob...)), 2, 80)
		}},
		"a deep path":      {tree: func(b *forgedBundle) []byte { return b.tower(b.add("tree", nil), 3000, 1) }},
		"a bottomless one": {tree: func(b *forgedBundle) []byte { return b.tower(b.add("tree", nil), 60_000, 1) }, crash: true},
		"a long name": {tree: func(b *forgedBundle) []byte {
			blob := b.add("blob", []byte("x"))
			return b.add("tree", append([]byte("100644 "+strings.Repeat("n", 300)+"\x00"), blob...))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			var b forgedBundle
			bundle := b.write(t, f.base, bomb.tree(&b))
			_, err := f.yard.Import(ctx(t), ImportSpec{Bundle: bundle, Ref: Attempts + "r/1", Base: f.base, MaxBytes: enough})
			if _, tooBig := errors.AsType[*TooBigError](err); !tooBig && (!bomb.crash || !errors.Is(err, ErrCorrupt)) {
				t.Fatalf("got %v", err)
			}
			refs, err := f.yard.Refs(ctx(t), Attempts)
			must(t, err)
			equal(t, "refs", len(refs), 0)
		})
	}
}

func TestCheckoutRefusesTreesOverTheLimits(t *testing.T) {
	f := newFixture(t)
	for _, most := range []extent{{entries: 3, bytes: 1 << 20}, {entries: 100, bytes: 10}} {
		f.yard.extent = most
		dir := filepath.Join(folder(t), "w")
		if _, tooBig := errors.AsType[*TooBigError](f.yard.Checkout(ctx(t), dir, f.base)); !tooBig {
			t.Errorf("%+v: not refused", most)
		}
		if _, tooBig := errors.AsType[*TooBigError](second(f.yard.Files(ctx(t), f.base))); !tooBig {
			t.Errorf("%+v: not refused", most)
		}
	}
	f.yard.extent = extent{entries: 4, bytes: 24} // src, src/a.txt (8 bytes), README.md (6) and .gitignore (6)
	must(t, f.yard.Checkout(ctx(t), filepath.Join(folder(t), "w"), f.base))
}
