package yard

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
)

func TestResolve(t *testing.T) {
	f := newFixture(t)
	tree, err := f.yard.Tree(ctx(t), f.base)
	must(t, err)
	equal(t, "tree", tree, sh(t, f.person, "git rev-parse HEAD^{tree}"))
	for _, rev := range []string{"refs/heads/none", strings.Repeat("1", 40), tree} {
		if _, err := f.yard.Resolve(ctx(t), rev); !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: got %v", rev, err)
		}
	}
	for _, rev := range []string{"", "--all", "a\nb"} {
		if _, err := f.yard.Resolve(ctx(t), rev); err == nil {
			t.Errorf("%q was accepted", rev)
		}
	}
	ok, err := f.yard.Exists(ctx(t), f.base)
	must(t, err)
	equal(t, "exists", ok, true)
}

func TestMoveComparesAndSwaps(t *testing.T) {
	f := newFixture(t)
	topic := f.commit(t, "topic", "echo x > x")
	const ref = "refs/heads/run"
	must(t, f.yard.Move(ctx(t), ref, "", f.base))
	must(t, f.yard.Move(ctx(t), ref, "", f.base))
	moved, ok := errors.AsType[*MovedError](f.yard.Move(ctx(t), ref, "", topic))
	if !ok || moved.Have != f.base || moved.Want != "" || moved.Ref != ref {
		t.Fatalf("got %+v", moved)
	}
	must(t, f.yard.Move(ctx(t), ref, f.base, topic))
	refs, err := f.yard.Refs(ctx(t), "refs/heads/")
	must(t, err)
	if len(refs) != 1 || refs[0] != (Ref{Name: ref, Commit: topic}) {
		t.Fatalf("got %v", refs)
	}
	for _, bad := range []string{"HEAD", "refs/heads/a..b", "refs/heads/x y"} {
		if err := f.yard.Move(ctx(t), bad, "", topic); err == nil {
			t.Errorf("%s was accepted", bad)
		}
	}
}

// TestABranchIsNotWhatIsBelowItsName: where there is a branch run/line there is none called run.
func TestABranchIsNotWhatIsBelowItsName(t *testing.T) {
	f := newFixture(t)
	topic := f.commit(t, "topic", "echo x > x")
	const branch, attempt = "refs/heads/run/line", Attempts + "r1/a1"
	must(t, f.yard.Move(ctx(t), branch, "", topic))
	must(t, f.yard.Keep(ctx(t), attempt, topic))
	if held, err := f.yard.Holds(ctx(t), "run", topic); held || err != nil {
		t.Errorf("a branch that is not there holds it: %v, %v", held, err)
	}
	if err := f.yard.Release(ctx(t), attempt, topic, "run"); !errors.Is(err, ErrOnlyCopy) {
		t.Errorf("released for a branch that is not there: %v", err)
	}
	if err := f.yard.Release(ctx(t), Attempts+"r1", f.base, "run/line"); err != nil {
		t.Errorf("release what is not there: %v", err)
	}
	if err := f.yard.DeleteRef(ctx(t), "refs/heads/run", topic); err != nil {
		t.Errorf("delete what is not there: %v", err)
	}
	if err := f.yard.Move(ctx(t), "refs/heads/run", "", topic); err == nil {
		t.Error("a branch is said to be made that git cannot make")
	}
	for _, ref := range []string{branch, attempt} {
		tip, err := f.yard.Resolve(ctx(t), ref)
		must(t, err)
		equal(t, ref, tip, topic)
	}
}

func TestMoveHasOneWinner(t *testing.T) {
	f := newFixture(t)
	const racers = 6
	var commits []string
	for i := range racers {
		commits = append(commits, f.commit(t, fmt.Sprintf("b%d", i), fmt.Sprintf("echo %d > n", i)))
	}
	results := make([]error, racers)
	var group sync.WaitGroup
	for i := range racers {
		group.Go(func() { results[i] = f.yard.Move(ctx(t), "refs/heads/race", "", commits[i]) })
	}
	group.Wait()
	winners := 0
	for _, err := range results {
		if err == nil {
			winners++
		} else if _, ok := errors.AsType[*MovedError](err); !ok {
			t.Errorf("got %v", err)
		}
	}
	equal(t, "winners", winners, 1)
}

func TestKeepNeverOverwrites(t *testing.T) {
	f := newFixture(t)
	topic := f.commit(t, "topic", "echo x > x")
	must(t, f.yard.Keep(ctx(t), Kept+"r1", topic))
	must(t, f.yard.Keep(ctx(t), Kept+"r1", topic))
	if _, ok := errors.AsType[*MovedError](f.yard.Keep(ctx(t), Kept+"r1", f.base)); !ok {
		t.Fatal("overwritten")
	}
}

func TestDeleteRef(t *testing.T) {
	f := newFixture(t)
	topic := f.commit(t, "topic", "echo x > x")
	const ref = "refs/heads/run-step-1"
	must(t, f.yard.Move(ctx(t), ref, "", topic))
	if moved, ok := errors.AsType[*MovedError](f.yard.DeleteRef(ctx(t), ref, f.base)); !ok || moved.Have != topic || moved.Want != f.base {
		t.Fatalf("got %v", moved)
	}
	for range 2 {
		must(t, f.yard.DeleteRef(ctx(t), ref, topic))
	}
	refs, err := f.yard.Refs(ctx(t), "refs/heads/")
	must(t, err)
	equal(t, "refs", len(refs), 0)
	ok, err := f.yard.Exists(ctx(t), topic)
	must(t, err)
	equal(t, "commit kept", ok, true)

	must(t, f.yard.Keep(ctx(t), Kept+"x", topic))
	for _, bad := range []string{Kept + "x", UpstreamHeads + "main", "refs/heads/a b"} {
		if err := f.yard.DeleteRef(ctx(t), bad, topic); err == nil {
			t.Errorf("%s was deleted", bad)
		}
	}
	if err := f.yard.DeleteRef(ctx(t), ref, ""); err == nil {
		t.Error("deleted whatever is there")
	}
}
