package dispatch

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/spawn/local"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// records are what was said of pull requests that no forge keeps.
type records struct{ said []string }

func (r *records) Settle(_ context.Context, project string, number int, state forge.State, merge string) error {
	r.said = append(r.said, fmt.Sprintf("%s %d %s %s", project, number, state, merge))
	return nil
}

// granted is a run whose merge into main of a person's repository was granted.
type granted struct {
	*Dispatcher
	engine *heard
	pulls  *records
	dir    string // the person's repository
	run    *core.Run
}

func newGranted(t *testing.T) *granted {
	t.Helper()
	g := &granted{engine: &heard{news: make(chan core.Body, 10)}, pulls: &records{}, dir: filepath.Join(t.TempDir(), "person")}
	tip := sh(t, t.TempDir(), `git init -q -b main `+g.dir+` && cd `+g.dir+` && git config user.name A && git config user.email a@example.org
		git commit -q --allow-empty -m first && git rev-parse HEAD`)
	commit := sh(t, g.dir, `git switch -q -c feature && echo x > x && git add x && git commit -q -m work && git rev-parse HEAD`)
	y, err := yard.Open(t.Context(), filepath.Join(t.TempDir(), "yard.git"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = y.Close() })
	if err := y.Fetch(t.Context(), g.dir); err != nil {
		t.Fatal(err)
	}
	when, ada := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC), core.Identity{Name: "A", Email: "a@example.org"}
	made, err := y.Merge(t.Context(), yard.MergeSpec{Into: tip, From: commit, Message: "Merge", Identity: yard.Identity(ada), When: when})
	if err != nil {
		t.Fatal(err)
	}
	grant := core.Grant{By: "me", Commit: commit, Base: "main", Tip: tip, Merge: made.Commit, Event: "e1"}
	g.run = &core.Run{
		ID: "run-1", Project: "p", Alias: "brisk-otter", Playbook: &core.Playbook{}, Branch: "feature", Base: "main", Remote: g.dir,
		Identity: ada, Stream: core.Head{At: when},
		PullRequest: &core.PullRequest{Number: 7, Commit: commit, State: core.PullRequestOpen, Grant: grant},
	}
	g.Dispatcher = New(g.engine, Options{
		Commands: local.New(local.Options{}),
		Yards:    oneYard{y}, Pulls: g.pulls, Log: slog.New(slog.DiscardHandler), Redactors: func([]string) Redactor { return unredacted{} },
	})
	t.Cleanup(g.Close)
	return g
}

func (g *granted) main(t *testing.T) string { return sh(t, g.dir, "git rev-parse main") }

// merge executes the action, and returns what it reports.
func (g *granted) merge(t *testing.T) core.Body {
	t.Helper()
	if err := g.do(t.Context(), g.run, core.MergeIntoBase{Event: "e1"}); err != nil {
		t.Fatal(err)
	}
	return g.engine.await(t)
}

// TestMergingAgainMergesOnce: as after an engine that was killed before it could tell, even if the base has moved on since.
func TestMergingAgainMergesOnce(t *testing.T) {
	g := newGranted(t)
	grant := g.run.PullRequest.Grant
	want := core.PullRequestSeen{State: core.PullRequestMerged, Commit: grant.Commit, Merge: grant.Merge}
	for range 2 {
		if got := g.merge(t); got != core.Body(want) || g.main(t) != grant.Merge {
			t.Errorf("%+v, main is at %s", got, g.main(t))
		}
	}
	further := sh(t, g.dir, "git switch -q main && git commit -q --allow-empty -m further && git rev-parse HEAD")
	if got := g.merge(t); got != core.Body(want) || g.main(t) != further {
		t.Errorf("%+v, main is at %s", got, g.main(t))
	}
	if want := []string{"p 7 merged " + grant.Merge, "p 7 merged " + grant.Merge, "p 7 merged " + further}; strings.Join(g.pulls.said, "\n") != strings.Join(want, "\n") {
		t.Errorf("recorded %q", g.pulls.said)
	}
}

// TestABaseThatSomebodyElseMergedInto is seen as merged, and not as what was granted.
func TestABaseThatSomebodyElseMergedInto(t *testing.T) {
	g := newGranted(t)
	sh(t, g.dir, "git switch -q main && git merge -q --no-ff -m mine feature")
	if got, want := g.merge(t), (core.PullRequestSeen{State: core.PullRequestMerged, Commit: g.run.PullRequest.Commit}); got != core.Body(want) {
		t.Errorf("%+v", got)
	}
}

// TestABaseThatIsNotMoved stays where it is, and the cause is said.
func TestABaseThatIsNotMoved(t *testing.T) {
	for name, c := range map[string]struct {
		spoil string
		cause core.MergeFailure
		says  string
	}{
		"it has moved on":   {"git switch -q main && git commit -q --allow-empty -m news && git switch -q feature", core.MergeBaseMoved, "main"},
		"it is gone":        {"git branch -q -D main", core.MergeBaseMoved, "main"},
		"it is checked out": {"git switch -q main", core.MergeBaseCheckedOut, "checked out"},
		"it is locked":      {"touch .git/refs/heads/main.lock", "", "main"},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGranted(t)
			sh(t, g.dir, c.spoil)
			before := sh(t, g.dir, "git rev-parse -q --verify main || true")
			failed, is := g.merge(t).(core.MergeFailed)
			if !is || failed.Merge != g.run.PullRequest.Grant.Merge || failed.Cause != c.cause || !strings.Contains(failed.Reason, c.says) {
				t.Errorf("%+v", failed)
			}
			if after := sh(t, g.dir, "git rev-parse -q --verify main || true"); after != before || len(g.pulls.said) > 0 {
				t.Errorf("main went from %q to %q, recorded %q", before, after, g.pulls.said)
			}
		})
	}
}
