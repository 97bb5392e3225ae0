package yard

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
)

// leftover is a bundle with a commit and one beside it, and how both are imported.
func leftover(t testing.TB) (fixture, ImportSpec, HandedIn) {
	t.Helper()
	f := newFixture(t)
	dir := f.workspace(t)
	sh(t, dir, "git checkout -q -b side; echo s > side; git add .; git commit -qm side; git checkout -q feature/x-step-1; echo n > new")
	spec := f.handInSpec(t, dir)
	handed, err := HandIn(ctx(t), spec)
	must(t, err)
	equal(t, "commits beside", len(handed.Left), 1)
	return f, ImportSpec{Bundle: spec.Bundle, Ref: Attempts + "r/1", Left: Kept + "r/1/", Base: f.base, MaxBytes: enough}, handed
}

// TestImportMakesAllRefsOrNone: what stands in the way of one ref stands in the way of the import.
func TestImportMakesAllRefsOrNone(t *testing.T) {
	f, spec, handed := leftover(t)
	must(t, f.yard.Keep(ctx(t), Kept+"r/1/0", f.base))
	moved, ok := errors.AsType[*MovedError](second(f.yard.Import(ctx(t), spec)))
	if !ok || moved.Ref != Kept+"r/1/0" || moved.Have != f.base || moved.Want != "" {
		t.Fatalf("got %+v", moved)
	}
	if _, err := f.yard.Resolve(ctx(t), spec.Ref); !errors.Is(err, ErrNotFound) {
		t.Errorf("half of it was imported: %v", err)
	}
	spec.Left = Kept + "r/2"
	imported, err := f.yard.Import(ctx(t), spec)
	must(t, err)
	equal(t, "commit", imported.Commit, handed.Commit)
	equal(t, "beside", strings.Join(imported.Left, " "), handed.Left[0])
}

// TestImportGoesOnWhereItWasCutShort: some of its refs are there, the others come.
func TestImportGoesOnWhereItWasCutShort(t *testing.T) {
	f, spec, handed := leftover(t)
	whole := spec
	spec.Left = ""
	imported, err := f.yard.Import(ctx(t), spec)
	must(t, err)
	equal(t, "commits beside, where nobody wants them", len(imported.Left), 0)
	refs, err := f.yard.Refs(ctx(t), Kept)
	must(t, err)
	equal(t, "refs beside", len(refs), 0)

	must(t, second(f.yard.Import(ctx(t), whole)))
	for ref, want := range map[string]string{spec.Ref: handed.Commit, Kept + "r/1/0": handed.Left[0]} {
		at, err := f.yard.Resolve(ctx(t), ref)
		must(t, err)
		equal(t, ref, at, want)
	}
}

// TestImportRefusesHoles has packs that lack what their commits are made of.
func TestImportRefusesHoles(t *testing.T) {
	f := newFixture(t)
	nowhere := bytes.Repeat([]byte{0x11}, hashWidth)
	for name, hole := range map[string]func(b *forgedBundle) (base string, tree []byte){
		"a file": func(b *forgedBundle) (string, []byte) {
			return f.base, b.add("tree", append([]byte("100644 f\x00"), nowhere...))
		},
		"a folder": func(b *forgedBundle) (string, []byte) {
			return f.base, b.add("tree", append([]byte("40000 d\x00"), nowhere...))
		},
		"the tree": func(*forgedBundle) (string, []byte) { return f.base, nowhere },
		"a parent": func(b *forgedBundle) (string, []byte) { return fmt.Sprintf("%x", nowhere), b.add("tree", nil) },
	} {
		t.Run(name, func(t *testing.T) {
			var b forgedBundle
			base, tree := hole(&b)
			bundle := b.write(t, base, tree)
			content, err := os.ReadFile(bundle)
			must(t, err)
			must(t, os.WriteFile(bundle, bytes.Replace(content, []byte("-"+base), []byte("-"+f.base), 1), 0o600))
			_, err = f.yard.Import(ctx(t), ImportSpec{Bundle: bundle, Ref: Attempts + "r/1", Base: f.base, MaxBytes: enough})
			if !errors.Is(err, ErrCorrupt) {
				t.Errorf("got %v", err)
			}
			if _, err := f.yard.Resolve(ctx(t), Attempts+"r/1"); !errors.Is(err, ErrNotFound) {
				t.Errorf("there is a ref: %v", err)
			}
		})
	}
}

