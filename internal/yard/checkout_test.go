package yard

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1" //nolint:gosec // git's own format
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// grow writes a random work tree: names that git and the file system sort differently, equal contents, all kinds of files.
func grow(t *testing.T, random *rand.Rand, root *os.Root, depth int) {
	t.Helper()
	names := []string{
		"a", "a-b", "a.b", "a0", "aa", "ab", "b", "A", "Makefile", ".gitignore", ".github", ".x", "with space", "tab\there", "line\nbreak", "\"quoted\"", "日本", "caf\xc3\xa9",
		"latin\xe9", "-rf", "*", "~", "x~1", strings.Repeat("n", 200), strings.Repeat("日", 80), "git", "gitk", "...", "a..", " ", "\x01",
	}
	random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	for _, name := range names[:1+random.IntN(12)] {
		content := []byte(strings.Repeat("line\r\n$Id$\x00", random.IntN(3)*random.IntN(400)))
		switch kind := random.IntN(8); {
		case kind < 2 && depth < 4 && len(name) < 100:
			must(t, root.Mkdir(name, 0o755))
			inside, err := root.OpenRoot(name)
			must(t, err)
			grow(t, random, inside, depth+1)
			must(t, inside.Close())
		case kind == 2 && !strings.HasPrefix(name, ".git") && !strings.Contains(name, "~"):
			must(t, root.Symlink([]string{"/etc/passwd", "..", "a", "no where"}[random.IntN(4)], name))
		case kind == 3:
			must(t, root.WriteFile(name, content, 0o755))
			must(t, root.Chmod(name, 0o755))
		default:
			must(t, root.WriteFile(name, content, 0o644))
		}
	}
}

// TestCheckoutByHandIsAsGits compares both ways over random trees, to the last byte of the index that is not about the disk.
func TestCheckoutByHandIsAsGits(t *testing.T) {
	for seed := range uint64(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			repo := filepath.Join(folder(t), "grown")
			sh(t, filepath.Dir(repo), "git init -q grown")
			root, err := os.OpenRoot(repo)
			must(t, err)
			grow(t, rand.New(rand.NewPCG(seed, 7)), root, 0)
			must(t, root.Close())
			head := sh(t, repo, "git add -f -A; git commit -q --allow-empty -m grown; git rev-parse HEAD")
			y := openYard(t)
			must(t, y.Fetch(ctx(t), repo))
			hand, git := filepath.Join(folder(t), "hand"), filepath.Join(folder(t), "git")
			checkedPlain(t, y, head)
			must(t, y.Checkout(ctx(t), hand, head))
			y.byHand = extent{}
			must(t, y.Checkout(ctx(t), git, head))
			if d := cmp.Diff(listed(t, git), listed(t, hand)); d != "" {
				t.Errorf("files: %s", d)
			}
			if d := cmp.Diff(indexWithoutDisk(t, git), indexWithoutDisk(t, hand)); d != "" {
				t.Errorf("index: %s", d)
			}
			for _, dir := range []string{hand, git} {
				equal(t, "status", sh(t, dir, "git status --porcelain --ignored"), "")
				equal(t, "what is trusted of the disk", sh(t, dir, "git update-index --refresh; git diff-files"), "")
				equal(t, "tree", sh(t, dir, "git write-tree"), sh(t, repo, "git rev-parse HEAD^{tree}"))
				sh(t, dir, "git fsck --strict")
			}
		})
	}
}

// checkedPlain makes sure that a commit will be checked out without git.
func checkedPlain(t *testing.T, y *Yard, commit string) {
	t.Helper()
	must(t, y.vet(ctx(t), commit))
	size, known := y.size(commit)
	if !known || !size.byHand(y.byHand) {
		t.Fatalf("git will check out %+v", size)
	}
	tree, err := y.Tree(ctx(t), commit)
	must(t, err)
	_, err = y.loadTree(ctx(t), tree)
	must(t, err)
}

// TestAWorkspaceTakesNoProcess: there is no git program to start, but the one that reads runs already.
func TestAWorkspaceTakesNoProcess(t *testing.T) {
	f := newFixture(t)
	checkedPlain(t, f.yard, f.base)
	path := os.Getenv("PATH")
	t.Setenv("PATH", folder(t))
	dir := f.workspace(t)
	t.Setenv("PATH", path)
	equal(t, "status", sh(t, dir, "git status --porcelain"), "")
	kept, err := os.ReadFile(indexOf(dir))
	must(t, err)
	own, err := os.ReadFile(filepath.Join(dir, ".git", "index"))
	must(t, err)
	equal(t, "the index that is kept", string(kept), string(own))
}

