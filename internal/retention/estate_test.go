package retention

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/draft"
	"github.com/stellwerk-dev/stellwerk/internal/object/folder"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/sqlitetest"
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
	second     []core.Body            // of another project
	more       []core.Body            // of the run, before it is swept
	others     map[string][]core.Body // events of runs that are not over, by run
	calls      int
	failing    int    // the call to the store that fails; 0 for none
	transcript string // path in the attempt's folder
	copied     string // path in the run's folder
	work       string
	drafts     *draft.Book
	documents         // of packs that no event names
	asked      string // digest of the prompt
	orphan     string // digest of an object that nobody speaks of
	first      string // commit of the attempt
	other      string // commit beside it
	later      string // commit after both
}

type documents = store.Documents

// Documents implements Store.
func (e *estate) Documents(ctx context.Context, kind, prefix, after string, limit int) ([]store.Document, error) {
	if err := e.call(); err != nil {
		return nil, err
	}
	return e.documents.Documents(context.WithoutCancel(ctx), kind, prefix, after, limit)
}

const (
	theRun, theAttempt = "0198", "build.r1.a1"
	theRef             = yard.Attempts + theRun + "/" + theAttempt
)

func newEstate(t *testing.T) *estate {
	t.Helper()
	dir := t.TempDir()
	out, err := exec.CommandContext(t.Context(), "sh", "-euc", `cd "$0" && git init -q -b main person && cd person && git config user.name A && git config user.email a@example.org
		git commit -q --allow-empty -m first && git rev-parse HEAD && git commit -q --allow-empty -m other && git rev-parse HEAD && git commit -q --allow-empty -m later && git rev-parse HEAD`, dir).Output()
	must(t, err)
	commits := strings.Fields(string(out))
	y, err := yard.Open(t.Context(), filepath.Join(dir, "yard.git"))
	must(t, err)
	t.Cleanup(func() { _ = y.Close() })
	must(t, y.Fetch(t.Context(), filepath.Join(dir, "person")))
	must(t, os.MkdirAll(filepath.Join(dir, "runs"), 0o700))
	objects, err := folder.Open(filepath.Join(dir, "blobs"))
	must(t, err)
	ended := time.Now().Add(-100 * time.Hour)
	e := &estate{
		t: t, yard: y, swept: true, first: commits[0], other: commits[1], later: commits[2], work: filepath.Join(dir, "work", theRun),
		transcript: filepath.Join(dir, "attempts", theRun, theAttempt, "out.jsonl"),
		copied:     filepath.Join(dir, "runs", theRun, "transcripts", theAttempt+".jsonl"),
		row:        store.RunRow{ID: theRun, Alias: "brisk-otter", Project: "p1", Branch: "feature/x", EndedAt: &ended},
	}
	e.documents = sqlitetest.New(t)
	e.drafts = draft.Open(e.documents)
	e.Options = Options{State: dir, Store: e, Drafts: e.drafts, Objects: objects, Yards: e, Left: func(string) error { return nil }, Log: slog.New(slog.DiscardHandler)}
	e.exited = core.AttemptExited{Attempt: theAttempt, Transcript: e.object("said"), Delivery: &core.Delivery{
		Commit: e.first, Ref: theRef, Artifacts: []core.Artifact{{Name: "plan.md", Digest: e.object("plan")}},
	}}
	e.asked, e.orphan = e.object("asked"), e.object("nobody's")
	e.file(e.transcript, "said")
	e.file(filepath.Join(filepath.Dir(e.transcript), "prompt.md"), "asked")
	e.file(e.copied, "said")
	e.file(filepath.Join(e.work, "left"), "left")
	must(t, e.drafts.Put(t.Context(), theRun, "ada", draft.Comment{Key: "k", Text: "words"}))
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

// object puts one that is old.
func (e *estate) object(text string) string {
	e.t.Helper()
	digest, _, err := e.Objects.Put(e.t.Context(), strings.NewReader(text), 0)
	must(e.t, err)
	old := time.Now().Add(-90 * time.Hour)
	must(e.t, os.Chtimes(e.stored(digest), old, old))
	return digest
}

// stored is the file of an object.
func (e *estate) stored(digest string) string {
	return filepath.Join(e.State, "blobs", digest[:2], digest[2:])
}

var errStore = errors.New("the database does not answer")

// call counts what is asked of the store.
func (e *estate) call() error {
	if e.calls++; e.calls == e.failing {
		return errStore
	}
	return nil
}

func (e *estate) Yard(context.Context, string) (*yard.Yard, error) { return e.yard, e.call() }

func (e *estate) Runs(context.Context, store.Filter) ([]store.RunRow, error) {
	rows := []store.RunRow{e.row}
	for id := range e.others {
		rows = append(rows, store.RunRow{ID: id, Alias: "calm-newt", Project: "p1"})
	}
	return rows, e.call()
}

func (e *estate) Projects(context.Context, int) ([]store.ProjectRow, error) {
	return []store.ProjectRow{{ID: "p1"}, {ID: "p2"}}, e.call()
}

func (e *estate) bodies(stream string) []core.Body {
	if stream == core.ProjectStream("p1") {
		return e.project
	}
	if stream == core.ProjectStream("p2") {
		return e.second
	}
	if run := strings.TrimPrefix(stream, core.RunStream("")); run != theRun {
		return e.others[run]
	}
	bodies := append([]core.Body{core.AttemptStarted{Attempt: theAttempt, Prompt: e.asked}, e.exited}, e.more...)
	if e.swept {
		bodies = append(bodies, core.RunSwept{})
	}
	return bodies
}

func (e *estate) Events(_ context.Context, stream string, after int64, limit int) ([]core.Event, error) {
	var events []core.Event
	for i, body := range e.bodies(stream) {
		raw, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		events = append(events, core.Event{ID: "x", Seq: int64(i) + 1, Type: core.TypeOf(body), V: 1, Body: raw})
	}
	from := min(int(after), len(events))
	return events[from:min(from+limit, len(events))], e.call()
}

// prune removes, and lists by kind and name what went and what was kept.
func (e *estate) prune(req Request) (gone, kept []string) {
	e.t.Helper()
	report, err := Run(e.t.Context(), e.Options, req)
	must(e.t, err)
	return e.listed(report)
}

// listed are what a report tells of, each with its reason.
func (e *estate) listed(report Report) (gone, kept []string) {
	e.t.Helper()
	var bytes int64
	for _, item := range report.Items {
		gone, bytes = append(gone, item.Kind+" "+item.Name), bytes+item.Bytes
		if item.Proof == "" || (item.Run == "") != (item.Kind == KindObject) {
			e.t.Errorf("%+v goes without a proof, or is not said to be the run's", item)
		}
	}
	for _, item := range report.Kept {
		kept = append(kept, item.Kind+" "+item.Name)
		if item.Reason == "" {
			e.t.Errorf("%+v stays, and nobody is told why", item)
		}
	}
	if bytes != report.Bytes {
		e.t.Errorf("%d bytes are said to go, and %d do", report.Bytes, bytes)
	}
	slices.Sort(gone)
	slices.Sort(kept)
	return gone, kept
}

func (e *estate) everything() []string {
	return []string{"attempt " + theAttempt, "draft " + theRun, "object " + e.orphan, "ref " + theRef, "transcript " + theAttempt, "work " + theRun}
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
	size, err := e.drafts.Size(e.t.Context(), theRun)
	must(e.t, err)
	if size > 0 {
		all = append(all, "draft "+theRun)
	}
	if _, err := os.Lstat(e.stored(e.orphan)); err == nil {
		all = append(all, "object "+e.orphan)
	}
	if _, err := e.yard.Resolve(e.t.Context(), theRef); err == nil {
		all = append(all, "ref "+theRef)
	}
	slices.Sort(all)
	return all
}
