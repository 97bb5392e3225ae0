package yard

import "testing"

// TestLag: what a branch follows is known by its upstream or by its name on origin, and only as it was last fetched.
func TestLag(t *testing.T) {
	f := newFixture(t)
	lag := func() Lag {
		t.Helper()
		must(t, f.yard.Fetch(ctx(t), f.person))
		own, err := f.yard.Resolve(ctx(t), UpstreamHeads+"main")
		must(t, err)
		found, err := f.yard.Lag(ctx(t), f.person, "main", own)
		must(t, err)
		return found
	}
	equal(t, "without a remote", lag(), Lag{})

	remote := bareRemote(t, f)
	sh(t, f.person, "git remote add origin "+remote+" && git push -q origin main && git commit -q --allow-empty -m theirs && git commit -q --allow-empty -m more && git push -q origin main && git reset -q --hard HEAD~2")
	equal(t, "without an upstream", lag(), Lag{Follows: "origin/main", Lacks: 2})
	sh(t, f.person, "git commit -q --allow-empty -m mine")
	equal(t, "gone apart", lag(), Lag{Follows: "origin/main", Lacks: 2, Ahead: 1})
	sh(t, f.person, "git reset -q --hard HEAD^ && git push -q origin main:trunk && git branch -q -u origin/trunk")
	equal(t, "with an upstream of another name", lag(), Lag{Follows: "origin/trunk"})
	sh(t, f.person, "git branch -q work && git branch -q -u work")
	equal(t, "with a local branch as its upstream", lag(), Lag{Follows: "origin/main", Lacks: 2})
}
