package retention

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/object"
)

func TestWhatIsKeptElsewhereGoes(t *testing.T) {
	t.Parallel()
	e := newEstate(t)
	e.file(filepath.Join(e.State, "runs", theRun, "manifest.jsonl"), "{}") // a run that the database knows
	e.file(filepath.Join(e.State, "runs", ".tmp", "x"), "no run at all")
	comments, err := e.drafts.Size(t.Context(), theRun)
	must(t, err)
	dry := e.request()
	dry.Remove = false
	if gone, kept := e.prune(dry); !slices.Equal(gone, e.everything()) || len(kept) > 0 || !slices.Equal(e.there(), e.everything()) {
		t.Errorf("asked only, %q would go, %q stay, and there are %q", gone, kept, e.there())
	}
	report, err := Run(t.Context(), e.Options, e.request())
	must(t, err)
	if gone, kept := e.listed(report); !slices.Equal(gone, e.everything()) || len(kept) > 0 || len(e.there()) > 0 {
		t.Errorf("%q went, %q stayed, and left are %q", gone, kept, e.there())
	}
	if want := int64(len("said"+"asked")+len("said")+len("left")+len("nobody's")) + comments; report.Bytes != want {
		t.Errorf("%d bytes went, not %d", report.Bytes, want)
	}
	for _, digest := range []string{e.exited.Transcript, e.exited.Delivery.Artifacts[0].Digest} {
		must(t, e.Objects.Verify(t.Context(), digest))
	}
	if left, err := os.ReadDir(filepath.Join(e.State, "attempts")); err != nil || len(left) > 0 {
		t.Errorf("an empty folder is left of the attempts: %v, %v", left, err)
	}
	if gone, kept := e.prune(e.request()); len(gone)+len(kept) > 0 {
		t.Errorf("once more, %q went and %q stayed", gone, kept)
	}
}

// TestWhatHandedNothingInGoes: an attempt need not have a transcript, a prompt, commits or artifacts.
func TestWhatHandedNothingInGoes(t *testing.T) {
	t.Parallel()
	e := newEstate(t)
	e.more = []core.Body{
		core.AttemptExited{Attempt: "build.r1.a2"},
		core.AttemptExited{Attempt: "build.r1.a3", Delivery: &core.Delivery{Artifacts: []core.Artifact{{Name: "notes.md", Digest: e.object("notes")}}}},
	}
	want := e.everything()
	for _, attempt := range []string{"build.r1.a2", "build.r1.a3"} {
		e.file(filepath.Join(e.State, "attempts", theRun, attempt, "exit.json"), "{}")
		want = append(want, "attempt "+attempt)
	}
	slices.Sort(want)
	if gone, kept := e.prune(e.request()); !slices.Equal(gone, want) || len(kept) > 0 {
		t.Errorf("%q went and %q stayed, not %q", gone, kept, want)
	}
}

// TestWhatWasCutShortIsRemovedToItsEnd: what is half gone cannot be proved again.
func TestWhatWasCutShortIsRemovedToItsEnd(t *testing.T) {
	t.Parallel()
	e := newEstate(t)
	must(t, os.RemoveAll(e.work))
	halves := []string{filepath.Join(e.State, "attempts", theRun, dropped+"build.r1.a7"), filepath.Join(e.State, "work", dropped+theRun)}
	for _, half := range halves {
		e.file(filepath.Join(half, "workspace", "code.go"), "x")
	}
	want := append(e.everything(), "attempt "+dropped+"build.r1.a7", "work "+dropped+theRun)
	want = slices.DeleteFunc(want, func(name string) bool { return name == "work "+theRun })
	slices.Sort(want)
	if gone, kept := e.prune(e.request()); !slices.Equal(gone, want) || len(kept) > 0 {
		t.Errorf("%q went and %q stayed, not %q", gone, kept, want)
	}
	for _, half := range halves {
		if _, err := os.Lstat(half); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is left: %v", half, err)
		}
	}
}

