package yard

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFetchPrunesOnlyUpstream(t *testing.T) {
	f := newFixture(t)
	topic := f.commit(t, "topic", "echo x > x")
	must(t, f.yard.Keep(ctx(t), "refs/heads/topic", topic))
	must(t, f.yard.Keep(ctx(t), Kept+"topic", topic))
	sh(t, f.person, "git branch -q -D topic && git branch topic/deeper main")
	must(t, f.yard.Fetch(ctx(t), f.person))
	refs, err := f.yard.Refs(ctx(t), "refs/")
	must(t, err)
	var names []string
	for _, r := range refs {
		names = append(names, r.Name)
	}
	equal(t, "refs", strings.Join(names, " "), "refs/heads/topic refs/kept/topic refs/upstream/heads/main refs/upstream/heads/topic/deeper")
}

func TestFetchRefusesStrangeAddresses(t *testing.T) {
	y := openYard(t)
	canary := filepath.Join(folder(t), "canary")
	for _, address := range []string{"", "relative/path", "--upload-pack=touch " + canary, "ext::sh -c touch% " + canary, "-x", "a\nb"} {
		if err := y.Fetch(ctx(t), address); err == nil {
			t.Errorf("%q was fetched", address)
		}
	}
	if _, err := os.Stat(canary); err == nil {
		t.Error("a program ran")
	}
	if err := y.Fetch(ctx(t), "/nonexistent/repository"); !errors.Is(err, ErrUnreachable) {
		t.Errorf("got %v", err)
	}
}

func TestFetchFromAShallowClone(t *testing.T) {
	origin := person(t)
	clone := filepath.Join(folder(t), "clone")
	sh(t, "/", "git clone -q --depth=1 file://"+origin+" "+clone)
	y := openYard(t)
	must(t, y.Fetch(ctx(t), clone))
	head, err := y.Resolve(ctx(t), UpstreamHeads+"main")
	must(t, err)
	log, err := y.Log(ctx(t), "", head)
	must(t, err)
	equal(t, "commits", len(log), 1)

	f := fixture{person: clone, base: head, yard: y}
	dir := f.workspace(t)
	equal(t, "log in the workspace", sh(t, dir, "git log --oneline | wc -l"), "1")
	sh(t, dir, "echo x > x")
	descends, err := y.IsAncestor(ctx(t), head, f.roundTrip(t, dir).Commit)
	must(t, err)
	equal(t, "descends", descends, true)
}

func TestFetchAcceptsOldMistakesOfAPerson(t *testing.T) {
	dir := person(t)
	sh(t, dir, `c=$(printf 'tree %s\nauthor A <a@b> 0 +051800\ncommitter A <a@b> 0 +051800\n\nold\n' $(git rev-parse HEAD^{tree}) | git hash-object -t commit -w --literally --stdin); git update-ref refs/heads/old $c`)
	y := openYard(t)
	must(t, y.Fetch(ctx(t), dir))
}

func TestFetchChecksObjects(t *testing.T) {
	dir := person(t)
	sh(t, dir, `b=$(echo x | git hash-object -w --stdin); t=$(printf '100644 blob %s\t.git\n' $b | git mktree); git update-ref refs/heads/evil $(git commit-tree -m x $t)`)
	y := openYard(t)
	if err := y.Fetch(ctx(t), dir); err == nil || !strings.Contains(err.Error(), "hasDotgit") {
		t.Fatalf("got %v", err)
	}
}

// TestFetchOfARewrittenBranch is how somebody learns that what they built on is no longer part of the branch.
func TestFetchOfARewrittenBranch(t *testing.T) {
	f := newFixture(t)
	contained := func() bool {
		must(t, f.yard.Fetch(ctx(t), f.person))
		ok, err := f.yard.IsAncestor(ctx(t), f.base, UpstreamHeads+"main")
		must(t, err)
		return ok
	}
	sh(t, f.person, "git commit -q --allow-empty -m later")
	equal(t, "contained after it moved on", contained(), true)
	sh(t, f.person, "git reset -q --hard HEAD~2; git commit -q --allow-empty -m other")
	equal(t, "contained after it was rewritten", contained(), false)
	ok, err := f.yard.Exists(ctx(t), f.base)
	must(t, err)
	equal(t, "still there", ok, true)
	sh(t, f.person, "git checkout -q -b trunk; git branch -q -D main")
	must(t, f.yard.Fetch(ctx(t), f.person))
	if _, err := f.yard.Resolve(ctx(t), UpstreamHeads+"main"); !errors.Is(err, ErrNotFound) {
		t.Errorf("a branch that is gone: %v", err)
	}
}
