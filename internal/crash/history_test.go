package crash

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/object"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// history is a run as the database has it.
type history struct {
	row    store.RunRow
	events []core.Event
	bodies []core.Body
}

func (w *world) history(db store.Store, row store.RunRow) history {
	w.t.Helper()
	h := history{row: row}
	for {
		more, err := db.Events(context.Background(), core.RunStream(row.ID), int64(len(h.events)), 1000)
		if err != nil {
			w.t.Fatal(err)
		}
		if len(more) == 0 {
			break
		}
		h.events = append(h.events, more...)
	}
	if _, err := core.VerifyChain(core.Head{}, h.events); err != nil {
		w.t.Fatalf("run %s: %v", row.Branch, err)
	}
	for _, e := range h.events {
		body, err := core.Decode(e)
		if err != nil {
			w.t.Fatal(err)
		}
		h.bodies = append(h.bodies, body)
	}
	return h
}

// histories are the runs of some branches, one each.
func (w *world) histories(db store.Store, branches []string) []history {
	w.t.Helper()
	rows, err := db.Runs(context.Background(), store.Filter{})
	if err != nil {
		w.t.Fatal(err)
	}
	runs := map[string][]store.RunRow{}
	for _, row := range rows {
		runs[row.Branch] = append(runs[row.Branch], row)
	}
	var all []history
	for _, branch := range branches {
		if len(runs[branch]) != 1 {
			w.t.Fatalf("%d runs on %s", len(runs[branch]), branch)
		}
		all = append(all, w.history(db, runs[branch][0]))
	}
	return all
}

// deliveries are what the attempts of a run handed in.
func (h history) deliveries() map[string]*core.Delivery {
	all := map[string]*core.Delivery{}
	for _, body := range h.bodies {
		if b, ok := body.(core.AttemptExited); ok {
			all[b.Attempt] = b.Delivery
		}
	}
	return all
}

// find reads something an attempt made from where its delivery says it is.
func (w *world) find(h history, d *core.Delivery, made string) string {
	w.t.Helper()
	kind, name, _ := strings.Cut(made, ":")
	if kind == "code" {
		return w.gitIn(filepath.Join(w.state, "yards", h.row.Project+".git"), "show", d.Commit+":"+name)
	}
	return w.document(d, name)
}

// document is the content of a delivery's document; "" where it has none of
// that name.
func (w *world) document(d *core.Delivery, name string) string {
	w.t.Helper()
	artifact := d.Artifact(name)
	if artifact == nil {
		return ""
	}
	db := w.truth()
	defer w.shut(db)
	file, err := w.objects(db).Open(w.t.Context(), artifact.Digest)
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = file.Close() }() // only read from
	content, err := io.ReadAll(file)
	if err != nil {
		w.t.Fatal(err)
	}
	return strings.TrimSpace(string(content))
}

// account tells how far the open runs have come, as far as that can be read.
func (w *world) account() string {
	db, err := w.openTruth()
	if err != nil {
		return err.Error()
	}
	defer func() { _ = db.Close() }() // only read from
	rows, err := db.Runs(context.Background(), store.Filter{Open: true})
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	for _, row := range rows {
		events, err := db.Events(context.Background(), core.RunStream(row.ID), 0, 1000)
		fmt.Fprintf(&b, "run %s %s is %s in %s (%v)\n%s", row.ID, row.Branch, row.Status, row.Stage, err, history{events: events})
	}
	return b.String()
}

// named: whatever an event names is among the objects, with the content that it was named for.
func (w *world) named(h history, objects object.Objects) {
	w.t.Helper()
	for i, body := range h.bodies {
		for _, digest := range core.Objects(body) {
			if err := objects.Verify(w.t.Context(), digest); err != nil {
				w.t.Fatalf("run %s: event %d, %s, names an object that is missing: %v", h.row.Branch, i+1, core.TypeOf(body), err)
			}
		}
	}
}

// String is the history for a person to read.
func (h history) String() string {
	var b strings.Builder
	for _, e := range h.events {
		fmt.Fprintf(&b, "%3d %s %s %.300s\n", e.Seq, e.At.Format(time.StampMicro), e.Type, e.Body)
	}
	return b.String()
}