// TestFilesHaveThePermissionsThatGitGives, which are up to the umask.
func TestFilesHaveThePermissionsThatGitGives(t *testing.T) {
	f := newFixture(t)
	head := f.commit(t, "topic", "mkdir -p deep/er; echo x > deep/er/x; chmod +x deep/er/x; ln -s x deep/link")
	if os.Getenv("YARD_TEST_UMASK") != "" {
		for _, mask := range []int{0, 0o027, 0o077} {
			before := syscall.Umask(mask)
			checkedPlain(t, f.yard, head)
			hand, git := filepath.Join(folder(t), "hand"), filepath.Join(folder(t), "git")
			must(t, f.yard.Checkout(ctx(t), hand, head))
			f.yard.byHand = extent{}
			must(t, f.yard.Checkout(ctx(t), git, head))
			f.yard.byHand = defaultByHand()
			syscall.Umask(before)
			if d := cmp.Diff(listed(t, git), listed(t, hand)); d != "" {
				t.Errorf("%o: %s", mask, d)
			}
		}
		return
	}
	again := exec.CommandContext(ctx(t), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	again.Env = append(os.Environ(), "YARD_TEST_UMASK=1")
	if out, err := again.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Errorf("%v: %s", err, out)
	}
}

// TestOddTreesAreLeftToGit.
func TestOddTreesAreLeftToGit(t *testing.T) {
	blob := hashObject("blob", []byte("x"))
	entry := func(mode, name string) string { return mode + " " + name + "\x00" + string(blob[:]) }
	for _, plain := range []string{
		entry("100644", "a"), entry("100644", "a") + entry("100755", "b") + entry("120000", "c"), entry("100644", ".gitignore"), entry("100644", ".gitlab-ci.yml"),
		entry("100644", "git"), entry("100644", "a~1"), entry("100644", "a-b") + entry("40000", "a"), entry("100644", "a.gitattributes"), entry("40000", ".github"),
	} {
		must(t, (&plainTree{}).read([]byte(plain)))
	}
	for _, odd := range []string{
		"", entry("100644", ".git"), entry("40000", ".GIT"), entry("100644", ".git "), entry("100644", ".git."), entry("100644", ".git..."), entry("40000", "git~1"), entry("40000", "GIT~1"), entry("40000", "git~2"),
		entry("100644", ".git::$INDEX_ALLOCATION"), entry("100644", "a\\.git"), entry("100644", "a:b"), entry("40000", ".g\u200cit"), entry("40000", "\ufeff.git"), entry("40000", "."), entry("40000", ".."), entry("40000", ""), entry("40000", "a/b"),
		entry("160000", "module"), entry("100664", "group"), entry("100600", "secret"), entry("0", "none"), entry("100644", ".gitattributes"), entry("120000", ".gitmodules"), entry("120000", ".GITMODULES"), entry("120000", "gitmod~1"),
		entry("100644", "b") + entry("100644", "a"), entry("100644", "a") + entry("100644", "a"), entry("40000", "a") + entry("100644", "a-b"), entry("120000", "a") + entry("100644", "a-b") + entry("40000", "a"),
	} {
		if err := (&plainTree{}).read([]byte(odd)); !errors.Is(err, errOdd) {
			t.Errorf("%q: %v", odd, err)
		}
	}
}

// TestOddLinksAreLeftToGit: they are only known once they are read.
func TestOddLinksAreLeftToGit(t *testing.T) {
	f := newFixture(t)
	for target, odd := range map[string]bool{"a": false, "/etc/passwd": false, "": true, `a\0b`: true, strings.Repeat("n", maxPath-1): false, strings.Repeat("n", maxPath): true} {
		tree := sh(t, f.yard.Dir(), `printf '120000 blob %s\tlink\n' $(printf '`+target+`' | git hash-object -w --stdin) | git mktree`)
		if _, err := f.yard.loadTree(ctx(t), tree); errors.Is(err, errOdd) != odd || err != nil && !odd {
			t.Errorf("%.10q: %v", target, err)
		}
	}
}

// TestGitChecksOutWhatIsOdd, and a workspace of it is complete.
func TestGitChecksOutWhatIsOdd(t *testing.T) {
	f := newFixture(t)
	head := f.commit(t, "topic", "mkdir -p a/b; echo '*.txt text eol=crlf' > a/b/.gitattributes; printf 'one\\r\\n' > a/b/c.txt")
	dir := filepath.Join(folder(t), "w")
	must(t, f.yard.Workspace(ctx(t), WorkspaceSpec{Dir: dir, Commit: head, Branch: "b", Identity: testIdentity(), Index: indexOf(dir)}))
	content, err := os.ReadFile(filepath.Join(dir, "a/b/c.txt"))
	must(t, err)
	equal(t, "a file with an attribute", string(content), "one\r\n")
	equal(t, "status", sh(t, dir, "git status --porcelain; cmp .git/index ../w.index"), "")
}

