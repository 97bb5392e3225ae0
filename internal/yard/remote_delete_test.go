package yard

import (
	"errors"
	"testing"
)

func TestDeleteRemote(t *testing.T) {
	f := newFixture(t)
	remote := bareRemote(t, f)
	topic := f.commit(t, "topic", "echo x > x")
	const ref = "refs/heads/feature/x"
	must(t, f.yard.Push(ctx(t), PushSpec{Remote: remote, Ref: ref, Commit: topic}))
	err := f.yard.DeleteRemote(ctx(t), DeleteSpec{Remote: remote, Ref: ref, ExpectedOld: f.base})
	if lease, ok := errors.AsType[*LeaseError](err); !ok || lease.Have != topic || lease.Want != f.base {
		t.Fatalf("a branch that moved: %v", err)
	}
	equal(t, "still there", sh(t, remote, "git rev-parse "+ref), topic)
	for range 2 {
		must(t, f.yard.DeleteRemote(ctx(t), DeleteSpec{Remote: remote, Ref: ref, ExpectedOld: topic}))
	}
	equal(t, "gone", sh(t, remote, "git for-each-ref "+ref), "")

	for _, bad := range []DeleteSpec{
		{Remote: remote, Ref: "refs/heads/main"}, {Remote: remote, Ref: "refs/tags/v1", ExpectedOld: f.base}, {Remote: remote, Ref: "main", ExpectedOld: f.base},
	} {
		if err := f.yard.DeleteRemote(ctx(t), bad); err == nil {
			t.Errorf("%+v was accepted", bad)
		}
	}
	sh(t, remote, "git config receive.denyDeletes true")
	if err := f.yard.DeleteRemote(ctx(t), DeleteSpec{Remote: remote, Ref: "refs/heads/main", ExpectedOld: f.base}); !errors.Is(err, ErrDeclined) {
		t.Errorf("a remote that keeps its branches: %v", err)
	}
	sh(t, f.person, "git config receive.denyDeleteCurrent ignore")
	if err := f.yard.DeleteRemote(ctx(t), DeleteSpec{Remote: f.person, Ref: "refs/heads/main", ExpectedOld: f.base}); !errors.Is(err, ErrCheckedOut) {
		t.Errorf("the branch a person is on: %v", err)
	}
	equal(t, "person", sh(t, f.person, "git rev-parse main"), f.base)
}
