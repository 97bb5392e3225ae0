package crash

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/runfolder"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// remembers looks, after a kill, whether the database still has what the
// killed engine and those before it acknowledged of some runs.
func (w *world) remembers() {
	w.t.Helper()
	db := w.truth()
	defer w.shut(db)
	rows, err := db.Runs(context.Background(), store.Filter{Open: true})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, row := range rows {
		w.acknowledged(w.history(db, row))
	}
}

// acknowledged: no acknowledged event is lost or another one.
func (w *world) acknowledged(h history) {
	w.t.Helper()
	for seq, hash := range w.acks[h.row.ID] {
		if seq > int64(len(h.events)) {
			w.t.Fatalf("run %s: event %d was acknowledged and is lost: the database ends at %d", h.row.Branch, seq, len(h.events))
		}
		if have, err := h.events[seq-1].Hash(); err != nil || have != hash {
			w.t.Fatalf("run %s: event %d was acknowledged as %s and is %s (%v)", h.row.Branch, seq, hash, have, err)
		}
	}
}

// verify holds everything that must be true once the runs of some branches
// have ended. No engine runs.
func (w *world) verify(branches ...string) {
	w.t.Helper()
	w.recovered(branches)
	w.quiet()
	db := w.truth()
	defer w.shut(db)
	histories := w.histories(db, branches)
	deeds, objects := w.deeds(histories...), w.objects(db)
	for _, h := range histories {
		w.acknowledged(h)
		w.completed(h)
		if w.story.manager {
			w.conducted(h)
		}
		if w.story.waves {
			w.waved(h)
		}
		w.manifest(h)
		w.recorded(h)
		w.named(h, objects)
		w.ranOnce(h, deeds[h.row.ID])
		w.keptWork(h, deeds[h.row.ID])
		w.published(h)
		if w.story.project {
			w.managed(h)
		}
		w.runs, w.events = w.runs+1, w.events+len(h.events)
		delete(deeds, h.row.ID)
	}
	for run := range deeds {
		if _, err := db.Run(context.Background(), run); err != nil {
			w.t.Fatalf("attempts of run %s ran, and the database does not know it: %v", run, err)
		}
	}
	for run := range w.acks {
		if _, err := db.Run(context.Background(), run); err != nil {
			w.t.Fatalf("run %s was acknowledged, and the database does not know it: %v", run, err)
		}
	}
	w.nothingHeld(db)
}

// nothingHeld: when all runs are over nobody holds or waits for anything.
func (w *world) nothingHeld(db *truth) {
	w.t.Helper()
	claims, err := db.Claims(context.Background())
	claims = slices.DeleteFunc(claims, func(c core.Claim) bool { return c.Kind == core.ClaimName }) // a project keeps its name
	if err != nil || len(claims) > 0 {
		w.t.Fatalf("claims are left: %v, %v", claims, err)
	}
	if slots, err := db.Slots(context.Background(), ""); err != nil || len(slots) > 0 {
		w.t.Fatalf("slots are held or waited for: %v, %v", slots, err)
	}
}

// recovered opens one more engine: it completes what a killed one left undone
// after a run's last event, and derives every state and decision again.
func (w *world) recovered(branches []string) {
	w.t.Helper()
	ctx := api.WithCaller(context.Background(), api.Caller{Actor: core.Person("me")})
	log, err := os.OpenFile(w.log, os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = log.Close() }() // a log
	a, err := takeOver(ctx, w.options(log))
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() {
		if err := a.Close(); err != nil {
			w.t.Error(err)
		}
	}()
	runs, err := a.Service.Runs(ctx, api.RunQuery{})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, run := range runs {
		if !slices.Contains(branches, run.Branch) {
			continue
		}
		w.await("the last line of the manifest of "+run.Branch, func() bool {
			m, err := runfolder.ReadManifest(w.manifestPath(run.ID))
			events, eventsErr := a.Service.Events(ctx, run.ID, 0, 1000)
			return err == nil && eventsErr == nil && m.TornTail == nil && len(m.Events) == len(events) &&
				events[len(events)-1].Type == core.TypeRunSwept
		})
		again, err := a.Service.Replay(ctx, run.ID)
		if err != nil || !again.StateEqual || again.Difference != "" {
			w.t.Fatalf("replay of %s: %+v, %v", run.Branch, again, err)
		}
	}
}

