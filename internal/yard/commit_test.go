package yard

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func commitSpec(parent string, files map[string]string) CommitSpec {
	spec := CommitSpec{Parent: parent, Files: map[string][]byte{}, Message: "plan: two steps", Identity: testIdentity(), When: noon()}
	for path, content := range files {
		spec.Files[path] = []byte(content)
	}
	return spec
}

func TestCommitReplacesExactlyTheseFiles(t *testing.T) {
	f := newFixture(t)
	parent := f.commit(t, "parent", "echo x > tool; chmod +x tool; ln -s README.md link; printf 'plan.md text eol=crlf ident\n' > .gitattributes")
	spec := commitSpec(parent, map[string]string{".ai/plan.md": "# Plan $Id$\r\n", "tool": "y\n", "link": "plain\n", "src/caf\xe9 \"x\"": ""})
	commit, err := f.yard.Commit(ctx(t), spec)
	must(t, err)
	again, err := f.yard.Commit(ctx(t), spec)
	must(t, err)
	equal(t, "again", again, commit)
	for path, content := range spec.Files {
		equal(t, path, f.file(t, commit, path), string(content))
	}
	changes, err := f.yard.Changed(ctx(t), parent, commit)
	must(t, err)
	equal(t, "changes", len(changes), 4)
	files, err := f.yard.Files(ctx(t), commit)
	must(t, err)
	for _, file := range files {
		if want := file.Path == "tool"; (file.Kind == Executable) != want || file.Kind == Symlink {
			t.Errorf("%s is %s", file.Path, file.Kind)
		}
	}
	log, err := f.yard.Log(ctx(t), parent, commit)
	must(t, err)
	if len(log) != 1 || log[0].Parents[0] != parent || log[0].AuthoredAt != noon() || log[0].AuthorName != testIdentity().Name {
		t.Errorf("got %+v", log)
	}

	spec.Parent = commit
	same, err := f.yard.Commit(ctx(t), spec)
	must(t, err)
	equal(t, "nothing to change", same, commit)
	left, err := os.ReadDir(filepath.Join(f.yard.Dir(), incomingDir))
	must(t, err)
	equal(t, "left over", len(left), 0)
	sh(t, f.yard.Dir(), "git fsck --strict --no-dangling")
}

func TestCommitRefuses(t *testing.T) {
	f := newFixture(t)
	for _, path := range []string{
		"", ".", "/etc/passwd", "../x", "a/../b", "a//b", "a/", "./a", ".git/config", "sub/.GIT/hooks/x", "a\nb", "a\x00b", strings.Repeat("n", 300),
		"src", "README.md/x", "src/a.txt/deep/er", "git~1", ".g\u200cit/config",
	} {
		if commit, err := f.yard.Commit(ctx(t), commitSpec(f.base, map[string]string{path: "x", "fine": "y"})); err == nil {
			t.Errorf("%q was committed as %s", path, commit)
		}
	}
	if _, err := f.yard.Commit(ctx(t), commitSpec(f.base, map[string]string{"src": "x"})); !errors.Is(err, ErrPath) {
		t.Errorf("a folder pushed aside: %v", err)
	}
	if _, err := f.yard.Commit(ctx(t), commitSpec(strings.Repeat("1", 40), map[string]string{"a": "x"})); !errors.Is(err, ErrNotFound) {
		t.Errorf("no such parent: %v", err)
	}
	if _, err := f.yard.Commit(ctx(t), commitSpec("refs/upstream/heads/main", map[string]string{"a": "x"})); err == nil {
		t.Error("a name was taken for a hash")
	}
}