// TestABundleSaysWhatHandInSays: every other header is a forgery.
func TestABundleSaysWhatHandInSays(t *testing.T) {
	a, b := strings.Repeat("a", 40), strings.Repeat("b", 40)
	const first = "# v2 git bundle\n"
	got, err := readBundleHeader(bufio.NewReader(strings.NewReader(first + "-" + b + " subject\n" + a + " refs/handin/head\n" + b + " refs/handin/left/0\n" + a + " refs/handin/left/1\n\nPACK")))
	must(t, err)
	if got.head != a || strings.Join(got.left, " ") != b+" "+a || strings.Join(got.prerequisites, " ") != b || len(got.commits()) != 3 {
		t.Errorf("got %+v", got)
	}
	for name, header := range map[string]string{
		"nothing":                  "",
		"another version":          "# v3 git bundle\n" + a + " refs/handin/head\n\n",
		"no commit":                first + "-" + b + " x\n\n",
		"two heads":                first + a + " refs/handin/head\n" + b + " refs/handin/head\n\n",
		"a number left out":        first + a + " refs/handin/left/1\n\n",
		"a number twice":           first + a + " refs/handin/left/0\n" + b + " refs/handin/left/0\n\n",
		"a branch":                 first + a + " refs/heads/main\n\n",
		"a hash that is none":      first + a[1:] + " refs/handin/head\n\n",
		"a hash in capitals":       first + strings.ToUpper(a) + " refs/handin/head\n\n",
		"a capability":             first + "@filter=blob:none\n" + a + " refs/handin/head\n\n",
		"a prerequisite of none":   first + "-x\n" + a + " refs/handin/head\n\n",
		"no end":                   first + a + " refs/handin/head\n",
		"a line without end":       first + a + " " + strings.Repeat("x", 10_000) + "\n\n",
		"more lines than there is": first + strings.Repeat("-"+b+" x\n", 10_001) + a + " refs/handin/head\n\n",
	} {
		if got, err := readBundleHeader(bufio.NewReader(strings.NewReader(header))); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// TestABadDayIsNoBadBundle: what the machine cannot do now is tried again, what is forged never is.
func TestABadDayIsNoBadBundle(t *testing.T) {
	ended, cancel := context.WithCancel(ctx(t))
	cancel()
	said := func(stderr string) *CommandError {
		return &CommandError{Args: []string{"index-pack"}, Exit: 128, Stderr: stderr}
	}
	for name, c := range map[string]struct {
		ctx             context.Context
		err             error
		corrupt, tooBig bool
	}{
		"a full disk":              {ctx(t), said("fatal: write error: No space left on device"), false, false},
		"a quota":                  {ctx(t), said("fatal: write error: Disk quota exceeded"), false, false},
		"a disk that is not rw":    {ctx(t), said("fatal: unable to create file: Read-only file system"), false, false},
		"a folder of another":      {ctx(t), said("error: unable to create temporary file: Permission denied"), false, false},
		"a broken disk":            {ctx(t), said("fatal: read error: Input/output error"), false, false},
		"somebody stopped it":      {ended, said("fatal: the pack is bad"), false, false},
		"git was killed":           {ctx(t), &CommandError{Args: []string{"index-pack"}, Exit: -1}, false, false},
		"git broke":                {ctx(t), &CommandError{Args: []string{"index-pack"}, Exit: -1, Broke: true}, true, false},
		"git refused it":           {ctx(t), said("fatal: the pack is bad"), true, false},
		"it needs too much":        {ctx(t), said("fatal: Out of memory, malloc failed"), false, true},
		"it is larger than it may": {ctx(t), fmt.Errorf("x: %w", &TooBigError{}), false, true},
	} {
		got := classifyImport(c.ctx, c.err)
		if _, tooBig := errors.AsType[*TooBigError](got); errors.Is(got, ErrCorrupt) != c.corrupt || tooBig != c.tooBig || got == nil {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestAPackIsCountedExactly has the limits exactly at what a pack holds, and one below each of them.
func TestAPackIsCountedExactly(t *testing.T) {
	var b forgedBundle
	blob := b.add("blob", make([]byte, 64<<10))
	b.delta(blob, 64<<10, 3) // makes 192 KiB
	b.add("blob", []byte("x"))
	_, pack := b.finish(strings.Repeat("1", 40), b.add("tree", nil))
	var seen packLimits
	s := &packScanner{in: bufio.NewReader(bytes.NewReader(pack[12:])), most: defaultPackLimits()}
	for range b.objects {
		must(t, s.object(ctx(t)))
	}
	seen = s.seen
	equal(t, "objects", seen.objects, int64(b.objects))
	if seen.total <= 256<<10 {
		t.Errorf("only %d bytes were counted", seen.total)
	}
	exact := packLimits{objects: seen.objects, object: 192 << 10, total: seen.total}
	must(t, scanPack(ctx(t), bytes.NewReader(pack), exact))
	for _, less := range []packLimits{{seen.objects - 1, exact.object, exact.total}, {exact.objects, exact.object - 1, exact.total}, {exact.objects, exact.object, exact.total - 1}} {
		if _, tooBig := errors.AsType[*TooBigError](scanPack(ctx(t), bytes.NewReader(pack), less)); !tooBig {
			t.Errorf("%+v is not heeded", less)
		}
	}
	for n := range pack[:len(pack)-20] { // the sum at its end is for git
		if err := scanPack(ctx(t), io.LimitReader(bytes.NewReader(pack), int64(n)), exact); !errors.Is(err, ErrCorrupt) {
			t.Fatalf("cut off after %d bytes: %v", n, err)
		}
	}
}

// TestAPackThatLiesAboutItsSizes unpacks to more, or to less, than it says.
func TestAPackThatLiesAboutItsSizes(t *testing.T) {
	for _, says := range []int{9, 11, 0} {
		var b forgedBundle
		b.header(3, says)
		b.compress([]byte("ten bytes."))
		_, pack := b.finish(strings.Repeat("1", 40), b.add("tree", nil))
		if err := scanPack(ctx(t), bytes.NewReader(pack), defaultPackLimits()); !errors.Is(err, ErrCorrupt) {
			t.Errorf("it says %d: %v", says, err)
		}
	}
}
