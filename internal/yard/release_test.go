package yard

import (
	"errors"
	"testing"
)

func TestOnlyARefWhoseWorkABranchHoldsIsReleased(t *testing.T) {
	f := newFixture(t)
	first := f.commit(t, "one", "echo one > one.txt")
	other := f.commit(t, "two", "echo two > two.txt")
	ref, alone := Attempts+"r/build.r1.a1", Attempts+"r/build.r1.a2"
	must(t, f.yard.Keep(ctx(t), ref, first))
	must(t, f.yard.Keep(ctx(t), alone, other))
	if err := f.yard.Release(ctx(t), ref, first, "topic"); !errors.Is(err, ErrOnlyCopy) {
		t.Errorf("without a branch: %v", err)
	}
	must(t, f.yard.Move(ctx(t), "refs/heads/topic", "", first))
	if err := f.yard.Release(ctx(t), alone, other, "topic"); !errors.Is(err, ErrOnlyCopy) {
		t.Errorf("the only copy: %v", err)
	}
	var moved *MovedError
	if err := f.yard.Release(ctx(t), ref, other, "topic"); !errors.As(err, &moved) {
		t.Errorf("at another commit: %v", err)
	}
	for _, wrong := range []string{"refs/kept/r/x", "refs/heads/topic", "refs/attempts/../heads/topic"} {
		if err := f.yard.Release(ctx(t), wrong, first, "topic"); err == nil {
			t.Errorf("%s is released", wrong)
		}
	}
	must(t, f.yard.Release(ctx(t), ref, first, "topic"))
	must(t, f.yard.Release(ctx(t), ref, first, "topic")) // once more
	refs, err := f.yard.Refs(ctx(t), Attempts)
	must(t, err)
	if len(refs) != 1 || refs[0].Name != alone {
		t.Errorf("left are %v", refs)
	}
	held, err := f.yard.Holds(ctx(t), "topic", first)
	must(t, err)
	equal(t, "the branch holds it", held, true)
}

// TestABranchHoldsWhatItHasComeBy, and not what lies ahead of it.
func TestABranchHoldsWhatItHasComeBy(t *testing.T) {
	f := newFixture(t)
	next := f.commit(t, "one", "echo one > one.txt")
	ahead, passed := Attempts+"r/build.r1.a1", Attempts+"r/build.r1.a2"
	must(t, f.yard.Keep(ctx(t), ahead, next))
	must(t, f.yard.Keep(ctx(t), passed, f.base))
	must(t, f.yard.Move(ctx(t), "refs/heads/topic", "", f.base))
	if err := f.yard.Release(ctx(t), ahead, next, "topic"); !errors.Is(err, ErrOnlyCopy) {
		t.Errorf("ahead of the branch: %v", err)
	}
	must(t, f.yard.Move(ctx(t), "refs/heads/topic", f.base, next))
	must(t, f.yard.Release(ctx(t), passed, f.base, "topic"))
	refs, err := f.yard.Refs(ctx(t), Attempts)
	must(t, err)
	if len(refs) != 1 || refs[0].Name != ahead {
		t.Errorf("left are %v", refs)
	}
}

// TestNothingIsReleasedForABranchThatMovedMeanwhile: the branch was looked at, and
// may be elsewhere by the time the ref goes; so may the ref.
func TestNothingIsReleasedForABranchThatMovedMeanwhile(t *testing.T) {
	f := newFixture(t)
	first := f.commit(t, "one", "echo one > one.txt")
	other := f.commit(t, "two", "echo two > two.txt")
	ref := Attempts + "r/build.r1.a1"
	must(t, f.yard.Keep(ctx(t), ref, first))
	must(t, f.yard.Move(ctx(t), "refs/heads/topic", "", other))
	if err := f.yard.release(ctx(t), ref, first, "topic", first); err == nil {
		t.Error("released for a branch that is elsewhere")
	}
	if err := f.yard.release(ctx(t), ref, first, "gone", first); err == nil {
		t.Error("released for a branch that is gone")
	}
	if err := f.yard.release(ctx(t), ref, other, "topic", other); err == nil {
		t.Error("released although it is elsewhere")
	}
	at, err := f.yard.Resolve(ctx(t), ref)
	must(t, err)
	equal(t, "the ref", at, first)
}
