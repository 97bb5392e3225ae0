package patch_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/cockpit/patch"
)

// repository is a real one; git is what the parser has to understand.
type repository struct {
	t   *testing.T
	dir string
}

func newRepository(t *testing.T) repository {
	r := repository{t, t.TempDir()}
	r.git("init", "-q")
	return r
}

func (r repository) git(args ...string) []byte {
	r.t.Helper()
	cmd := exec.CommandContext(r.t.Context(), "git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"}, args...)...)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		r.t.Fatalf("git %v: %v: %s", args, err, complaints.String())
	}
	return out
}

func (r repository) write(name, text string) {
	r.t.Helper()
	path := filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

func (r repository) commit() { r.git("add", "-A"); r.git("commit", "-qm", "x") }

func (r repository) diff() []byte {
	return r.git("diff-tree", "-r", "-p", "-M", "--src-prefix=a/", "--dst-prefix=b/", "HEAD~1", "HEAD")
}

func read(t *testing.T, b patch.Bounds, text []byte) patch.Patch {
	t.Helper()
	r := patch.NewReader(b)
	if _, err := io.Copy(r, bytes.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	return r.Patch()
}

func find(t *testing.T, p patch.Patch, path string) patch.File {
	t.Helper()
	for _, f := range p.Files {
		if f.Path() == path {
			return f
		}
	}
	t.Fatalf("there is no %q among %d files", path, len(p.Files))
	return patch.File{}
}

func TestWhatGitWrites(t *testing.T) {
	r := newRepository(t)
	long := strings.Repeat("line\n", 30)
	r.write("plain.go", "package a\n\nfunc A() {}\n")
	r.write("moved.txt", long)
	r.write("gone.txt", "one\ntwo\n")
	r.write("script.sh", "echo\n")
	r.write("open.txt", "no end")
	r.write("bytes.bin", "a\x00b")
	r.commit()
	r.write("plain.go", "package a\n\nfunc B() {}\n")
	if err := os.Mkdir(filepath.Join(r.dir, "b"), 0o700); err != nil {
		t.Fatal(err)
	}
	r.git("mv", "moved.txt", "b/moved there.txt")
	r.git("rm", "-q", "gone.txt")
	if err := os.Chmod(filepath.Join(r.dir, "script.sh"), 0o755); err != nil { //nolint:gosec // the mode is what is tested
		t.Fatal(err)
	}
	r.write("open.txt", "an end\n")
	r.write("bytes.bin", "a\x00c")
	r.write("empty", "")
	r.write("name with blank", "x\n")
	r.write("tab\tand\nbreak \"ü\"", "y\n")
	r.write("inner.diff", "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n")
	r.commit()
	p := read(t, patch.Usual(), r.diff())
	if len(p.Files) != 10 {
		t.Fatalf("%d files: %+v", len(p.Files), p.Files)
	}
	for path, want := range map[string]patch.File{
		"plain.go":              {Status: patch.Modified, Added: 1, Deleted: 1},
		"b/moved there.txt":     {Status: patch.Renamed, Old: "moved.txt"},
		"gone.txt":              {Status: patch.Deleted, OldMode: "100644", Deleted: 2},
		"script.sh":             {Status: patch.Modified, OldMode: "100644", NewMode: "100755"},
		"open.txt":              {Status: patch.Modified, Added: 1, Deleted: 1},
		"bytes.bin":             {Status: patch.Modified, Binary: true},
		"empty":                 {Status: patch.Added, NewMode: "100644"},
		"name with blank":       {Status: patch.Added, NewMode: "100644", Added: 1},
		"tab\tand\nbreak \"ü\"": {Status: patch.Added, NewMode: "100644", Added: 1},
		"inner.diff":            {Status: patch.Added, NewMode: "100644", Added: 6},
	} {
		got := find(t, p, path)
		if want.Old == "" {
			want.Old = path
		}
		if got.Status != want.Status || got.Old != want.Old || got.OldMode != want.OldMode || got.NewMode != want.NewMode ||
			got.Added != want.Added || got.Deleted != want.Deleted || got.Binary != want.Binary {
			t.Errorf("%q: %+v", path, got)
		}
	}
	lines := find(t, p, "plain.go").Hunks[0].Lines
	if at := slices.IndexFunc(lines, func(l patch.Line) bool { return l.Kind == patch.Plus }); lines[at] != (patch.Line{Kind: patch.Plus, New: 3, Text: "func B() {}"}) {
		t.Errorf("the new line is %+v", lines[at])
	}
	if l := find(t, p, "open.txt").Hunks[0].Lines; !l[0].Open || l[1].Open {
		t.Errorf("which line has no end: %+v", l)
	}
	if p.Added != 10 || p.Deleted != 4 {
		t.Errorf("+%d -%d", p.Added, p.Deleted)
	}
}

func TestLargeDifferencesAreBounded(t *testing.T) {
	var text bytes.Buffer
	for i := range 50 {
		fmt.Fprintf(&text, "diff --git a/f%d b/f%d\nnew file mode 100644\n--- /dev/null\n+++ b/f%d\n@@ -0,0 +1,10000 @@\n", i, i, i)
		for range 10_000 {
			text.WriteString("+" + strings.Repeat("x", 99) + "\n")
		}
	}
	text.WriteString("diff --git a/small b/small\nnew file mode 100644\n--- /dev/null\n+++ b/small\n@@ -0,0 +1 @@\n+here\n")
	began := time.Now()
	p := read(t, patch.Usual(), text.Bytes())
	if took := time.Since(began); took > time.Minute {
		t.Errorf("%d MB took %v", text.Len()>>20, took)
	}
	if p.Added != 500_001 || len(p.Files) != 51 {
		t.Errorf("counted %d lines in %d files", p.Added, len(p.Files))
	}
	if f := find(t, p, "f7"); !f.Cut || f.Hunks != nil || f.Added != 10_000 {
		t.Errorf("a large file: cut %v, %d hunks, +%d", f.Cut, len(f.Hunks), f.Added)
	}
	if f := find(t, p, "small"); f.Cut || f.Hunks[0].Lines[0].Text != "here" {
		t.Errorf("a small one after them: %+v", f)
	}
	b := patch.Usual()
	b.Whole = "f7"
	p = read(t, b, text.Bytes())
	if f := find(t, p, "f7"); !f.Cut || len(f.Hunks[0].Lines) != int(b.All/139) {
		t.Errorf("the one asked for: cut %v, %d lines", f.Cut, len(f.Hunks[0].Lines))
	}
	if f := find(t, p, "small"); !f.Cut || f.Hunks != nil {
		t.Errorf("another one: %+v", f)
	}
	b.Read = 1 << 20
	r := patch.NewReader(b)
	if _, err := io.Copy(r, &text); err == nil || !r.Patch().Full {
		t.Error("reading was not given up")
	}
}

func TestLongLinesAndManyFilesAreCut(t *testing.T) {
	b := patch.Usual()
	b.Files = 2
	b.File, b.Line = 1<<20, 10
	one := "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+" + strings.Repeat("ü", 1000) + "\n"
	p := read(t, b, []byte(strings.Repeat(one, 5)))
	if len(p.Files) != 2 || p.Unnamed != 3 || p.Added != 5 {
		t.Errorf("%d files, %d unnamed, +%d", len(p.Files), p.Unnamed, p.Added)
	}
	if l := p.Files[0].Hunks[0].Lines[1]; !l.Cut || l.Text != strings.Repeat("ü", 5) {
		t.Errorf("a long line: %+v", l)
	}
}

// FuzzReader holds that nothing makes the reader fail, that how the text comes
// in pieces does not matter, and that numbers and counts fit the lines.
func FuzzReader(f *testing.F) {
	f.Add([]byte("diff --git a/x b/x\nold mode 100644\nnew mode 100755\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@ f\n a\n-b\n\\ No newline at end of file\n+c\n"), 3)
	f.Add([]byte("diff --git \"a/\\303\\274\\\"\" \"b/\\303\\274\\\"\"\nrename from x\nrename to y\nBinary files differ\n"), 1)
	f.Add([]byte("@@ -1 +1 @@\n+x\ndiff --git a b\n@@ -0,0 +999999999 @@\n+\n"), 7)
	f.Fuzz(func(t *testing.T, text []byte, piece int) {
		b := patch.Bounds{Files: 5, File: 200, All: 500, Line: 40, Read: 1 << 20}
		whole, pieces := patch.NewReader(b), patch.NewReader(b)
		if _, err := whole.Write(text); err != nil {
			t.Skip("larger than what is read")
		}
		for c := range slices.Chunk(text, max(1, piece%64)) {
			if _, err := pieces.Write(c); err != nil {
				t.Fatal(err)
			}
		}
		p := whole.Patch()
		if a, b := fmt.Sprintf("%+v", p), fmt.Sprintf("%+v", pieces.Patch()); a != b {
			t.Fatalf("in pieces it is another:\n%s\n%s", a, b)
		}
		for _, file := range p.Files {
			check(t, file)
		}
	})
}

func check(t *testing.T, f patch.File) {
	added, deleted := 0, 0
	for _, h := range f.Hunks {
		before, after := h.OldStart, h.NewStart
		for _, l := range h.Lines {
			if l.Kind != patch.Plus {
				if l.Old != before {
					t.Fatalf("line %+v is number %d", l, before)
				}
				before++
			}
			if l.Kind != patch.Less {
				if l.New != after {
					t.Fatalf("line %+v is number %d", l, after)
				}
				after++
			}
			switch l.Kind {
			case patch.Plus:
				added++
			case patch.Less:
				deleted++
			case patch.Same:
			}
		}
	}
	if !f.Cut && (added != f.Added || deleted != f.Deleted) {
		t.Fatalf("+%d -%d were counted as +%d -%d", added, deleted, f.Added, f.Deleted)
	}
}
