package retention

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/blob"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// estate is a state folder with one run that is over and swept: all it left is
// kept elsewhere, and goes.
type estate struct {
	Options
	t          *testing.T
	yard       *yard.Yard
	row        store.RunRow
	exited     core.AttemptExited
	swept      bool
	project    []core.Body
	transcript string // path in the attempt's folder
	copied     string // path in the run's folder
	work       string
	orphan     string // digest of a blob that nobody speaks of
	first      string // commit of the attempt
	other      string // commit beside it
}

const (
	theRun, theAttempt = "0198", "build.r1.a1"
	theRef             = yard.Attempts + theRun + "/" + theAttempt
)

func newEstate(t *testing.T) *estate {
	t.Helper()
	dir := t.TempDir()
	out, err := exec.CommandContext(t.Context(), "sh", "-euc", `cd "$0" && git init -q -b main person && cd person && git config user.name A && git config user.email a@example.org
		git commit -q --allow-empty -m first && git rev-parse HEAD && git commit -q --allow-empty -m other && git rev-parse HEAD`, dir).Output()
	must(t, err)
	commits := strings.Fields(string(out))
	y, err := yard.Open(t.Context(), filepath.Join(dir, "yard.git"))
	must(t, err)
	t.Cleanup(func() { _ = y.Close() })
	must(t, y.Fetch(t.Context(), filepath.Join(dir, "person")))
	must(t, os.MkdirAll(filepath.Join(dir, "runs"), 0o700))
	blobs, err := blob.Open(filepath.Join(dir, "blobs"))
	must(t, err)
	ended := time.Now().Add(-100 * time.Hour)
	e := &estate{
		t: t, yard: y, swept: true, first: commits[0], other: commits[1], work: filepath.Join(dir, "work", theRun),
		transcript: filepath.Join(dir, "attempts", theRun, theAttempt, "out.jsonl"),
		copied:     filepath.Join(dir, "runs", theRun, "transcripts", theAttempt+".jsonl"),
		row:        store.RunRow{ID: theRun, Alias: "brisk-otter", Project: "p1", Branch: "feature/x", EndedAt: &ended},
	}
	e.Options = Options{State: dir, Store: e, Blobs: blobs, Yards: e, Log: slog.New(slog.DiscardHandler)}
	e.exited = core.AttemptExited{Attempt: theAttempt, Transcript: e.blob("said"), Delivery: &core.Delivery{
		Commit: e.first, Ref: theRef, Artifacts: []core.Artifact{{Name: "plan.md", Digest: e.blob("plan")}},
	}}
	e.orphan = e.blob("nobody's")
	e.file(e.transcript, "said")
	e.file(filepath.Join(filepath.Dir(e.transcript), "prompt.md"), "asked")
	e.file(e.copied, "said")
	e.file(filepath.Join(e.work, "left"), "left")
	must(t, y.Keep(t.Context(), theRef, e.first))
	must(t, y.Move(t.Context(), "refs/heads/feature/x", "", e.first))
	return e
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (e *estate) file(path, text string) {
	e.t.Helper()
	must(e.t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(e.t, os.WriteFile(path, []byte(text), 0o600))
}

// blob puts one that is old.
func (e *estate) blob(text string) string {
	e.t.Helper()
	digest, _, err := e.Blobs.Put(e.t.Context(), strings.NewReader(text), 0)
	must(e.t, err)
	path, err := e.Blobs.Path(digest)
	must(e.t, err)
	old := time.Now().Add(-90 * time.Hour)
	must(e.t, os.Chtimes(path, old, old))
	return digest
}

func (e *estate) Yard(context.Context, string) (*yard.Yard, error) { return e.yard, nil }

func (e *estate) Runs(context.Context, store.Filter) ([]store.RunRow, error) {
	return []store.RunRow{e.row}, nil
}

func (e *estate) Projects(context.Context, int) ([]store.ProjectRow, error) {
	return []store.ProjectRow{{ID: "p1"}}, nil
}

func (e *estate) Events(_ context.Context, stream string, after int64, _ int) ([]core.Event, error) {
	bodies := e.project
	if stream == core.RunStream(theRun) {
		bodies = []core.Body{core.AttemptStarted{Attempt: theAttempt, Prompt: e.blob("asked")}, e.exited}
		if e.swept {
			bodies = append(bodies, core.RunSwept{})
		}
	}
	var events []core.Event
	for i, body := range bodies {
		raw, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		events = append(events, core.Event{ID: "x", Seq: int64(i) + 1, Type: body.Type(), V: 1, Body: raw})
	}
	return events[min(int(after), len(events)):], nil
}

// prune removes, and lists what went by kind and name.
func (e *estate) prune(req Request) []string {
	e.t.Helper()
	report, err := Run(e.t.Context(), e.Options, req)
	must(e.t, err)
	var gone []string
	for _, item := range report.Items {
		gone = append(gone, item.Kind+" "+item.Name)
	}
	slices.Sort(gone)
	return gone
}

func (e *estate) everything() []string {
	return []string{"attempt " + theAttempt, "blob " + e.orphan, "ref " + theRef, "transcript " + theAttempt, "work " + theRun}
}

func (e *estate) request() Request {
	return Request{Before: time.Now().Add(-48 * time.Hour), Transcripts: true, Remove: true}
}

// there lists which of the things are.
func (e *estate) there() []string {
	e.t.Helper()
	var all []string
	for what, path := range map[string]string{
		"attempt " + theAttempt: filepath.Dir(e.transcript), "transcript " + theAttempt: e.copied, "work " + theRun: e.work,
	} {
		if _, err := os.Lstat(path); err == nil {
			all = append(all, what)
		}
	}
	has, err := e.Blobs.Has(e.orphan)
	must(e.t, err)
	if has {
		all = append(all, "blob "+e.orphan)
	}
	if _, err := e.yard.Resolve(e.t.Context(), theRef); err == nil {
		all = append(all, "ref "+theRef)
	}
	slices.Sort(all)
	return all
}

func TestWhatIsKeptElsewhereGoes(t *testing.T) {
	e := newEstate(t)
	dry := e.request()
	dry.Remove = false
	if gone := e.prune(dry); !slices.Equal(gone, e.everything()) || !slices.Equal(e.there(), e.everything()) {
		t.Errorf("asked only, %q would go, and there are %q", gone, e.there())
	}
	if gone := e.prune(e.request()); !slices.Equal(gone, e.everything()) || len(e.there()) > 0 {
		t.Errorf("%q went, and left are %q", gone, e.there())
	}
	for _, digest := range []string{e.exited.Transcript, e.exited.Delivery.Artifacts[0].Digest} {
		must(t, e.Blobs.Verify(t.Context(), digest))
	}
}

// TestWhatMustStay takes one proof away at a time.
func TestWhatMustStay(t *testing.T) {
	attempt, work, ref, copied := "attempt "+theAttempt, "work "+theRun, "ref "+theRef, "transcript "+theAttempt
	all := func(e *estate) []string { return e.everything() }
	these := func(names ...string) func(*estate) []string {
		return func(*estate) []string { return slices.Sorted(slices.Values(names)) }
	}
	orphaned := func(e *estate) []string { return []string{"blob " + e.orphan} }
	ofTheRun := these(attempt, work, ref, copied)
	for name, c := range map[string]struct {
		change func(e *estate, req *Request)
		stays  func(*estate) []string
	}{
		"a run that was not swept": {func(e *estate, _ *Request) { e.swept = false }, ofTheRun},
		"a run that is not over":   {func(e *estate, _ *Request) { e.row.EndedAt = nil }, ofTheRun},
		"a run that ended since":   {func(_ *estate, req *Request) { req.Before = time.Now().Add(-200 * time.Hour) }, all},
		"a run that ended then":    {func(e *estate, req *Request) { req.Before = *e.row.EndedAt }, all},
		"a ref that is at another commit, and a branch that is not there": {func(e *estate, _ *Request) {
			must(t, e.yard.Move(t.Context(), theRef, e.first, e.other))
			must(t, e.yard.DeleteRef(t.Context(), "refs/heads/feature/x", e.first))
		}, these(attempt, work, ref)},
		"a ref that is gone, and a branch that is not there": {func(e *estate, _ *Request) {
			must(t, e.yard.Release(t.Context(), theRef, e.first, "feature/x"))
			must(t, e.yard.DeleteRef(t.Context(), "refs/heads/feature/x", e.first))
		}, these(attempt, work)},
		"a ref with work that its branch has not": {func(e *estate, _ *Request) {
			must(t, e.yard.Move(t.Context(), theRef, e.first, e.other))
		}, these(ref)},
		"a lost artifact": {func(e *estate, _ *Request) {
			e.exited.Delivery.Artifacts = append(e.exited.Delivery.Artifacts, core.Artifact{Name: "notes.md", Digest: strings.Repeat("a", 64)})
		}, these(attempt, work)},
		"a transcript that went on": {func(e *estate, _ *Request) { e.file(e.transcript, "said more") }, these(attempt)},
		"a copy that went on":       {func(e *estate, _ *Request) { e.file(e.copied, "said more") }, these(copied)},
		"a transcript whose blob is damaged": {func(e *estate, _ *Request) {
			path, err := e.Blobs.Path(e.exited.Transcript)
			must(t, err)
			must(t, os.Chmod(path, 0o600))
			e.file(path, "other")
		}, these(attempt, copied)},
		"another prompt": {func(e *estate, _ *Request) {
			e.file(filepath.Join(filepath.Dir(e.transcript), "prompt.md"), "asked more")
		}, these(attempt)},
		"a workspace that was kept": {func(e *estate, _ *Request) {
			e.file(filepath.Join(filepath.Dir(e.transcript), "workspace", "code.go"), "")
		}, these(attempt)},
		"an attempt that no event ends":                {func(e *estate, _ *Request) { e.exited.Attempt = "build.r1.a2" }, these(attempt, copied)},
		"copies of transcripts that nobody wants gone": {func(_ *estate, req *Request) { req.Transcripts = false }, these(copied)},
		"a blob that the project speaks of": {func(e *estate, _ *Request) {
			e.project = []core.Body{core.ContentTrusted{Hash: e.orphan}}
		}, orphaned},
		"a blob that a run speaks of in passing": {func(e *estate, _ *Request) { e.exited.Message = "see " + e.orphan }, orphaned},
		"a blob that was put since":              {func(e *estate, _ *Request) { _, err := e.Blobs.Touch(e.orphan); must(t, err) }, orphaned},
		"a blob that is young, whatever is asked for": {func(e *estate, req *Request) {
			_, err := e.Blobs.Touch(e.orphan)
			must(t, err)
			req.Before = time.Now().Add(time.Hour)
		}, orphaned},
		"blobs while a run is not known": {func(e *estate, _ *Request) {
			e.file(filepath.Join(e.State, "runs", "0199", "manifest.jsonl"), "{}")
		}, orphaned},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEstate(t)
			req := e.request()
			c.change(e, &req)
			want := c.stays(e)
			dry := req
			dry.Remove = false
			said := e.prune(dry)
			gone := e.prune(req)
			if !slices.Equal(said, gone) {
				t.Errorf("it was said that %q would go, and %q went", said, gone)
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
