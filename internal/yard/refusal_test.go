package yard

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestNoRevisionIsAnOption: not one of the commands that take a revision takes an option for one.
func TestNoRevisionIsAnOption(t *testing.T) {
	f := newFixture(t)
	written := filepath.Join(folder(t), "written")
	var out bytes.Buffer
	for _, bad := range []string{"", "--output=" + written, "-x", "main\nmain", "main\x00"} {
		for name, err := range map[string]error{
			"resolve":            second(f.yard.Resolve(ctx(t), bad)),
			"tree":               second(f.yard.Tree(ctx(t), bad)),
			"exists":             second(f.yard.Exists(ctx(t), bad)),
			"look":               second(f.yard.reader.look(ctx(t), bad)),
			"object":             second(f.yard.git().object(ctx(t), bad, "commit")),
			"files":              second(f.yard.Files(ctx(t), bad)),
			"vet":                f.yard.vet(ctx(t), bad),
			"show":               second(f.yard.Show(ctx(t), bad, "README.md", 100)),
			"log head":           second(f.yard.Log(ctx(t), f.base, bad)),
			"contained":          second(f.yard.IsAncestor(ctx(t), bad, f.base)),
			"contained in":       second(f.yard.IsAncestor(ctx(t), f.base, bad)),
			"changed":            second(f.yard.Changed(ctx(t), f.base, bad)),
			"diff":               second(f.yard.Diff(ctx(t), &out, f.base, bad, DiffOptions{})),
			"added":              second(f.yard.Added(ctx(t), &out, f.base, bad, AddedOptions{MaxBytes: 100})),
			"history":            second(f.yard.Added(ctx(t), &out, f.base, bad, AddedOptions{MaxBytes: 100, History: "%H"})),
			"added commits":      second(f.yard.AddedCommits(ctx(t), &out, f.base, bad, 100)),
			"added commits from": second(f.yard.AddedCommits(ctx(t), &out, bad, f.base, 100)),
		} {
			if err == nil || !strings.Contains(err.Error(), "is not a revision") {
				t.Errorf("%s of %q: %v", name, bad, err)
			}
		}
		if bad == "" { // which stands for the empty tree, or for all that was before
			continue
		}
		for name, err := range map[string]error{
			"log base":     second(f.yard.Log(ctx(t), bad, f.base)),
			"changed base": second(f.yard.Changed(ctx(t), bad, f.base)),
			"diff base":    second(f.yard.Diff(ctx(t), &out, bad, f.base, DiffOptions{})),
			"history base": second(f.yard.Added(ctx(t), &out, bad, f.base, AddedOptions{MaxBytes: 100, History: "%H"})),
		} {
			if err == nil || !strings.Contains(err.Error(), "is not a revision") {
				t.Errorf("%s of %q: %v", name, bad, err)
			}
		}
	}
	if _, err := os.Lstat(written); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("git wrote a file: %v", err)
	}
}

// TestWhatGitDoesNotSayIsNotRead: no answer of another shape is taken for one.
func TestWhatGitDoesNotSayIsNotRead(t *testing.T) {
	hash := strings.Repeat("0a", 20)
	for _, c := range []struct {
		what string
		read func(string) error
		good string
		bad  []string
	}{
		{
			"a file", func(s string) error { return second(parseFile(s)) }, "100644 blob " + hash + "      12\ta b\tc",
			[]string{"", "100644 blob " + hash + " 12 a", "100644 blob " + hash + "\ta", "100644 blob " + hash + " 1 2\ta", "100644 blob " + hash + " x\ta"},
		},
		{
			"a commit", func(s string) error { return second(parseCommit(s)) }, hash + "\n\nA\na@b\n1700000000\ns",
			[]string{"", hash + "\n\nA\na@b\n1700000000", hash + "\n\nA\na@b\nsoon\ns"},
		},
		{
			"a merge", func(s string) error { return second(parseMerging([]byte(s))) }, hash + "\x00100644 " + hash + " 1\ta\x00100644 " + hash + " 2\ta\x00100644 " + hash + " 3\ta\x00\x00",
			[]string{"", "\x00", "tree\x00", hash + "\x00100644 " + hash + " 4\ta\x00", hash + "\x00100644 " + hash + " 0\ta\x00", hash + "\x00100644 " + hash + "\ta\x00", hash + "\x00100644 " + hash + " 1 a\x00"},
		},
		{
			"a tree", func(s string) error { return second(parseTree([]byte(s), 2)) }, "100644 a b\x00xx40000 c\x00yy",
			[]string{"100644 a", "100644 a\x00x", "100644\x00xx", "100644 a\x00xxx"},
		},
		{
			"a size", func(s string) error { return second(io.WriteString(defaultPackLimits().sizes("it"), s)) }, "1\n20\n",
			[]string{"x\n", "\n", "1\n" + hash + " missing\n"},
		},
	} {
		if err := c.read(c.good); err != nil {
			t.Errorf("%s: %v", c.what, err)
		}
		for _, bad := range c.bad {
			if c.read(bad) == nil {
				t.Errorf("%q is read as %s", bad, c.what)
			}
		}
	}
}

