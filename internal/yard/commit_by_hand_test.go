package yard

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// collected hands in a workspace with so many bytes to be packed without git, and returns the result and the pack.
func collected(t *testing.T, spec HandInSpec, byHand int) (HandedIn, []byte, error) {
	t.Helper()
	h, err := newHandIn(spec)
	must(t, err)
	defer func() { must(t, os.RemoveAll(h.private)) }()
	h.byHand = byHand
	must(t, h.settle(spec.Dir))
	result, err := h.collect(ctx(t), h.agentRefs())
	if err != nil || result.Empty {
		return result, nil, err
	}
	bundle, err := os.Open(spec.Bundle)
	must(t, err)
	in := bufio.NewReader(bundle)
	_, err = readBundleHeader(in)
	must(t, err)
	pack, err := io.ReadAll(in)
	must(t, errors.Join(err, bundle.Close()))
	return result, pack, nil
}

// objectsOf lists a pack's objects, which it adds to a repository of its own beside the yard.
func objectsOf(t *testing.T, y *Yard, pack []byte) string {
	t.Helper()
	dir := folder(t)
	sh(t, dir, "git init -q --bare .; echo "+y.Dir()+"/objects > objects/info/alternates")
	in := exec.CommandContext(ctx(t), "git", "index-pack", "--stdin", "--fix-thin", "--strict")
	in.Dir, in.Stdin = dir, strings.NewReader(string(pack))
	out, err := in.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	count := binary.BigEndian.Uint32(pack[8:])
	return sh(t, dir, fmt.Sprintf("git show-index < objects/pack/*.idx | sort -n | head -%d | cut -d' ' -f2 | sort", count)) // a base that was added comes last
}

// TestACheckpointByHandIsAsGits: the same commit, the same objects.
func TestACheckpointByHandIsAsGits(t *testing.T) {
	f := newFixture(t)
	f.base = f.commit(t, "base", `mkdir -p a/b/c d e.x e; echo 1 > a/b/c/f; echo 2 > a/b/g; echo 3 > d/h; echo 4 > e.x/i; echo 5 > e/j; echo 6 > e-k; ln -s d link; echo 7 > tool; chmod +x tool`)
	for name, script := range map[string]string{
		"a new file":                   "echo n > new",
		"in the depth":                 "echo n >> a/b/c/f",
		"a new folder":                 "mkdir -p x/y/z; echo n > x/y/z/n",
		"a folder goes":                "rm -r a/b",
		"all goes":                     "rm -rf * .gitignore",
		"a file becomes a folder":      "rm e-k; mkdir e-k; echo n > e-k/n",
		"a folder becomes a file":      "rm -r a; echo n > a",
		"a folder becomes a link":      "mv d D; ln -s D d",
		"a link becomes a file":        "rm link; echo n > link",
		"modes only":                   "chmod -x tool; chmod +x a/b/g",
		"order":                        "mkdir f; echo 1 > f/x; echo 2 > f.x; echo 3 > f-x; echo 4 > f0; echo 5 > F",
		"names":                        `echo n > $'line\nbreak'; echo n > $'caf\xe9'; echo n > 日本; echo n > ' '; echo n > '"'; mkdir '*'; echo n > '*/n'`,
		"equal contents":               "mkdir x y; echo n > x/n; echo n > y/n; echo n > n",
		"a copy of what is there":      "cp -r a z",
		"an empty file":                "touch nothing",
		"attributes":                   `echo '* text' > .gitattributes; printf 'a\r\n' > crlf`,
		"what the agent stored":        "echo n > new; git add new; echo m > more",
		"what the base had once":       "echo one > src/a.txt",
		"touched":                      "touch -d 2001-01-01 a/b/g tool",
		"changed and changed back":     "echo n > new; git add -A; rm new; git add -A; echo 2 > a/b/g",
		"more than is packed by hand":  "seq 1 40000 > numbers",
		"many":                         `for i in $(seq 300); do echo $i > "$i"; done`,
		"a branch beside":              "git checkout -q -b side; git commit -q --allow-empty -m side; git checkout -q -; echo n > new",
		"what the agent committed too": "echo n > new; git add -A; git commit -qm mine; echo m > more",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := f.workspace(t)
			sh(t, dir, script)
			spec := f.handInSpec(t, dir)
			spec.When = noon()
			hand, packed, err := collected(t, spec, packedByHand)
			must(t, err)
			git, want, err := collected(t, spec, 0)
			must(t, err)
			if d := cmp.Diff(git, hand); d != "" {
				t.Fatal(d)
			}
			if hand.Empty {
				equal(t, "the commit", hand.Commit, f.base)
				return
			}
			ours, gits := strings.Fields(objectsOf(t, f.yard, packed)), strings.Fields(objectsOf(t, f.yard, want))
			for _, object := range ours {
				if !slices.Contains(gits, object) {
					t.Errorf("%s is packed for nothing", object)
				}
			}
			for _, object := range gits { // git may pack what the base has elsewhere
				if _, err := f.yard.reader.look(ctx(t), object); err != nil && !slices.Contains(ours, object) {
					t.Errorf("%s is missing", object)
				}
			}
		})
	}
}

