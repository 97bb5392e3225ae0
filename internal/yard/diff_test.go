package yard

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadingACommit(t *testing.T) {
	f := newFixture(t)
	head := f.commit(t, "topic", `git mv README.md "R e\"ad.md"; echo three >> src/a.txt; printf 'x' > $'caf\xe9'; ln -s /etc/passwd link; echo '#!/bin/sh' > run; chmod +x run; rm .gitignore`)

	changes, err := f.yard.Changed(ctx(t), f.base, head)
	must(t, err)
	want := []Change{
		{Path: ".gitignore", Status: 'D', Deleted: 1},
		{Path: `R e"ad.md`, Status: 'R', OldPath: "README.md", Kind: Regular},
		{Path: "caf\xe9", Status: 'A', Kind: Regular, Added: 1},
		{Path: "link", Status: 'A', Kind: Symlink, Added: 1},
		{Path: "run", Status: 'A', Kind: Executable, Added: 1},
		{Path: "src/a.txt", Status: 'M', Kind: Regular, Added: 1},
	}
	slices.SortFunc(changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	if d := cmp.Diff(want, changes); d != "" {
		t.Fatal(d)
	}

	files, err := f.yard.Files(ctx(t), head)
	must(t, err)
	kinds := map[string]Kind{}
	for _, file := range files {
		kinds[file.Path] = file.Kind
	}
	wantKinds := map[string]Kind{`R e"ad.md`: Regular, "caf\xe9": Regular, "link": Symlink, "run": Executable, "src/a.txt": Regular}
	if d := cmp.Diff(wantKinds, kinds); d != "" {
		t.Fatal(d)
	}

	log, err := f.yard.Log(ctx(t), f.base, head)
	must(t, err)
	if len(log) != 1 || log[0].Hash != head || log[0].Subject != "topic" || log[0].AuthorEmail != "pat@example.org" || log[0].Parents[0] != f.base {
		t.Fatalf("got %+v", log)
	}
	all, err := f.yard.Log(ctx(t), "", head)
	must(t, err)
	equal(t, "history", len(all), 3)
}

// TestEveryChangeHasItsOwnFigures, whatever the paths look like to whoever reads git's output.
func TestEveryChangeHasItsOwnFigures(t *testing.T) {
	f := newFixture(t)
	before := f.commit(t, "before", `seq 20 > long; printf '\0\1' > binary; echo x > file; echo x > mode; seq 20 > $'a\tb'; echo x > :colon`)
	head := f.commit(t, "after", `git reset -q --hard before; git mv long ':100644 100644 a b R'; sed -i 's/^7$/seven/; $d' ':100644 100644 a b R'
printf '\0\2' > binary; rm file; ln -s x file; chmod +x mode; git mv $'a\tb' $'1\t2\tc'; seq 3 > :colon`)
	changes, err := f.yard.Changed(ctx(t), before, head)
	must(t, err)
	want := []Change{
		{Path: "1\t2\tc", OldPath: "a\tb", Status: 'R', Kind: Regular},
		{Path: ":100644 100644 a b R", OldPath: "long", Status: 'R', Kind: Regular, Added: 1, Deleted: 2},
		{Path: ":colon", Status: 'M', Kind: Regular, Added: 3, Deleted: 1},
		{Path: "binary", Status: 'M', Kind: Regular},
		{Path: "file", Status: 'T', Kind: Symlink, Added: 1, Deleted: 1},
		{Path: "mode", Status: 'M', Kind: Executable},
	}
	slices.SortFunc(changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	if d := cmp.Diff(want, changes); d != "" {
		t.Error(d)
	}
}

// TestOutputThatIsNotGits is refused: a change must not pass for none.
func TestOutputThatIsNotGits(t *testing.T) {
	const raw = ":100644 100644 a b M"
	for _, fields := range [][]string{
		{"nonsense"}, {"1\t2\tunknown"}, {raw, "a", "1\t2"}, {raw, "a", "x\t2\ta"}, {raw, "a", "1\t\ta"}, {":100644 M", "a"}, {raw, "a", "1\t2\t", "a"},
	} {
		if changes, err := readChanges(fields); err == nil {
			t.Errorf("%q is read as %+v", fields, changes)
		}
	}
}

func TestShow(t *testing.T) {
	f := newFixture(t)
	content, err := f.yard.Show(ctx(t), f.base, "src/a.txt", 100)
	must(t, err)
	equal(t, "content", string(content), "one\ntwo\n")
	for _, path := range []string{"src", "src/", "none", "src/*", "../x"} {
		if _, err := f.yard.Show(ctx(t), f.base, path, 100); err == nil {
			t.Errorf("%s was shown", path)
		}
	}
	if _, err := f.yard.Show(ctx(t), f.base, "none", 100); !errors.Is(err, ErrNotFound) {
		t.Errorf("got %v", err)
	}
	if big, ok := errors.AsType[*TooBigError](second(f.yard.Show(ctx(t), f.base, "src/a.txt", 3))); !ok || big.Size != 8 {
		t.Errorf("got %v", big)
	}
}

func second[T any](_ T, err error) error { return err }

func TestDiffShowsWhatWasMovedAsMoved(t *testing.T) {
	f := newFixture(t)
	head := f.commit(t, "topic", "git mv src/a.txt moved.txt")
	var out bytes.Buffer
	cut, err := f.yard.Diff(ctx(t), &out, f.base, head, DiffOptions{})
	must(t, err)
	if cut || !strings.Contains(out.String(), "rename from src/a.txt\nrename to moved.txt\n") {
		t.Errorf("got %s", out.String())
	}
}

func TestDiffIsLimited(t *testing.T) {
	f := newFixture(t)
	head := f.commit(t, "topic", `seq 1 200000 > big; echo '*.txt diff=evil' > .gitattributes; echo z >> src/a.txt`)
	var out bytes.Buffer
	cut, err := f.yard.Diff(ctx(t), &out, f.base, head, DiffOptions{MaxBytes: 1000})
	must(t, err)
	if !cut || out.Len() != 1000 {
		t.Fatalf("cut %v at %d", cut, out.Len())
	}
	out.Reset()
	cut, err = f.yard.Diff(ctx(t), &out, f.base, head, DiffOptions{Paths: []string{"src/a.txt"}})
	must(t, err)
	if cut || !strings.Contains(out.String(), "+z\n") || strings.Contains(out.String(), "big") {
		t.Fatalf("got %s", out.String())
	}
}