// TestAMergeIsReadAsGitWritesIt, side by side and with the paths of conflicts only.
func TestAMergeIsReadAsGitWritesIt(t *testing.T) {
	one, two, three := strings.Repeat("1", 40), strings.Repeat("2", 40), strings.Repeat("3", 40)
	found, err := parseMerging([]byte(strings.Join([]string{
		one, "100644 " + one + " 1\ta", "100755 " + two + " 2\ta", "100644 " + three + " 3\ta", "100644 " + two + " 2\tb", "",
		"1", "a", "Auto-merging", "Auto-merging a\n", "2", "z", "b", "CONFLICT (file/directory)", "text\n", "1", "b", "CONFLICT (contents)", "text\n", "advice", "more", "of", "it", "",
	}, "\x00")))
	must(t, err)
	want := merging{tree: one, named: []string{"b", "z"}, conflicts: map[string]conflict{
		"a": {base: entry{"100644", one}, into: entry{"100755", two}, from: entry{"100644", three}}, "b": {into: entry{"100644", two}},
	}}
	if d := cmp.Diff(want, found, cmp.AllowUnexported(merging{}, conflict{}, entry{})); d != "" {
		t.Error(d)
	}
	equal(t, "paths in conflict", strings.Join(found.paths(), " "), "a b")
	equal(t, "paths of which there are only messages", strings.Join(merging{named: []string{"z"}}.paths(), " "), "z")
	if names := conflictNames([]string{"-1", "CONFLICT", "x", "y"}); names != nil {
		t.Errorf("fewer than no paths: %q", names)
	}
	if names := conflictNames([]string{"2", "a", "b", "CONFLICT"}); names != nil {
		t.Errorf("a message that is cut off: %q", names)
	}
	if names := conflictNames([]string{"1", "a", "CONFLICT", ""}); strings.Join(names, " ") != "a" {
		t.Errorf("a message that is just whole: %q", names)
	}
}

// TestReaderBelievesNothingElse: what git answers is a hash, a kind and a size, and the content is as long as that.
func TestReaderBelievesNothingElse(t *testing.T) {
	hash := strings.Repeat("0a", 20)
	for answer, want := range map[string]string{
		hash + " blob 3\nabc\n":    "abc",
		hash + " blob 0\n\n":       "",
		hash + " blob 3\nab":       "error",
		hash + " blob 3\nabc":      "error",
		hash + " blob\nabc\n":      "error",
		hash + " blob 3 4\nabc\n":  "error",
		"0a blob 3\nabc\n":         "error",
		hash + " blob much\nabc\n": "error",
		hash + " blob 3":           "error",
		"":                         "error",
		"x missing\n":              "missing",
		"y missing\n":              "error",
	} {
		p := &readerProcess{in: discarded{}, out: bufio.NewReader(strings.NewReader(answer))}
		found, content, err := p.ask("contents", "x")
		got := string(content)
		switch {
		case errors.Is(err, ErrNotFound):
			got = "missing"
		case err != nil:
			got = "error"
		case found != object{hash: hash, kind: "blob", size: int64(len(want))}:
			t.Errorf("%q is read as %+v", answer, found)
		}
		equal(t, fmt.Sprintf("%q", answer), got, want)
	}
}

type discarded struct{}

func (discarded) Write(p []byte) (int, error) { return len(p), nil }
func (discarded) Close() error                { return nil }

func TestReaderThatCannotStart(t *testing.T) {
	f := newFixture(t)
	must(t, f.yard.reader.close())
	f.yard.reader.git.dir = filepath.Join(folder(t), "none")
	if _, err := f.yard.Resolve(ctx(t), f.base); err == nil || errors.Is(err, ErrNotFound) {
		t.Errorf("got %v", err)
	}
}