// TestARandomCheckpointByHandIsAsGits grows a tree, and another over it.
func TestARandomCheckpointByHandIsAsGits(t *testing.T) {
	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			f := fixture{person: filepath.Join(folder(t), "grown"), yard: openYard(t)}
			random := rand.New(rand.NewPCG(seed, 9))
			plant := func(dir string) {
				root, err := os.OpenRoot(dir)
				must(t, err)
				grow(t, random, root, 1)
				must(t, root.Close())
			}
			sh(t, filepath.Dir(f.person), "git init -q grown")
			plant(f.person)
			f.base = sh(t, f.person, "git add -f -A; git commit -q --allow-empty -m grown; git rev-parse HEAD")
			must(t, f.yard.Fetch(ctx(t), f.person))
			dir := f.workspace(t)
			sh(t, dir, `ls -A | grep -zv '^.git$' | head -n1 | xargs -r -d'\n' rm -rf --; mkdir over`)
			plant(filepath.Join(dir, "over"))
			spec := f.handInSpec(t, dir)
			spec.When, spec.Message = noon(), "grown\n\nüber"
			hand, _, err := collected(t, spec, 1<<30)
			must(t, err)
			git, _, err := collected(t, spec, 0)
			must(t, err)
			equal(t, "commit", hand.Commit, git.Commit)
		})
	}
}

// TestACheckpointTakesOneProcess: git add. There is no other program to start.
func TestACheckpointTakesOneProcess(t *testing.T) {
	f := newFixture(t)
	dir := f.workspace(t)
	sh(t, dir, "echo n > new; rm README.md; echo more >> src/a.txt")
	git, err := exec.LookPath("git")
	must(t, err)
	bin := folder(t)
	log := filepath.Join(bin, "log")
	must(t, os.WriteFile(filepath.Join(bin, "git"), []byte(`#!/bin/sh
while [ "$1" = -c ]; do shift 2; done
echo "$1" >> `+log+`
exec `+git+` "$@"
`), 0o755))
	spec := f.handInSpec(t, dir)
	path := os.Getenv("PATH")
	t.Setenv("PATH", bin+":"+path)
	handed, err := HandIn(ctx(t), spec)
	must(t, err)
	t.Setenv("PATH", path)
	equal(t, "processes", sh(t, bin, "cat log"), "add")
	imported, err := f.yard.Import(ctx(t), ImportSpec{Bundle: spec.Bundle, Ref: Attempts + "x", Base: f.base, MaxBytes: enough})
	must(t, err)
	equal(t, "commit", imported.Commit, handed.Commit)
}

