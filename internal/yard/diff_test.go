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
		{Path: ".gitignore", Status: 'D'},
		{Path: `R e"ad.md`, Status: 'R', OldPath: "README.md"},
		{Path: "caf\xe9", Status: 'A'},
		{Path: "link", Status: 'A'},
		{Path: "run", Status: 'A'},
		{Path: "src/a.txt", Status: 'M'},
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

	count, added, deleted, err := f.yard.Stat(ctx(t), f.base, head)
	must(t, err)
	equal(t, "stat", [3]int{count, added, deleted}, [3]int{7, 5, 2})

	log, err := f.yard.Log(ctx(t), f.base, head)
	must(t, err)
	if len(log) != 1 || log[0].Hash != head || log[0].Subject != "topic" || log[0].AuthorEmail != "pat@example.org" || log[0].Parents[0] != f.base {
		t.Fatalf("got %+v", log)
	}
	all, err := f.yard.Log(ctx(t), "", head)
	must(t, err)
	equal(t, "history", len(all), 3)
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