// TestWhereTheStoreFails has each question to it fail in turn: no object goes then, for who speaks of it is not known, and
// what the report says went is what went.
func TestWhereTheStoreFails(t *testing.T) {
	t.Parallel()
	for failing := 1; ; failing++ {
		e := newEstate(t)
		e.failing = failing
		e.others = map[string][]core.Body{"0197": {core.AttemptStarted{Attempt: "plan.r1.a1"}}}
		report, err := Run(t.Context(), e.Options, e.request())
		if e.calls < failing {
			must(t, err)
			if failing < 8 { // runs, events until there are no more for both, the yard, projects, their events
				t.Errorf("only %d questions were asked", e.calls)
			}
			return
		}
		if !errors.Is(err, errStore) {
			t.Errorf("question %d failed, and that is said as %v", failing, err)
		}
		there, all := e.there(), e.everything()
		if !slices.Contains(there, "object "+e.orphan) {
			t.Errorf("question %d failed, and an object went", failing)
		}
		gone, _ := e.listed(report)
		if left := slices.DeleteFunc(all, func(name string) bool { return slices.Contains(gone, name) }); !slices.Equal(left, there) {
			t.Errorf("question %d failed: %q are said to have gone, and there are %q", failing, gone, there)
		}
	}
}

// TestEventsThatCannotBeReadKeepEverything: they may speak of anything.
func TestEventsThatCannotBeReadKeepEverything(t *testing.T) {
	t.Parallel()
	e := newEstate(t)
	e.more = []core.Body{unreadable{}}
	if _, err := Run(t.Context(), e.Options, e.request()); err == nil {
		t.Error("they were passed over")
	}
	if there := e.there(); !slices.Equal(there, e.everything()) {
		t.Errorf("left are %q", there)
	}
}

// TestWhatANewerVersionWroteIsLeftToIt: it may speak of any blob, in a way that is not known here. What other runs left
// goes.
func TestWhatANewerVersionWroteIsLeftToIt(t *testing.T) {
	t.Parallel()
	for where, plant := range map[string]func(*estate){
		"the run":           func(e *estate) { e.more = []core.Body{newer{}} },
		"another run":       func(e *estate) { e.others = map[string][]core.Body{"0197": {newer{}}} },
		"its project":       func(e *estate) { e.project = []core.Body{newer{}} },
		"a run of the same": func(e *estate) { e.Left = func(string) error { return errors.New("left") } },
	} {
		e := newEstate(t)
		plant(e)
		stays := []string{"object " + e.orphan}
		if where == "the run" || where == "a run of the same" {
			stays = e.everything()
		}
		gone, kept := e.prune(e.request())
		if there := e.there(); !slices.Equal(there, stays) || len(gone)+len(stays) != len(e.everything()) || !slices.Contains(kept, "object all") {
			t.Errorf("%s: left are %q, gone %q, kept %q", where, there, gone, kept)
		}
	}
}

type newer struct{ core.AttemptExited }

func (newer) MarshalJSON() ([]byte, error) { return []byte(`{"attempt":"x","mood":"good"}`), nil }

type unreadable struct{ core.AttemptExited }

func (unreadable) MarshalJSON() ([]byte, error) { return []byte(`{"attempt":7}`), nil }

func TestWhoeverStopsWaitingStopsTheRemoval(t *testing.T) {
	t.Parallel()
	e := newEstate(t)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ended, e.Options, e.request()); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if there := e.there(); !slices.Equal(there, e.everything()) {
		t.Errorf("left are %q", there)
	}
}

// putting is a context in which an object is put again by the nth look whether the context ended.
type putting struct {
	context.Context
	looks  *int
	estate *estate
}

func (c putting) Err() error {
	if *c.looks--; *c.looks == 0 {
		_, err := c.estate.Objects.Touch(c.estate.t.Context(), c.estate.orphan)
		must(c.estate.t, err)
	}
	return nil
}

// TestAnObjectThatIsPutAgainThisMomentStays: it was old when it was looked at.
func TestAnObjectThatIsPutAgainThisMomentStays(t *testing.T) {
	t.Parallel()
	e := newEstate(t)
	e.row.EndedAt = nil // nobody else looks at the context then
	looks, before := 0, 0
	must(t, e.Objects.Each(t.Context(), func(o object.Entry) error {
		if looks++; o.Digest == e.orphan {
			before = looks
		}
		return nil
	}))
	report, err := Run(putting{t.Context(), &before, e}, e.Options, e.request())
	must(t, err)
	gone, kept := e.listed(report)
	if want := []string{"object " + e.orphan}; len(gone) > 0 || !slices.Equal(kept, want) || !slices.Contains(e.there(), want[0]) {
		t.Errorf("%q went, %q stayed, and there are %q", gone, kept, e.there())
	}
}
