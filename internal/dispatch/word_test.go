package dispatch

import (
	"context"
	"slices"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/sqlitetest"
)

// TestWordIsLeftForOthers: about the open runs whose pull requests it concerns and that nobody watches here, once however often
// it comes, and until it is heard.
func TestWordIsLeftForOthers(t *testing.T) {
	db, ctx := sqlitetest.New(t), t.Context()
	runs := map[string]*core.Run{}
	for id, r := range map[string]struct {
		status     core.RunStatus
		repository string
		number     int // 0: not published
	}{
		"told": {core.StatusReview, "acme/rocket", 1}, "watched here": {core.StatusReview, "acme/rocket", 1},
		"another number": {core.StatusReview, "acme/rocket", 2}, "another repository": {core.StatusReview, "acme/other", 1},
		"over": {core.StatusCompleted, "acme/rocket", 1}, "unpublished": {core.StatusActive, "acme/rocket", 0},
		"unreadable": {core.StatusReview, "acme/rocket", 1},
	} {
		row := store.RunRow{ID: id, Alias: id, Project: "p", Status: r.status}
		run := &core.Run{ID: id, Forge: "gitea", Repository: r.repository}
		if r.number > 0 {
			row.URL, run.PullRequest = "https://forge.example/pulls", &core.PullRequest{Number: r.number}
		}
		if id != "unreadable" {
			runs[id] = run
		}
		if err := db.Commit(ctx, store.Commit{Stream: core.RunStream(id), Of: "p", Run: &row}); err != nil {
			t.Fatal(err)
		}
	}
	d := &Dispatcher{posts: newLookouts()}
	d.posts.post(runs["watched here"])
	d.Elsewhere = &Elsewhere{Store: db, Load: func(_ context.Context, id string) (*core.Run, error) {
		if run := runs[id]; run != nil {
			return run, nil
		}
		return nil, core.ErrUnreadable
	}}
	for range 2 {
		if err := d.Hint(ctx, "gitea", "acme/rocket", []int{1}); err != nil {
			t.Fatal(err)
		}
	}
	left, err := db.Documents(ctx, wordKind, "", "", 0)
	if err != nil || len(left) != 1 || left[0].Key != "told" {
		t.Errorf("word was left about %v, %v", left, err)
	}
	adrift, err := db.Adrift(ctx, "", 0)
	if err != nil || !slices.ContainsFunc(adrift, func(o store.Owner) bool { return o.Project == "p" }) {
		t.Errorf("nobody is to look: %v, %v", adrift, err)
	}
	for _, want := range []bool{true, false} {
		if heard, err := d.Elsewhere.heard(ctx, "told"); err != nil || heard != want {
			t.Errorf("word was heard: %t, %v, want %t", heard, err, want)
		}
	}
	if err := d.Hint(ctx, "gitea", "acme/rocket", nil); err != nil {
		t.Fatal(err)
	}
	if err := d.Elsewhere.forget(ctx, "told"); err != nil {
		t.Fatal(err)
	}
	if heard, err := d.Elsewhere.heard(ctx, "told"); err != nil || heard {
		t.Errorf("what was forgotten was heard: %t, %v", heard, err)
	}
}
