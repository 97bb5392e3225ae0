package telemetry_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/object"
	"github.com/stellwerk-dev/stellwerk/internal/object/folder"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/telemetry"
)

// failing answers each commit and put with an error.
type failing struct {
	store.Store
	object.Objects
	err error
}

func (f *failing) Commit(context.Context, store.Commit) error { return f.err }

func (f *failing) Put(context.Context, io.Reader, int64) (string, int64, error) { return "", 0, f.err }

// TestCallsAreCountedByTheirAnswer, and each answer is passed on as it is.
func TestCallsAreCountedByTheirAnswer(t *testing.T) {
	w := newWorld(t)
	w.calls = telemetry.NewCalls()
	w.open(nil)
	for _, c := range []struct {
		answer         error
		commit, object string
	}{
		{nil, "OK", "OK"},
		{fmt.Errorf("commit: %w", store.ErrStale), "stale", "NOT_OK"},
		{fmt.Errorf("commit: %w", store.ErrFenced), "fenced", "NOT_OK"},
		{&store.RunOpen{Alias: "a"}, "refused", "NOT_OK"},
		{&store.SlotsTaken{Full: []store.Full{{}}}, "refused", "NOT_OK"},
		{&object.TooLarge{Max: 1}, "NOT_OK", "refused"},
		{core.Errorf(core.CodeUnavailable, "the database cannot be reached"), "NOT_OK", "NOT_OK"},
		{context.DeadlineExceeded, "NOT_OK", "NOT_OK"},
	} {
		f := &failing{err: c.answer}
		before := w.scrape()
		if err := w.calls.Store(f).Commit(t.Context(), store.Commit{}); !errors.Is(err, c.answer) {
			t.Errorf("%v became %v", c.answer, err)
		}
		if _, _, err := w.calls.Objects(f).Put(t.Context(), nil, 0); !errors.Is(err, c.answer) {
			t.Errorf("%v became %v", c.answer, err)
		}
		after := w.scrape()
		for metric, want := range map[string][2]string{"stellwerk_store_calls_total": {"commit", c.commit}, "stellwerk_object_calls_total": {"put", c.object}} {
			labels := []string{"operation", want[0], "outcome", want[1]}
			if n := after.value(t, metric, labels...) - before.value(t, metric, labels...); n != 1 {
				t.Errorf("%v counts %v in %s %v", c.answer, n, metric, labels)
			}
		}
	}
	before := w.scrape().value(t, "stellwerk_store_call_duration_seconds", "operation", "commit")
	if err := w.calls.Store(&failing{err: context.Canceled}).Commit(t.Context(), store.Commit{}); !errors.Is(err, context.Canceled) || before != 8 {
		t.Errorf("%v after %v calls", err, before)
	}
	if after := w.scrape().value(t, "stellwerk_store_call_duration_seconds", "operation", "commit"); after != before {
		t.Error("who left is counted")
	}
}

// TestObjectsThatAreFilesStayFiles: whoever counts them hides nothing that they can.
func TestObjectsThatAreFilesStayFiles(t *testing.T) {
	files, err := folder.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	calls := telemetry.NewCalls()
	counted := calls.Objects(files)
	digest, _, err := counted.Put(t.Context(), strings.NewReader("hello"), 0)
	if err != nil {
		t.Fatal(err)
	}
	linker, links := counted.(object.Linker)
	if !links {
		t.Fatal("they cannot be linked any more")
	}
	if err := linker.Link(digest, t.TempDir()+"/name"); err != nil {
		t.Error(err)
	}
	if _, links := calls.Objects(&failing{}).(object.Linker); links {
		t.Error("objects elsewhere can be linked")
	}
}

// TestWhatAnEngineOwns is asked for with each scrape.
func TestWhatAnEngineOwns(t *testing.T) {
	w := newWorld(t)
	projects, lease := 0, time.Duration(0)
	w.owned = func() (int, time.Duration) { return projects, lease }
	w.open(nil)
	projects, lease = 3, 1500*time.Millisecond
	got := w.scrape()
	if p, l := got.value(t, "stellwerk_projects_owned"), got.value(t, "stellwerk_lease_age_seconds"); p != 3 || l != 1.5 {
		t.Errorf("%v projects, a lease of %v s", p, l)
	}
}
