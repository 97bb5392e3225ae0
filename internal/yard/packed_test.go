package yard

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// history has two commits of one large file that differ little, with a folder, a link and a program beside it, and a third
// commit that is too large to be checked out by hand. A fourth is as small as the second, and its history is not.
func history(t *testing.T) (f fixture, old, last, large, long string) {
	t.Helper()
	f = newFixture(t)
	dir := f.workspace(t)
	commit := func(script string) string {
		return sh(t, dir, script+` && git add . && git commit -qm next && git rev-parse HEAD`)
	}
	old = commit(`seq 1 20000 > numbers && mkdir -p deep/er && echo x > deep/er/x && ln -s numbers link && echo true > run.sh && chmod +x run.sh`)
	last = commit(`sed -i 's/^777$/seven/' numbers`)
	large = commit(`mkdir many && cd many && seq 1 1001 | xargs touch && cd ..`)
	commit(`rm -r many && head -c 9000000 /dev/urandom > noise`)
	long = commit(`rm noise`)
	sh(t, dir, "git push -q "+f.yard.Dir()+" HEAD:refs/heads/history")
	return f, old, last, large, long
}

// TestABaseIsLaidOutWithoutGit: a small one needs no process, also where an object is the difference to another.
func TestABaseIsLaidOutWithoutGit(t *testing.T) {
	f, old, last, large, long := history(t)
	for name, c := range map[string]struct {
		commits []string
		byHand  bool
	}{
		"whole objects": {[]string{last}, true}, "differences": {[]string{old, last}, true}, "many files": {[]string{large}, false}, "a large history": {[]string{long}, false},
	} {
		t.Run(name, func(t *testing.T) {
			base := c.commits[0]
			far := carried(t, f.yard, c.commits...)
			if name == "differences" && !strings.Contains(sh(t, far.Dir(), "git verify-pack -v objects/pack/*.idx"), "chain length = 1") {
				t.Fatal("the pack has none")
			}
			dir, path := filepath.Join(folder(t), "workspace"), os.Getenv("PATH")
			spec := WorkspaceSpec{Dir: dir, Commit: base, Branch: "b", Identity: testIdentity()}
			t.Setenv("PATH", "")
			err := far.Workspace(ctx(t), spec)
			t.Setenv("PATH", path)
			if (err == nil) != c.byHand {
				t.Fatalf("without git: %v", err)
			}
			if !c.byHand {
				must(t, far.Workspace(ctx(t), spec))
			}
			equal(t, "check", sh(t, dir, "git fsck --strict --no-dangling && git status --porcelain && git rev-parse HEAD"), base)
			equal(t, "content", sh(t, dir, "git ls-files -s | sort; cat numbers deep/er/x link; ./run.sh"), sh(t, f.yard.Dir(), "git ls-tree -r "+base+
				` | sed 's/^\([0-9]*\) [a-z]* \([0-9a-f]*\)/\1 \2 0/' | sort; git show `+base+":numbers; git show "+base+":deep/er/x; git show "+base+":numbers"))
		})
	}
}

// TestABaseOfAnotherEngine, which does not say how large the tree is, is checked out by git.
func TestABaseOfAnotherEngine(t *testing.T) {
	f, _, last, _, _ := history(t)
	var base bytes.Buffer
	must(t, f.yard.WriteBase(ctx(t), []string{last}, &base))
	first, rest, _ := bytes.Cut(base.Bytes(), []byte("\n"))
	size, _, _ := bytes.Cut(first, []byte(","))
	y, err := OpenBase(ctx(t), filepath.Join(folder(t), "yard"), last, nil, bytes.NewReader(append(append(size, "}\n"...), rest...)))
	must(t, err)
	defer func() { must(t, y.Close()) }()
	dir := filepath.Join(folder(t), "workspace")
	must(t, y.Workspace(ctx(t), WorkspaceSpec{Dir: dir, Commit: last, Branch: "b", Identity: testIdentity()}))
	equal(t, "check", sh(t, dir, "git fsck --strict && git status --porcelain && git rev-parse HEAD"), last)
}

// TestADifferenceToItself is left to git.
func TestADifferenceToItself(t *testing.T) {
	var d deflater
	content, err := d.deflate([]byte("x"))
	must(t, err)
	pack := append(append([]byte(packMagic+"\x00\x00\x00\x01"), append(packEntryHead(offsetDelta, 1), 0)...), content...)
	if _, err := (&packed{pack: pack, read: map[int]packedObject{}}).object(packHead); !errors.Is(err, errOdd) {
		t.Error(err)
	}
}

// TestADamagedPack is never read as something else: git says what is wrong with it.
func TestADamagedPack(t *testing.T) {
	f, _, last, _, _ := history(t)
	damage := func(t *testing.T, pattern string, change func([]byte) []byte) error {
		t.Helper()
		y := carried(t, f.yard, last)
		files, err := filepath.Glob(filepath.Join(y.Dir(), "objects", "pack", pattern))
		must(t, err)
		data, err := os.ReadFile(files[0])
		must(t, err)
		must(t, os.Remove(files[0]))
		must(t, os.WriteFile(files[0], change(data), 0o600))
		if y.reader.packed, err = openPacked(strings.TrimSuffix(files[0], filepath.Ext(files[0]))); err != nil {
			return err
		}
		return y.Workspace(ctx(t), WorkspaceSpec{Dir: filepath.Join(folder(t), "workspace"), Commit: last, Branch: "b", Identity: testIdentity()})
	}
	for name, change := range map[string]func([]byte) []byte{
		"cut off": func(data []byte) []byte { return data[:len(data)/2] },
		"emptied": func([]byte) []byte { return nil },
		"flipped": func(data []byte) []byte {
			for i := packHead; i < len(data); i += 7 {
				data[i] ^= 0x55
			}
			return data
		},
	} {
		if err := damage(t, "*.pack", change); err == nil {
			t.Errorf("a pack that is %s is laid out", name)
		}
	}
	for name, change := range map[string]func([]byte) []byte{
		"cut off":          func(data []byte) []byte { return data[:1100] },
		"emptied":          func([]byte) []byte { return nil },
		"of another kind":  func(data []byte) []byte { data[7] = 1; return data },
		"longer than said": func(data []byte) []byte { data[8+255*4] = 0x7f; return data },
	} {
		if err := damage(t, "*.idx", change); !errors.Is(err, ErrCorrupt) {
			t.Errorf("an index that is %s: %v", name, err)
		}
	}
}