// TestADifferenceIsAsWanted: lines around it, from nothing, and of files that are not text.
func TestADifferenceIsAsWanted(t *testing.T) {
	f := newFixture(t)
	seven := f.commit(t, "seven", "seq 1 20 > n")
	head := sh(t, f.person, `git worktree add -q -b eight `+filepath.Join(folder(t), "w")+` seven > /dev/null; cd "$(git worktree list | tail -1 | cut -d' ' -f1)"
seq 1 20 | sed s/10/ten/ > n; printf 'a\0b' > binary; git add -A; git commit -qm eight; git rev-parse HEAD`)
	must(t, f.yard.Fetch(ctx(t), f.person))
	for lines, want := range map[int]string{0: "@@ -7,7 +7,7 @@", 1: "@@ -9,3 +9,3 @@", 5: "@@ -5,11 +5,11 @@"} {
		var out bytes.Buffer
		cut, err := f.yard.Diff(ctx(t), &out, seven, head, DiffOptions{Context: lines, Paths: []string{"n"}})
		must(t, err)
		if cut || !strings.Contains(out.String(), "\n"+want) {
			t.Errorf("with %d lines: cut %t, %s", lines, cut, out.String())
		}
	}
	for _, pattern := range []string{"*", ":/", ":(glob)**", "?"} {
		var out bytes.Buffer
		if must2(t)(f.yard.Diff(ctx(t), &out, seven, head, DiffOptions{Paths: []string{pattern}})); out.Len() > 0 {
			t.Errorf("%s is not taken literally: %s", pattern, out.String())
		}
	}
	var out bytes.Buffer
	whole := must2(t)(f.yard.Diff(ctx(t), &out, seven, head, DiffOptions{}))
	size := int64(out.Len())
	for _, c := range []struct {
		most int64
		cut  bool
	}{{size, false}, {size - 1, true}, {-1, false}} {
		out.Reset()
		if cut := must2(t)(f.yard.Diff(ctx(t), &out, seven, head, DiffOptions{MaxBytes: c.most})); whole || cut != c.cut {
			t.Errorf("%d of %d bytes: cut %t", c.most, size, cut)
		}
	}
	changes, err := f.yard.Changed(ctx(t), "", f.base)
	must(t, err)
	if d := cmp.Diff([]Change{
		{Path: ".gitignore", Status: 'A', Kind: Regular, Added: 1}, {Path: "README.md", Status: 'A', Kind: Regular, Added: 1},
		{Path: "src/a.txt", Status: 'A', Kind: Regular, Added: 2},
	}, changes); d != "" {
		t.Error(d)
	}
}

// must2 is must for a result that is wanted too.
func must2(t *testing.T) func(yes bool, err error) bool {
	t.Helper()
	return func(yes bool, err error) bool { t.Helper(); must(t, err); return yes }
}

func TestWorkFiles(t *testing.T) {
	dir := person(t)
	sh(t, dir, `echo new > "z new"; echo noise > a.log; rm README.md; echo a > src/b; mkdir -p deep/er; echo d > deep/er/d`)
	want := []string{".gitignore", "README.md", "deep/er/d", "src/a.txt", "src/b", "z new"}
	for _, place := range []string{dir, filepath.Join(dir, "src")} {
		got, err := WorkFiles(ctx(t), place)
		must(t, err)
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("from %s: %s", place, d)
		}
	}
	if _, err := WorkFiles(ctx(t), folder(t)); !errors.Is(err, ErrNotRepository) {
		t.Errorf("outside of a repository: %v", err)
	}
}

// TestASettingWithoutAValueIsOn, as git has it.
func TestASettingWithoutAValueIsOn(t *testing.T) {
	dir := person(t)
	sh(t, dir, "git config --unset core.filemode; printf '[core]\\n\\tfilemode\\n' >> .git/config; chmod +x README.md")
	got, err := Locate(ctx(t), dir)
	must(t, err)
	equal(t, "dirty", got.Dirty, 1)
}

// TestALensThatCannotBeMadeLeavesNothing.
func TestALensThatCannotBeMadeLeavesNothing(t *testing.T) {
	dir, temporary := person(t), folder(t)
	t.Setenv("TMPDIR", temporary)
	for name, repo := range map[string]Repository{
		"no repository": {Top: dir, CommonDir: filepath.Join(dir, "none"), Head: strings.Repeat("1", 40)},
		"a line break":  {Top: dir, CommonDir: dir + "\n", Head: strings.Repeat("1", 40)},
		"a ref outside": {Top: dir, CommonDir: filepath.Join(dir, ".git"), Head: strings.Repeat("1", 40)},
	} {
		if _, err := newLens(ctx(t), personGit(dir), repo, filepath.Join(dir, ".git"), "../outside"); err == nil {
			t.Errorf("%s: it was made", name)
		}
	}
	equal(t, "what is left", sh(t, temporary, "ls -A"), "")
	t.Setenv("TMPDIR", filepath.Join(temporary, "none"))
	if _, err := Locate(ctx(t), dir); err == nil {
		t.Error("without a place for a lens")
	}
}

