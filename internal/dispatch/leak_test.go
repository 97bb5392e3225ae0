package dispatch

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/redact"
)

// leakyPress is about to publish a commit with a token in it.
func leakyPress(t *testing.T) *press {
	t.Helper()
	return pressOf(t, `printf 'A=1\nB=gh''p_0123456789aBcDeFgHiJkLmNoPqRsTuVwXyZ\n' > a.env && git add a.env && git commit -q -m leak`)
}

// pressOf is about to publish what a script commits.
func pressOf(t *testing.T, script string) *press {
	t.Helper()
	p := newPress(t)
	person := filepath.Join(filepath.Dir(p.bare), "person")
	commit := sh(t, person, script+` && git rev-parse HEAD`)
	if err := p.Yards.(oneYard).yard.Fetch(t.Context(), person); err != nil {
		t.Fatal(err)
	}
	p.run.Head = commit
	p.run.Stages[0].Tasks[0].Publishing.Subject.Commit = commit
	p.Redactors = func([]string) Redactor { return redact.New(redact.Options{}) }
	return p
}

// TestAnUnnamedLeakIsNotPushed: a record from elsewhere says that nothing was
// found, and the commit says otherwise.
func TestAnUnnamedLeakIsNotPushed(t *testing.T) {
	p := leakyPress(t)
	got := p.publishOnce(t)
	if got.OK || !got.Lapsed || !strings.Contains(got.Reason, "did not name") {
		t.Fatalf("got %+v", got)
	}
	if p.branches(t)["feature/x"] != "" {
		t.Error("it was pushed")
	}

	found, err := p.leaks(t.Context(), p.run, p.Yards.(oneYard).yard, p.run.Head)
	if err != nil || len(found) == 0 || found[0] != (core.Leak{Rule: "github-token", File: "a.env", Line: 2}) {
		t.Fatalf("found %+v, %v", found, err)
	}
	p.run.Stages[0].Tasks[0].Prepared = &core.PublishPrepared{Leaks: found}
	if got := p.publishOnce(t); !got.OK {
		t.Errorf("what was named is not published: %+v", got)
	}
}

// TestWhatIsTooLargeIsSaid: the search is bounded, and its bound no way around it.
func TestWhatIsTooLargeIsSaid(t *testing.T) {
	p := leakyPress(t)
	p.searchBytes = 10
	found, err := p.leaks(t.Context(), p.run, p.Yards.(oneYard).yard, p.run.Head)
	if err != nil || len(found) != 1 || found[0].Rule != core.LeakUnsearched {
		t.Errorf("found %+v, %v", found, err)
	}
}

// TestALeakOfAMergeIsFound: the merge added it, neither of its parents, and the next commit took it away.
func TestALeakOfAMergeIsFound(t *testing.T) {
	p := pressOf(t, `git checkout -q -b side && git commit -q --allow-empty -m side && git checkout -q - && git commit -q --allow-empty -m other &&
		git merge -q --no-ff -m merge side && echo gh''p_0123456789aBcDeFgHiJkLmNoPqRsTuVwXyZ > a.env && git add a.env && git commit -q --amend --no-edit &&
		git tag merged && git rm -q a.env && git commit -q -m gone`)
	merge := sh(t, filepath.Join(filepath.Dir(p.bare), "person"), `git rev-parse merged`)
	found, err := p.leaks(t.Context(), p.run, p.Yards.(oneYard).yard, p.run.Head)
	if err != nil || len(found) != 1 || found[0] != (core.Leak{Rule: "github-token", File: "a.env", Line: 1, Commit: merge}) {
		t.Errorf("found %+v, %v", found, err)
	}
}

// TestALeakInACommitIsFound: what git does not show of a commit is pushed as well.
func TestALeakInACommitIsFound(t *testing.T) {
	for name, script := range map[string]string{
		"a header":           `git cat-file commit HEAD | sed '/^committer/a note gh''p_0123456789aBcDeFgHiJkLmNoPqRsTuVwXyZ' > ../object`,
		"behind a zero byte": `{ git cat-file commit HEAD; printf 'x\0gh''p_0123456789aBcDeFgHiJkLmNoPqRsTuVwXyZ\n'; } > ../object`,
	} {
		t.Run(name, func(t *testing.T) {
			p := pressOf(t, `git commit -q --allow-empty -m x && `+script+` && git update-ref HEAD $(git hash-object -t commit --literally -w ../object)`)
			found, err := p.leaks(t.Context(), p.run, p.Yards.(oneYard).yard, p.run.Head)
			if err != nil || len(found) != 1 || found[0] != (core.Leak{Rule: "github-token", Commit: p.run.Head}) {
				t.Errorf("found %+v, %v", found, err)
			}
		})
	}
}

// TestManyLeaksAreCounted: those that are not listed hold the publication back as well, and their number is said.
func TestManyLeaksAreCounted(t *testing.T) {
	p := pressOf(t, `for i in $(seq 1 1500); do echo "x$i = gh""p_0123456789aBcDeFgHiJkLmNoPqRsTuVw$((i + 1000));"; done > a.env && git add a.env && git commit -q -m leak`)
	found, err := p.leaks(t.Context(), p.run, p.Yards.(oneYard).yard, p.run.Head)
	more := core.Leak{Rule: core.LeakMore, Count: 1500 - maxLeaks}
	if err != nil || len(found) != maxLeaks+1 || found[maxLeaks] != more {
		t.Fatalf("found %d, at last %+v, %v", len(found), found[len(found)-1], err)
	}
	task := p.run.Stages[0].Tasks[0]
	task.Prepared = &core.PublishPrepared{Leaks: append(slices.Clone(found[:maxLeaks]), core.Leak{Rule: core.LeakMore, Count: more.Count - 1})}
	if got := p.publishOnce(t); got.OK || !got.Lapsed {
		t.Errorf("one more than was said is published: %+v", got)
	}
	task.Prepared.Leaks = found
	if got := p.publishOnce(t); !got.OK {
		t.Errorf("what was named is not published: %+v", got)
	}
}

// TestAnUnnamedCutIsNotPushed: a record from elsewhere does not say that there was too much to search.
func TestAnUnnamedCutIsNotPushed(t *testing.T) {
	p := leakyPress(t)
	p.searchBytes = 10
	got := p.publishOnce(t)
	if got.OK || !got.Lapsed || !strings.Contains(got.Reason, "too much to search") {
		t.Fatalf("got %+v", got)
	}
	if p.branches(t)["feature/x"] != "" {
		t.Error("it was pushed")
	}
	p.run.Stages[0].Tasks[0].Prepared = &core.PublishPrepared{Leaks: []core.Leak{{Rule: core.LeakUnsearched}}}
	if got := p.publishOnce(t); !got.OK {
		t.Errorf("what was named is not published: %+v", got)
	}
}

// TestACutByTimeNeedsNoName: the search of the approval may have been the faster one.
func TestACutByTimeNeedsNoName(t *testing.T) {
	p := leakyPress(t)
	ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	y, task := p.Yards.(oneYard).yard, p.run.Stages[0].Tasks[0]
	if found, err := p.leaks(ctx, p.run, y, p.run.Head); err != nil || len(found) != 1 || found[0].Rule != core.LeakUnsearched {
		t.Errorf("found %+v, %v", found, err)
	}
	if reason, err := p.unnamedLeak(ctx, p.run, task, y); err != nil || reason != "" {
		t.Errorf("got %q, %v", reason, err)
	}
}