// TestACommitAsGitWritesIt, byte for byte, or not at all.
func TestACommitAsGitWritesIt(t *testing.T) {
	f := newFixture(t)
	tree, err := f.yard.Tree(ctx(t), f.base)
	must(t, err)
	people := []Identity{
		testIdentity(), {"Ada, Countess", "ada@example.org"}, {"Ada.", "ada@example.org"}, {".Ada", "a"}, {" Ada", "a"}, {"Ada", "a;"}, {"'Ada'", "a"}, {"Å", "å@ö"}, {"A\tB", "a b"}, {"A \"B\" C", "a"},
		{"x\ufffe", "a"}, {"latin\xe9", "a"},
	}
	for i, message := range []string{
		"subject", "subject\n\nbody\n\n# not a comment\n", "", "\n", " trailing \t\n\n\n", "über 日本 🚂", "latin \xe9", "\ufffe", "\ufdd0", "\U0001fffe", "a\rb", strings.Repeat("long ", 2000), "\xed\xa0\x80",
		"a\x00b", "-F", "trailer\n\nSigned-off-by: x",
	} {
		for _, by := range people {
			if i > 0 && by != testIdentity() {
				continue
			}
			for _, when := range []time.Time{noon(), time.Unix(1, 0), time.Unix(1<<32, 5), time.Unix(0, 0), time.Unix(-5, 0), time.Unix(1<<40, 0), noon().In(time.FixedZone("", 7200))} {
				if !when.Equal(noon()) && i > 0 {
					continue
				}
				text, err := commitText(tree, f.base, message, by, when)
				if errors.Is(err, errOdd) {
					continue
				}
				must(t, err)
				h, err := newHandIn(f.handInSpec(t, folder(t)))
				must(t, err)
				h.spec.Message, h.spec.Identity, h.spec.When = message, by, when
				staged := h.worktree(folder(t), h.newIndex())
				_, err = staged.run(ctx(t), "read-tree", f.base)
				must(t, err)
				commit, err := h.commit(ctx(t), staged, f.base, true)
				if err != nil {
					t.Errorf("git does not commit %.40q by %q at %s: %v", message, by, when, err)
					continue
				}
				equal(t, fmt.Sprintf("%.40q by %q at %s", message, by, when), hashObject("commit", text).String(), commit)
			}
		}
	}
	for _, c := range []struct {
		message string
		by      Identity
		when    time.Time
	}{{"m", testIdentity(), noon()}, {"über", Identity{"Å", "å@ö"}, noon()}} {
		if _, err := commitText(tree, f.base, c.message, c.by, c.when); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestNothingIsCommittedOfABaseAsItWas: git add speaks of a file that was changed and changed back in between.
func TestNothingIsCommittedOfABaseAsItWas(t *testing.T) {
	f := newFixture(t)
	h, err := newHandIn(f.handInSpec(t, f.workspace(t)))
	must(t, err)
	commit, pack, err := h.commitByHand(h.spec.Index)
	must(t, err)
	equal(t, "commit", commit, f.base)
	equal(t, "pack", len(pack), 0)
}

// TestOnlyWhatGitStoredIsPacked: git itself has to say what is wrong with anything else.
func TestOnlyWhatGitStoredIsPacked(t *testing.T) {
	content := []byte("content")
	loose := func(object string) []byte {
		raw, err := new(deflater).deflate([]byte(object))
		must(t, err)
		return raw
	}
	id := hashObject("blob", content)
	whole := loose("blob 7\x00content")
	for name, c := range map[string]struct {
		make func(file string) error
		most int
		odd  bool
	}{
		"as it should be":     {func(file string) error { return os.WriteFile(file, whole, 0o600) }, 7, false},
		"more than there may": {func(file string) error { return os.WriteFile(file, whole, 0o600) }, 6, true},
		"another content":     {func(file string) error { return os.WriteFile(file, loose("blob 7\x00CONTENT"), 0o600) }, 7, true},
		"another size":        {func(file string) error { return os.WriteFile(file, loose("blob 8\x00content"), 0o600) }, 7, true},
		"another kind":        {func(file string) error { return os.WriteFile(file, loose("tree 7\x00content"), 0o600) }, 7, true},
		"without end": {func(file string) error {
			return os.WriteFile(file, loose("blob 7\x00"+strings.Repeat("0", 1<<20)), 0o600)
		}, 7, true},
		"no head":        {func(file string) error { return os.WriteFile(file, loose("content"), 0o600) }, 7, true},
		"cut off":        {func(file string) error { return os.WriteFile(file, whole[:len(whole)-6], 0o600) }, 7, true},
		"not compressed": {func(file string) error { return os.WriteFile(file, []byte("blob 7\x00content"), 0o600) }, 7, true},
		"none":           {func(string) error { return nil }, 7, true},
		"a pipe":         {func(file string) error { return syscall.Mkfifo(file, 0o600) }, 7, true},
		"a link elsewhere": {func(file string) error {
			return errors.Join(os.WriteFile(file+".real", whole, 0o600), os.Symlink(file+".real", file))
		}, 7, true},
	} {
		h := &handInState{private: folder(t)}
		file := filepath.Join(h.private, "objects", id.String()[:2], id.String()[2:])
		must(t, errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), c.make(file)))
		p := smallPack{known: map[objectID]bool{}, left: c.most}
		err := h.addBlobs(&p, &index{entries: []indexEntry{{hash: id}}})
		if errors.Is(err, errOdd) != c.odd || err != nil && !c.odd {
			t.Errorf("%s: %v", name, err)
		}
		if !c.odd {
			equal(t, name+": objects", p.count, 1)
		}
	}
}

// TestACheckpointByHandHasALimit: it is that of any bundle.
func TestACheckpointByHandHasALimit(t *testing.T) {
	f := newFixture(t)
	dir := f.workspace(t)
	sh(t, dir, "head -c 5000 /dev/urandom > new")
	spec := f.handInSpec(t, dir)
	spec.When = noon()
	_, _, err := collected(t, spec, packedByHand)
	must(t, err)
	info, err := os.Stat(spec.Bundle)
	must(t, err)
	for _, c := range []struct {
		most   int64
		tooBig bool
	}{{info.Size(), false}, {info.Size() - 1, true}} {
		spec.MaxBytes = c.most
		_, _, err := collected(t, spec, packedByHand)
		if _, is := errors.AsType[*TooBigError](err); is != c.tooBig || err != nil && !is {
			t.Errorf("%d of %d bytes: %v", c.most, info.Size(), err)
		}
	}
}