// TestRemoteTipIsOfThatNameOnly: git lists all refs whose names end so.
func TestRemoteTipIsOfThatNameOnly(t *testing.T) {
	f := newFixture(t)
	bare := bareRemote(t, f)
	first := sh(t, bare, "git update-ref refs/a/refs/heads/main main^; git update-ref refs/z/refs/heads/gone main; git rev-parse main^")
	for ref, want := range map[string]string{"refs/heads/main": f.base, "refs/a/refs/heads/main": first, "refs/heads/gone": "", "refs/heads/mai": ""} {
		got, err := f.yard.RemoteTip(ctx(t), bare, ref)
		must(t, err)
		equal(t, ref, got, want)
	}
	for _, bad := range []string{"main", "refs/heads/*", "refs/heads/a b"} {
		if _, err := f.yard.RemoteTip(ctx(t), bare, bad); err == nil {
			t.Errorf("%s was looked up", bad)
		}
	}
}

// TestAFetchWaitsForAnotherOnlyAsLongAsItsCallerDoes.
func TestAFetchWaitsForAnotherOnlyAsLongAsItsCallerDoes(t *testing.T) {
	f := newFixture(t)
	over, cancel := context.WithCancel(ctx(t))
	cancel()
	f.yard.fetching <- struct{}{}
	if err := f.yard.Fetch(over, f.person); !errors.Is(err, context.Canceled) {
		t.Errorf("while another fetches: %v", err)
	}
	<-f.yard.fetching
	must(t, f.yard.Fetch(ctx(t), f.person))
	equal(t, "who fetches", len(f.yard.fetching), 0)
}

// TestAPackIsReadNoLongerThanSomebodyWaits: and that is not taken for a damaged one.
func TestAPackIsReadNoLongerThanSomebodyWaits(t *testing.T) {
	var b forgedBundle
	_, pack := b.finish(strings.Repeat("1", 40), b.add("tree", nil))
	must(t, scanPack(ctx(t), bytes.NewReader(pack), defaultPackLimits()))
	over, cancel := context.WithCancel(ctx(t))
	cancel()
	if err := scanPack(over, bytes.NewReader(pack), defaultPackLimits()); !errors.Is(err, context.Canceled) || errors.Is(err, ErrCorrupt) {
		t.Errorf("got %v", err)
	}
}

// TestPackLimits: what is just within is taken.
func TestPackLimits(t *testing.T) {
	var b forgedBundle
	for range 3 {
		b.add("blob", make([]byte, 100))
	}
	pack := append([]byte("PACK\x00\x00\x00\x02"), binary.BigEndian.AppendUint32(nil, b.objects)...)
	pack = append(pack, b.pack.Bytes()...)
	for most, want := range map[packLimits]*TooBigError{
		{objects: 3, object: 100, total: 300}: nil,
		{objects: 2, object: 100, total: 300}: {What: "the pack", Unit: "objects", Size: 3, Limit: 2},
		{objects: 3, object: 99, total: 300}:  {What: "an object in the pack", Size: 100, Limit: 99},
		{objects: 3, object: 100, total: 299}: {What: "the pack, unpacked,", Limit: 299},
	} {
		err := scanPack(ctx(t), bytes.NewReader(pack), most)
		if want == nil {
			must(t, err)
			continue
		}
		if got, ok := errors.AsType[*TooBigError](err); !ok || *got != *want {
			t.Errorf("%+v: got %v", most, err)
		}
	}
	for cut := range pack {
		if err := scanPack(ctx(t), bytes.NewReader(pack[:cut]), defaultPackLimits()); !errors.Is(err, ErrCorrupt) {
			t.Fatalf("%d of %d bytes: %v", cut, len(pack), err)
		}
	}
}

// TestAYardThatCannotBeLaid says so, and leaves nothing beside its place.
func TestAYardThatCannotBeLaid(t *testing.T) {
	top := folder(t)
	sh(t, top, "echo x > file; mkdir -p config/config lock/objects; mkdir lock/stellwerk.lock")
	must(t, os.WriteFile(filepath.Join(top, "lock", "config"), []byte(yardConfig), 0o600))
	before := sh(t, top, "find . | sort")
	for _, dir := range []string{"file", "file/yard.git", "config", "lock"} {
		if _, err := Open(ctx(t), filepath.Join(top, dir)); err == nil {
			t.Errorf("%s was opened", dir)
		}
	}
	over, cancel := context.WithCancel(ctx(t))
	cancel()
	if _, err := Open(over, filepath.Join(top, "yard.git")); !errors.Is(err, context.Canceled) {
		t.Errorf("for nobody: %v", err)
	}
	equal(t, "what is there", sh(t, top, "find . | sort"), before)
}