// completed: every run reaches its pull request, and a crash of the engine
// costs no attempt.
func (w *world) completed(h history) {
	w.t.Helper()
	if h.row.Status != core.StatusCompleted {
		w.t.Fatalf("run %s is %s: %s", h.row.Branch, h.row.Status, h.row.Reason)
	}
	if h.row.Attempts != w.story.requested && w.story.requested > 0 {
		w.t.Fatalf("run %s took %d attempts, %d are needed:\n%s", h.row.Branch, h.row.Attempts, w.story.requested, h)
	}
}

func (w *world) manifestPath(run string) string {
	return filepath.Join(w.state, "runs", run, runfolder.ManifestFile)
}

// manifest: the readable copy has the same events, byte for byte.
func (w *world) manifest(h history) {
	w.t.Helper()
	have, err := os.ReadFile(w.manifestPath(h.row.ID))
	if err != nil {
		w.t.Fatal(err)
	}
	var want bytes.Buffer
	for _, e := range h.events {
		line, err := e.Line()
		if err != nil {
			w.t.Fatal(err)
		}
		want.Write(append(line, '\n'))
	}
	if !bytes.Equal(have, want.Bytes()) {
		w.t.Fatalf("run %s: the manifest differs from the database", h.row.Branch)
	}
}

// ranOnce: no attempt ran twice, and none that was not committed before.
func (w *world) ranOnce(h history, deeds map[string]*deed) {
	w.t.Helper()
	requested := map[string]bool{}
	for _, body := range h.bodies {
		if b, ok := body.(core.AttemptRequested); ok {
			requested[b.Attempt] = true
		}
		if b, ok := body.(core.AttemptStarted); ok && b.Prompt == "" {
			w.t.Fatalf("run %s: nothing says what attempt %s was asked", h.row.Branch, b.Attempt)
		}
	}
	for attempt, d := range deeds {
		if d.begins > 1 {
			w.t.Fatalf("run %s: attempt %s ran %d times", h.row.Branch, attempt, d.begins)
		}
		if !requested[attempt] {
			w.t.Fatalf("run %s: attempt %s ran, and nobody asked for it", h.row.Branch, attempt)
		}
	}
	if len(deeds) != len(requested) {
		w.t.Fatalf("run %s: %d attempts were asked for, %d ran", h.row.Branch, len(requested), len(deeds))
	}
}

// keptWork: what a finished agent made is in its delivery, and the delivery is
// in the yard and among the blobs.
func (w *world) keptWork(h history, deeds map[string]*deed) {
	w.t.Helper()
	delivered := h.deliveries()
	for attempt, d := range deeds {
		if d.ends != 1 || delivered[attempt] == nil {
			w.t.Fatalf("run %s: attempt %s came to its end %d times, its delivery is %+v", h.row.Branch, attempt, d.ends, delivered[attempt])
		}
		for _, made := range d.made {
			if got, want := w.find(h, delivered[attempt], made), h.row.ID+" "+attempt; strings.Count(got+"\n", want+"\n") != 1 {
				w.t.Fatalf("run %s: %s of attempt %s holds %q, not %q", h.row.Branch, made, attempt, got, want)
			}
		}
	}
}

// published: the person's repository has the branch with the work of the
// attempts that passed, and is otherwise untouched.
func (w *world) published(h history) {
	w.t.Helper()
	for path, attempts := range w.story.published {
		var want []string
		for _, attempt := range strings.Fields(attempts) {
			want = append(want, h.row.ID+" "+attempt)
		}
		got := strings.Split(w.git("show", h.row.Branch+":"+path), "\n")
		slices.Sort(got)
		if !slices.Equal(got, want) {
			w.t.Fatalf("%s has %q in %s, not %q", h.row.Branch, got, path, want)
		}
	}
	if got := w.git("status", "--porcelain"); got != "" {
		w.t.Fatalf("the person's working copy was touched:\n%s", got)
	}
}
