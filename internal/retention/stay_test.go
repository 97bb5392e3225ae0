package retention

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/exchange/remote"
	"github.com/stellwerk-dev/stellwerk/internal/pack"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// TestWhatMustStay takes one proof away at a time.
func TestWhatMustStay(t *testing.T) {
	attempt, work, ref, copied := "attempt "+theAttempt, "work "+theRun, "ref "+theRef, "transcript "+theAttempt
	all := func(e *estate) []string { return e.everything() }
	these := func(names ...string) func(*estate) []string {
		return func(*estate) []string { return slices.Sorted(slices.Values(names)) }
	}
	orphaned := func(e *estate) []string { return []string{"object " + e.orphan} }
	nothing := these()
	ofTheRun := these(attempt, work, ref, copied, "draft "+theRun)
	for name, c := range map[string]struct {
		change func(e *estate, req *Request)
		stays  func(*estate) []string
		told   func(*estate) []string // which of that the report names with a reason; nil for all of it
	}{
		"a run that was not swept": {func(e *estate, _ *Request) { e.swept = false }, ofTheRun, nothing},
		"a run that is not over":   {func(e *estate, _ *Request) { e.row.EndedAt = nil }, ofTheRun, nothing},
		"a run that ended since":   {func(_ *estate, req *Request) { req.Before = time.Now().Add(-200 * time.Hour) }, all, nothing},
		"a run that ended then":    {func(e *estate, req *Request) { req.Before = *e.row.EndedAt }, all, nothing},
		"a ref that is at another commit, and a branch that is not there": {func(e *estate, _ *Request) {
			must(e.t, e.yard.Move(e.t.Context(), theRef, e.first, e.other))
			must(e.t, e.yard.DeleteRef(e.t.Context(), "refs/heads/feature/x", e.first))
		}, these(attempt, work, ref), nil},
		"a ref that is gone, and a branch that is not there": {func(e *estate, _ *Request) {
			must(e.t, e.yard.Release(e.t.Context(), theRef, e.first, "feature/x"))
			must(e.t, e.yard.DeleteRef(e.t.Context(), "refs/heads/feature/x", e.first))
		}, these(attempt, work), nil},
		"a ref whose branch is not there": {func(e *estate, _ *Request) {
			must(e.t, e.yard.DeleteRef(e.t.Context(), "refs/heads/feature/x", e.first))
		}, these(ref), nil},
		"a ref with work that its branch has not": {func(e *estate, _ *Request) {
			must(e.t, e.yard.Move(e.t.Context(), theRef, e.first, e.other))
		}, these(ref), nil},
		"a lost artifact": {func(e *estate, _ *Request) {
			e.exited.Delivery.Artifacts = append(e.exited.Delivery.Artifacts, core.Artifact{Name: "notes.md", Digest: strings.Repeat("a", 64)})
		}, these(attempt, work), nil},
		"a transcript that went on": {func(e *estate, _ *Request) { e.file(e.transcript, "said more") }, these(attempt), nil},
		"a copy that went on":       {func(e *estate, _ *Request) { e.file(e.copied, "said more") }, these(copied), nil},
		"a transcript whose object is damaged": {func(e *estate, _ *Request) {
			path := e.stored(e.exited.Transcript)
			must(e.t, os.Chmod(path, 0o600))
			e.file(path, "other")
		}, these(attempt, copied), nil},
		"a transcript that is a link": {func(e *estate, _ *Request) {
			must(e.t, os.Rename(e.transcript, e.transcript+".old"))
			must(e.t, os.Symlink("out.jsonl.old", e.transcript))
		}, these(attempt), nil},
		"another prompt": {func(e *estate, _ *Request) {
			e.file(filepath.Join(filepath.Dir(e.transcript), "prompt.md"), "asked more")
		}, these(attempt), nil},
		"a workspace that was kept": {func(e *estate, _ *Request) {
			e.file(filepath.Join(filepath.Dir(e.transcript), "workspace", "code.go"), "")
		}, these(attempt), nil},
		"an attempt that no event ends":                {func(e *estate, _ *Request) { e.exited.Attempt = "build.r1.a2" }, these(attempt, copied), these(attempt)},
		"copies of transcripts that nobody wants gone": {func(_ *estate, req *Request) { req.Transcripts = false }, these(copied), nothing},
		"an object that the project speaks of": {func(e *estate, _ *Request) {
			e.project = []core.Body{core.ContentTrusted{Hash: e.orphan}}
		}, orphaned, nothing},
		"an object that another project speaks of": {func(e *estate, _ *Request) {
			e.second = []core.Body{core.ContentTrusted{Hash: e.orphan}}
		}, orphaned, nothing},
		"an object that a run speaks of which is not over": {func(e *estate, _ *Request) {
			e.others = map[string][]core.Body{"0197": {core.AttemptStarted{Attempt: "plan.r1.a1", Prompt: e.orphan}}}
		}, orphaned, nothing},
		"an object that is spoken of after much else": {func(e *estate, _ *Request) {
			e.project = slices.Repeat([]core.Body{core.ContentTrusted{Hash: "x"}}, 2*readBatch)
			e.project = append(e.project, core.ContentTrusted{Hash: e.orphan})
		}, orphaned, nothing},
		"an object that is spoken of first in the next batch": {func(e *estate, _ *Request) {
			e.project = slices.Repeat([]core.Body{core.ContentTrusted{Hash: "x"}}, readBatch)
			e.project = append(e.project, core.ContentTrusted{Hash: e.orphan})
		}, orphaned, nothing},
		"an object that a run speaks of in passing": {func(e *estate, _ *Request) { e.exited.Message = "see " + e.orphan }, orphaned, nothing},
		"an object that was put since":              {func(e *estate, _ *Request) { _, err := e.Objects.Touch(e.t.Context(), e.orphan); must(e.t, err) }, orphaned, nothing},
		"an object that is young, whatever is asked for": {func(e *estate, req *Request) {
			_, err := e.Objects.Touch(e.t.Context(), e.orphan)
			must(e.t, err)
			req.Before = time.Now().Add(time.Hour)
		}, orphaned, nothing},
		"objects while a run is not known": {func(e *estate, _ *Request) {
			e.file(filepath.Join(e.State, "runs", "0199", "manifest.jsonl"), "{}")
		}, orphaned, these("object all")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEstate(t)
			req := e.request()
			c.change(e, &req)
			want := c.stays(e)
			dry := req
			dry.Remove = false
			said, doubted := e.prune(dry)
			gone, kept := e.prune(req)
			if !slices.Equal(said, gone) || !slices.Equal(doubted, kept) {
				t.Errorf("it was said that %q would go and %q stay; %q went and %q stayed", said, doubted, gone, kept)
			}
			told := want
			if c.told != nil {
				told = c.told(e)
			}
			if !slices.Equal(kept, told) {
				t.Errorf("%q are said to stay, not %q", kept, told)
			}
			if there := e.there(); !slices.Equal(there, want) {
				t.Errorf("left are %q, not %q", there, want)
			}
			for _, item := range gone {
				if slices.Contains(want, item) {
					t.Errorf("%s is said to have gone", item)
				}
			}
		})
	}
}

