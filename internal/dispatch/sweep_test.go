package dispatch

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/draft"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/sqlitetest"
)

// TestASweepThatWasCutShort is not on record, and nobody is warned of it: the next
// engine sweeps.
func TestASweepThatWasCutShort(t *testing.T) {
	p := newPress(t)
	var log strings.Builder
	p.Log = slog.New(slog.NewTextHandler(&log, nil))
	ended, end := context.WithCancel(t.Context())
	end()
	if err := p.sweep(ended, p.run); !errors.Is(err, context.Canceled) {
		t.Errorf("an engine that ends swept: %v", err)
	}
	if log.Len() > 0 || len(p.engine.news) > 0 {
		t.Errorf("%d reports, and in the log: %s", len(p.engine.news), log.String())
	}
	if err := p.sweep(t.Context(), p.run); err != nil {
		t.Fatal(err)
	}
	if body := <-p.engine.news; body != (core.RunSwept{}) {
		t.Errorf("%+v was reported", body)
	}
}

// TestASweepLeavesAttempts: the folders of a check's commands go with the working
// folders, and so do comments that nobody can send any more; the folder of an
// attempt stays, though its stage is called as if it were a check.
func TestASweepLeavesAttempts(t *testing.T) {
	p := newPress(t)
	p.Layout.State = t.TempDir()
	drafts := draft.Open(sqlitetest.New(t))
	p.Drafts = drafts
	for _, run := range []string{"run-1", "other"} {
		if err := drafts.Put(t.Context(), run, "ada", draft.Comment{Key: "k", Text: "words"}); err != nil {
			t.Fatal(err)
		}
	}
	attempt := core.AttemptID(core.TaskID("check-style", 1, ""), 1)
	stays := []string{
		p.Layout.Attempt("run-1", attempt), p.Layout.Attempt("run-1", core.AttemptID(core.TaskID("check-2", 1, "api"), 3)),
		p.Layout.Attempt("other", core.CheckID(attempt, "0123456789ab", 1)), p.Layout.Work("other"),
	}
	goes := []string{
		p.Layout.Attempt("run-1", core.CheckID(attempt, "0123456789ab", 1)), p.Layout.Attempt("run-1", core.CheckID("build.r1.a1", "0123456789ab", 12)),
		p.Layout.Work("run-1"),
	}
	for _, dir := range slices.Concat(stays, goes) {
		if err := os.MkdirAll(filepath.Join(dir, "in"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.sweep(t.Context(), p.run); err != nil {
		t.Fatal(err)
	}
	for run, left := range map[string]bool{"run-1": false, "other": true} {
		if size, err := drafts.Size(t.Context(), run); err != nil || size > 0 != left {
			t.Errorf("%d bytes of comments on %s are left, %v", size, run, err)
		}
	}
	there := func(dir string) bool { _, err := os.Stat(filepath.Join(dir, "in")); return err == nil }
	for _, dir := range stays {
		if !there(dir) {
			t.Errorf("%s is gone", dir)
		}
	}
	for _, dir := range goes {
		if there(dir) {
			t.Errorf("%s is left", dir)
		}
	}
	if body := <-p.engine.news; body != (core.RunSwept{}) {
		t.Errorf("%+v was reported", body)
	}
}