// TestARepositoryThatCannotBeLaid: each piece of it may be what fails.
func TestARepositoryThatCannotBeLaid(t *testing.T) {
	top := folder(t)
	must(t, os.WriteFile(filepath.Join(top, "file"), nil, 0o600))
	must(t, os.MkdirAll(filepath.Join(top, "taken", "HEAD"), 0o700))
	for name, err := range map[string]error{
		"below a file":       layRepository(filepath.Join(top, "file"), layout{}),
		"HEAD is a folder":   layRepository(filepath.Join(top, "taken"), layout{}),
		"borrows relatively": layRepository(filepath.Join(top, "relative"), layout{alternates: []string{"objects"}}),
		"borrows two lines":  layRepository(filepath.Join(top, "lines"), layout{alternates: []string{"/a", "/b\n/c"}}),
		"no such folder":     syncDir(filepath.Join(top, "none")),
		"shallow":            second(shallowList(filepath.Join(top, "file"))),
	} {
		if err == nil {
			t.Errorf("%s: nothing is said", name)
		}
	}
}

// TestARepositoryAsItIsLaid, to the last file.
func TestARepositoryAsItIsLaid(t *testing.T) {
	for name, c := range map[string]struct {
		layout layout
		want   map[string]string
	}{
		"for an attempt": {layout{head: "ref: refs/heads/x", config: "[core]\n"}, map[string]string{"HEAD": "ref: refs/heads/x\n", "config": "[core]\n"}},
		"to last":        {layout{head: "ref: refs/heads/x", config: "[core]\n", durable: true}, map[string]string{"HEAD": "ref: refs/heads/x\n", "config": "[core]\n"}},
		"with all there is": {layout{head: "h", config: "c", alternates: []string{"/a", "/b c"}, shallow: []byte("s\n"), durable: true}, map[string]string{
			"HEAD": "h\n", "config": "c", "objects/info/alternates": "/a\n/b c\n", "shallow": "s\n",
		}},
	} {
		dir := filepath.Join(folder(t), "r")
		must(t, layRepository(dir, c.layout))
		got := map[string]string{}
		for _, file := range strings.Fields(sh(t, dir, "find . -type f | cut -c3-")) {
			content, err := os.ReadFile(filepath.Join(dir, file))
			must(t, err)
			got[file] = string(content)
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		folders := map[string]string{
			"for an attempt":    ". ./objects ./objects/pack ./refs",
			"to last":           ". ./info ./objects ./objects/info ./objects/pack ./refs ./refs/heads ./refs/tags",
			"with all there is": ". ./info ./objects ./objects/info ./refs ./refs/heads",
		}[name]
		equal(t, name+": folders", sh(t, dir, "find . -type d | sort | tr '\\n' ' '"), folders)
	}
}

// TestHandInThatCannotBeWritten leaves no scratch files and no bundle.
func TestHandInThatCannotBeWritten(t *testing.T) {
	f := newFixture(t)
	dir := f.workspace(t)
	sh(t, dir, "echo n > new")
	for name, spoil := range map[string]func(*HandInSpec){
		"no folder for the bundle": func(s *HandInSpec) { s.Bundle = filepath.Join(folder(t), "none", "b") },
		"a folder as bundle":       func(s *HandInSpec) { must(t, os.MkdirAll(filepath.Join(s.Bundle, "x"), 0o700)) },
		"a yard of two lines":      func(s *HandInSpec) { s.Yard += "\n" },
	} {
		spec := f.handInSpec(t, dir)
		spoil(&spec)
		if handed, err := HandIn(ctx(t), spec); err == nil || handed.Commit != "" {
			t.Errorf("%s: %+v, %v", name, handed, err)
		}
		left, err := filepath.Glob(filepath.Join(filepath.Dir(spec.Bundle), ".*"))
		must(t, err)
		equal(t, name+": scratch files left", len(left), 0)
	}
}

// TestAYardWithoutItsOwnFolder cannot take anything in.
func TestAYardWithoutItsOwnFolder(t *testing.T) {
	f, spec := handedIn(t)
	must(t, os.Remove(filepath.Join(f.yard.Dir(), incomingDir)))
	if _, err := f.yard.Import(ctx(t), spec); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("import: %v", err)
	}
	if _, err := f.yard.Commit(ctx(t), CommitSpec{Parent: f.base, Files: map[string][]byte{"n": nil}, Message: "m", Identity: testIdentity(), When: noon()}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("commit: %v", err)
	}
}