// TestNeighboursStay: what is beside the run's own is another's.
func TestNeighboursStay(t *testing.T) {
	t.Parallel()
	e := newEstate(t)
	refs := []string{yard.Attempts + theRun + "9/build.r1.a1", yard.Kept + theRun + "/found", "refs/heads/feature/x"}
	for _, ref := range refs[:2] {
		must(t, e.yard.Keep(t.Context(), ref, e.first))
	}
	files := []string{
		filepath.Join(e.State, "attempts", theRun+"9", theAttempt, "out.jsonl"), filepath.Join(e.State, "work", theRun+"9", "left"),
		filepath.Join(e.State, "runs", theRun, "artifacts", "plan.md"), filepath.Join(e.State, "runs", theRun, "manifest.jsonl"),
	}
	for _, file := range files {
		e.file(file, "theirs")
	}
	e.prune(e.request())
	for _, file := range files {
		if _, err := os.Stat(file); err != nil {
			t.Error(err)
		}
	}
	for _, ref := range refs {
		if at, err := e.yard.Resolve(t.Context(), ref); err != nil || at != e.first {
			t.Errorf("%s is at %q, %v", ref, at, err)
		}
	}
}

// TestAPackThatADocumentNamesStays: no event speaks of it, and a yard may be filled from it.
func TestAPackThatADocumentNamesStays(t *testing.T) {
	t.Parallel()
	e := newEstate(t)
	_, err := e.PutDocument(t.Context(), store.Document{Kind: pack.Kind, Key: "p1/" + e.orphan, Data: []byte(`{"commits":[]}`)})
	must(t, err)
	gone, _ := e.prune(e.request())
	if slices.Contains(gone, "object "+e.orphan) {
		t.Errorf("gone are %q", gone)
	}
}

// TestWhatAnAttemptExchangesStays until it is concluded, although no event speaks of it, on whichever page it is listed.
func TestWhatAnAttemptExchangesStays(t *testing.T) {
	t.Parallel()
	for _, kind := range remote.Naming() {
		e := newEstate(t)
		all := []store.Document{{Kind: kind, Key: "0198/build.r1.a2", Data: []byte(`{"digest":"` + e.orphan + `"}`)}}
		for i := range documentBatch {
			all = append(all, store.Document{Kind: kind, Key: fmt.Sprintf("0197/%04d", i), Data: []byte("{}")})
		}
		put, err := e.PutDocuments(t.Context(), all)
		must(t, err)
		if gone, _ := e.prune(e.request()); slices.Contains(gone, "object "+e.orphan) {
			t.Errorf("%s: gone are %q", kind, gone)
		}
		must(t, e.DeleteDocument(t.Context(), kind, put[0].Key, put[0].Version))
		if gone, _ := e.prune(e.request()); !slices.Contains(gone, "object "+e.orphan) {
			t.Errorf("%s: once forgotten, gone are %q", kind, gone)
		}
	}
}