func TestReadFile(t *testing.T) {
	f := newFixture(t)
	head := f.commit(t, "topic", "ln -s README.md link; ln -s src folder; echo x > run; chmod +x run")
	equal(t, "regular", f.file(t, head, "src/a.txt"), "one\ntwo\n")
	equal(t, "executable", f.file(t, head, "run"), "x\n")
	for _, path := range []string{"link", "folder/a.txt", "src", "none", "src/*"} {
		if _, err := f.yard.ReadFile(ctx(t), head, path, 100); !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, tooBig := errors.AsType[*TooBigError](second(f.yard.ReadFile(ctx(t), head, "src/a.txt", 7))); !tooBig {
		t.Error("the limit was not heeded")
	}
}

func TestExtract(t *testing.T) {
	f := newFixture(t)
	head := f.commit(t, "topic", `mkdir -p .ai/notes; echo '$Id$' > .ai/plan.md; printf 'a\0\nb' > .ai/notes/bin; : > .ai/empty; echo x > .ai/run; chmod +x .ai/run
		cp .ai/plan.md .ai/same; ln -s /etc/passwd .ai/link; ln -s .ai away; echo '*.md filter=evil ident' > .gitattributes`)
	dir := filepath.Join(folder(t), "out")
	must(t, f.yard.Extract(ctx(t), head, ".ai", dir))
	got := map[string]string{}
	must(t, filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		info, statErr := entry.Info()
		rel, _ := filepath.Rel(dir, path)
		got[rel] = info.Mode().String()[:4] + " " + string(content)
		return errors.Join(err, statErr)
	}))
	want := map[string]string{
		"plan.md": "-rw- $Id$\n", "notes/bin": "-rw- a\x00\nb", "empty": "-rw- ", "run": "-rwx x\n", "same": "-rw- $Id$\n",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Fatal(d)
	}
	if err := f.yard.Extract(ctx(t), head, ".ai", dir); err == nil {
		t.Error("written over what is there")
	}
	for _, path := range []string{"none", "away", "README.md", ".ai/plan.md"} {
		if err := f.yard.Extract(ctx(t), head, path, filepath.Join(folder(t), "x")); !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if err := f.yard.Extract(ctx(t), head, "../x", filepath.Join(folder(t), "x")); !errors.Is(err, ErrPath) {
		t.Errorf("got %v", err)
	}
}

// TestWhatIsExtractedIsWhole: names that git tells apart may be the same to a file system, and one is then missing.
func TestWhatIsExtractedIsWhole(t *testing.T) {
	for name, c := range map[string]struct {
		paths []string
		whole bool
	}{
		"different names":       {[]string{"a", "b/a", "b/b"}, true},
		"the same name":         {[]string{"a", "a", "b"}, false},
		"the same name, last":   {[]string{"b", "a", "a"}, false},
		"a file and a folder":   {[]string{"a", "a/b"}, false},
		"a folder and a file":   {[]string{"a/b", "a"}, false},
		"the same, in a folder": {[]string{"a/b", "a/b"}, false},
	} {
		var files []File
		for _, path := range c.paths {
			files = append(files, File{Path: path, Kind: Regular})
		}
		read := func(f File) ([]byte, error) { return []byte(f.Path), nil }
		if err := writeFiles(filepath.Join(folder(t), "out"), files, read); (err == nil) != c.whole {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestExtractIsBounded(t *testing.T) {
	f := newFixture(t)
	many := f.commit(t, "many", "mkdir .ai; cd .ai; for i in $(seq 2001); do : > $i; done")
	big := f.commit(t, "big", "mkdir .ai; head -c 33M /dev/zero > .ai/zero")
	nested := f.commit(t, "nested", "mkdir -p .ai/a .ai/b; for i in $(seq 1000); do : > .ai/a/$i; : > .ai/b/$i; done")
	for _, commit := range []string{many, big, nested} {
		dir := filepath.Join(folder(t), "x")
		if _, tooBig := errors.AsType[*TooBigError](f.yard.Extract(ctx(t), commit, ".ai", dir)); !tooBig {
			t.Error("not refused")
		}
		if _, err := os.Stat(dir); err == nil {
			t.Error("half of it was left")
		}
	}
}

// TestExtractTellsDamageFromAbsence: a folder that the commit does not have is no mistake, and a yard that lacks a part of one is.
func TestExtractTellsDamageFromAbsence(t *testing.T) {
	for _, missing := range []string{".ai/notes", ".ai/notes/deep.md"} {
		f := newFixture(t)
		head := sh(t, f.yard.Dir(), `b=$(echo deep | git hash-object -w --stdin); n=$(printf '100644 blob %s\tdeep.md\n' $b | git mktree)
			a=$(printf '040000 tree %s\tnotes\n' $n | git mktree); git commit-tree -m x $(printf '040000 tree %s\t.ai\n' $a | git mktree)`)
		hash := sh(t, f.yard.Dir(), "git rev-parse "+head+":"+missing)
		must(t, os.Remove(filepath.Join(f.yard.Dir(), "objects", hash[:2], hash[2:])))
		dir := filepath.Join(folder(t), "x")
		if err := f.yard.Extract(ctx(t), head, ".ai", dir); err == nil || errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), "it is damaged") {
			t.Errorf("without %s: %v", missing, err)
		}
		equal(t, "what is left", sh(t, filepath.Dir(dir), "ls -A"), "")
	}
}
