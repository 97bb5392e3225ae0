package crash

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// moments are when hosts fail: with an attempt that is to begin, that runs and that has ended; after its verdict, at a
// gate, and before the push.
var moments = []core.Type{
	core.TypeAttemptRequested, core.TypeAttemptStarted, core.TypeAttemptExited, core.TypeVerifyConcluded, core.TypeApprovalRequested, core.TypePublishRequested,
}

// TestAHostBurns: in the middle of a run its engine is killed, with everything that runs on its host, and its folder is
// deleted. An engine on another host with an empty folder goes on, and meets the same end. What comes of it is what
// comes of a run that nobody disturbed.
func TestAHostBurns(t *testing.T) {
	t.Parallel() // most of the time is waited
	eachKind(t, func(w *world, _ int) {
		if err := os.RemoveAll(w.state); err != nil {
			w.t.Fatal(err)
		}
		w.hosts++
		w.move(fmt.Sprintf("host-%d", w.hosts))
	})
}

// TestHostsTakeTurns: two hosts fail one after the other, and each comes back with what it had when it failed.
func TestHostsTakeTurns(t *testing.T) {
	t.Parallel() // most of the time is waited
	eachKind(t, func(w *world, n int) { w.move(fmt.Sprintf("host-%d", (n+1)%2)) })
}

// eachKind has hosts fail in the middle of a run of each kind, at a random moment and at those above. Next prepares the
// host that follows the n-th.
func eachKind(t *testing.T, next func(w *world, n int)) {
	for name, tell := range map[string]func(string) story{
		"phases": plainStory, "rules": projectStory, "manager": managerStory, "waves": buildStory,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // most of the time is waited
			w := newTeam(t, tell)
			const calm, stormy = "feature/calm", "feature/stormy"
			w.live(w.order(calm)).end()
			want := w.outcome(calm)
			w.live(w.order(stormy)).killAt(draw(chance(t)))
			w.fail()
			next(w, 0)
			for i, kind := range moments {
				l := w.liveUntil(w.order(stormy), kind)
				if !l.next(l.come, string(kind)) {
					if i < len(moments)-1 { // the push may follow the gate in the same moment
						t.Fatalf("the run ended before %s", kind)
					}
					break
				}
				l.kill()
				l.check()
				w.fail()
				next(w, i+1)
			}
			w.live(w.order(stormy)).end()
			if diff := cmp.Diff(want, w.outcome(stormy)); diff != "" {
				t.Errorf("the outcome is another (-undisturbed +disturbed)\n%s", diff)
			}
		})
	}
}

// outcome is what is left of a run outside: the tree that was published, and the documents that were handed in.
type outcome struct {
	Tree      string
	Files     map[string]string // of the tree, for a reader
	Documents map[string]string // digests by stage and name
	Pulls     int
}

// outcome sees to what must be true of every run of a team, and says what came of it.
func (w *world) outcome(branch string) outcome {
	w.t.Helper()
	return w.outcomes([]string{branch})[0]
}

func (w *world) outcomes(branches []string) []outcome {
	w.t.Helper()
	w.recovered(branches)
	w.quiet()
	db := w.truth()
	defer w.shut(db)
	var all []outcome
	for _, h := range w.histories(db, branches) {
		all = append(all, w.left(h))
	}
	return all
}

// left is what came of a run.
func (w *world) left(h history) outcome {
	w.t.Helper()
	branch := h.row.Branch
	w.acknowledged(h)
	w.completed(h)
	w.manifest(h)
	for attempt, d := range w.deeds(h)[h.row.ID] {
		if d.begins > 1 {
			w.t.Errorf("attempt %s began %d times", attempt, d.begins)
		}
	}
	for _, exit := range bodiesOf[core.AttemptExited](h) {
		if _, err := os.Stat(filepath.Join(w.state, "runs", h.row.ID, "transcripts", exit.Attempt+".jsonl")); exit.Transcript != "" && err != nil {
			w.t.Errorf("the run's folder lacks a transcript: %v", err)
		}
	}
	o := outcome{Files: map[string]string{}, Documents: map[string]string{}, Pulls: w.pulls(h)}
	if w.git("branch", "--list", branch) == "" {
		w.t.Fatalf("nothing was published:\n%s", h)
	}
	o.Tree = w.git("rev-parse", branch+"^{tree}")
	for path := range strings.FieldsSeq(w.git("ls-tree", "-r", "--name-only", branch)) {
		o.Files[path] = w.git("show", branch+":"+path)
	}
	maps.Copy(o.Documents, w.documents(h))
	return o
}

// documents are those of the last delivery of each task that passed. How often a planner is asked depends on when answers
// come.
func (w *world) documents(h history) map[string]string {
	w.t.Helper()
	all, delivered := map[string]string{}, h.deliveries()
	for _, b := range bodiesOf[core.VerifyConcluded](h) {
		if !b.Passed || delivered[b.Attempt] == nil || strings.HasPrefix(b.Task, core.PlannerStage+".") {
			continue
		}
		for _, a := range delivered[b.Attempt].Artifacts {
			all[b.Task+" "+a.Name] = a.Digest
		}
	}
	return all
}
