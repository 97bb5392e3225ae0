package yard

import (
	"slices"
	"testing"
	"time"
)

func TestMergeClean(t *testing.T) {
	f := newFixture(t)
	a, b := f.commit(t, "a", "echo a > a"), f.commit(t, "b", "echo b > b")
	spec := MergeSpec{Ours: a, Theirs: b, Message: "merge b", Identity: testIdentity(), When: time.Unix(1700000000, 0)}
	merged, err := f.yard.Merge(ctx(t), spec)
	must(t, err)
	log, err := f.yard.Log(ctx(t), f.base, merged.Commit)
	must(t, err)
	if !slices.Equal(log[0].Parents, []string{a, b}) || log[0].AuthorEmail != testIdentity().Email {
		t.Fatalf("got %+v", log[0])
	}
	again, err := f.yard.Merge(ctx(t), spec)
	must(t, err)
	equal(t, "repeated merge", again.Commit, merged.Commit)
	done, err := f.yard.Merge(ctx(t), MergeSpec{Ours: merged.Commit, Theirs: b, Message: "m", Identity: testIdentity()})
	must(t, err)
	equal(t, "already merged", done.Commit, merged.Commit)
	refs, err := f.yard.Refs(ctx(t), "refs/heads")
	must(t, err)
	equal(t, "moved refs", len(refs), 0)
}

func TestMergeFastForward(t *testing.T) {
	f := newFixture(t)
	a := f.commit(t, "a", "echo a > a")
	spec := MergeSpec{Ours: f.base, Theirs: a, Message: "m", Identity: testIdentity()}
	merged, err := f.yard.Merge(ctx(t), spec)
	must(t, err)
	if merged.Commit == a {
		t.Fatal("fast-forwarded without being asked")
	}
	spec.FastForward = true
	merged, err = f.yard.Merge(ctx(t), spec)
	must(t, err)
	equal(t, "fast-forward", merged.Commit, a)
}

func TestMergeConflict(t *testing.T) {
	f := newFixture(t)
	a := f.commit(t, "a", "echo a > src/a.txt; echo a > README.md; echo a > new")
	b := f.commit(t, "b", "echo b > src/a.txt; rm README.md")
	merged, err := f.yard.Merge(ctx(t), MergeSpec{Ours: a, Theirs: b, Message: "m", Identity: testIdentity()})
	must(t, err)
	slices.Sort(merged.Conflicts)
	if merged.Commit != "" || !slices.Equal(merged.Conflicts, []string{"README.md", "src/a.txt"}) {
		t.Fatalf("got %+v", merged)
	}
}