// TestNamesThatAreOneAreLeftToGit: to a file system that ignores case, a name of the tree is there already when it is to be
// written. Here something of that name is there from the beginning.
func TestNamesThatAreOneAreLeftToGit(t *testing.T) {
	for name, take := range map[string]string{"a file": "mkdir src && echo other > src/a.txt", "a folder": "mkdir -p src/a.txt/b", "a link": "ln -s /etc src"} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			checkedPlain(t, f.yard, f.base)
			dir := folder(t)
			sh(t, dir, take)
			must(t, f.yard.fill(ctx(t), dir, WorkspaceSpec{Dir: dir, Commit: f.base, Index: indexOf(dir)}))
			equal(t, "status", sh(t, dir, "git status --porcelain --ignored; cmp .git/index "+indexOf(dir)), "")
			equal(t, "tree", sh(t, dir, "git write-tree"), sh(t, dir, "git rev-parse HEAD^{tree}"))
		})
	}
}

// TestADamagedYardIsNotCheckedOut: git itself does not compare contents with their names.
func TestADamagedYardIsNotCheckedOut(t *testing.T) {
	squeezed := func(object string) func([]byte) []byte {
		return func([]byte) []byte {
			var out bytes.Buffer
			w := zlib.NewWriter(&out)
			_, err := w.Write([]byte(object))
			must(t, errors.Join(err, w.Close()))
			return out.Bytes()
		}
	}
	for name, damage := range map[string]func([]byte) []byte{
		"another content": squeezed("blob 4\x00evil"),
		"another kind":    squeezed("tree 0\x00"),
		"cut off":         func(raw []byte) []byte { return raw[:12] },
		"gone":            nil,
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			head := sh(t, f.yard.Dir(), `b=$(echo good | git hash-object -w --stdin); git commit-tree -m x $(printf '100644 blob %s\tfile\n' $b | git mktree)`)
			checkedPlain(t, f.yard, head)
			blob := sh(t, f.yard.Dir(), "git rev-parse "+head+":file")
			object := filepath.Join(f.yard.Dir(), "objects", blob[:2], blob[2:])
			raw, err := os.ReadFile(object)
			must(t, errors.Join(err, os.Remove(object)))
			if damage != nil {
				must(t, os.WriteFile(object, damage(raw), 0o600))
			}
			must(t, f.yard.reader.close())
			dir := filepath.Join(folder(t), "c")
			if err := f.yard.Checkout(ctx(t), dir, head); err == nil || errors.Is(err, errOdd) {
				t.Errorf("got %v", err)
			}
			equal(t, "what is left", sh(t, filepath.Dir(dir), "ls -A"), "")
			if _, err := f.yard.Resolve(ctx(t), f.base); err != nil {
				t.Errorf("the reader does not go on: %v", err)
			}
		})
	}
}

// TestLargeTreesAreLeftToGit.
func TestLargeTreesAreLeftToGit(t *testing.T) {
	most := extent{entries: 10, bytes: 100}
	for size, want := range map[treeSize]bool{
		{entries: 10, bytes: 100, path: 512}: true, {entries: 11}: false, {entries: 1, bytes: 101}: false, {entries: 1, path: 513}: false,
		{entries: 1, links: true}: false, {}: false,
	} {
		equal(t, fmt.Sprintf("%+v", size), size.byHand(most), want && canStat)
	}
}

// listed is every file below a folder, with mode and content.
func listed(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	must(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.Name() == ".git":
			return fs.SkipDir
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		var content []byte
		target := ""
		switch {
		case info.Mode().IsRegular():
			content, err = os.ReadFile(path)
		case info.Mode()&fs.ModeSymlink != 0:
			target, err = os.Readlink(path)
		}
		found[strings.TrimPrefix(path, dir)] = fmt.Sprintf("%s %q %s", info.Mode(), content, target)
		return err
	}))
	return found
}

// indexWithoutDisk is a work tree's index without times, inodes and checksum.
func indexWithoutDisk(t *testing.T, dir string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, ".git", "index"))
	must(t, err)
	body := raw[:len(raw)-sha1.Size]
	if sum := sha1.Sum(body); !bytes.Equal(sum[:], raw[len(body):]) { //nolint:gosec // as above
		t.Error("the checksum is wrong")
	}
	at := 12
	for range binary.BigEndian.Uint32(raw[8:]) {
		clear(body[at : at+16])    // times
		clear(body[at+20 : at+24]) // inode
		name := int(binary.BigEndian.Uint16(body[at+60:]) & 0xfff)
		at += (62 + name + 8) &^ 7
	}
	return string(body)
}
