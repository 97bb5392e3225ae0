package crash

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestAHostBurns: in the middle of a run its engine is killed, with everything that runs on its host, and its folder is
// deleted. An engine on another host with an empty folder goes on, and meets the same end. What comes of it is what
// comes of a run that nobody disturbed.
func TestAHostBurns(t *testing.T) {
	moments := []core.Type{
		core.TypeAttemptRequested, core.TypeAttemptStarted, core.TypeAttemptExited, core.TypeVerifyConcluded, core.TypeApprovalRequested, core.TypePublishRequested,
	}
	for name, tell := range map[string]func(string) story{
		"phases": plainStory, "rules": projectStory, "manager": managerStory, "waves": buildStory,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // most of the time is waited
			w := newTeam(t, tell)
			const calm, burnt = "feature/calm", "feature/burnt"
			w.live(w.order(calm)).end()
			want := w.outcome(calm)
			l := w.live(w.order(burnt))
			l.killAt(draw(chance(t)))
			w.burn()
			for _, kind := range moments {
				l := w.liveUntil(w.order(burnt), kind)
				if !l.next(l.come, string(kind)) {
					t.Fatalf("the run ended before %s", kind)
				}
				l.kill()
				l.check()
				w.burn()
			}
			w.live(w.order(burnt)).end()
			if diff := cmp.Diff(want, w.outcome(burnt)); diff != "" {
				t.Errorf("the outcome is another (-undisturbed +burnt)\n%s", diff)
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
	w.recovered([]string{branch})
	w.quiet()
	db := w.open()
	defer w.shut(db)
	h := w.histories(db, []string{branch})[0]
	w.acknowledged(h)
	w.completed(h)
	w.manifest(h)
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

// documents are those of the last delivery of each task that passed.
func (w *world) documents(h history) map[string]string {
	w.t.Helper()
	all, delivered := map[string]string{}, h.deliveries()
	for _, b := range bodiesOf[core.VerifyConcluded](h) {
		if !b.Passed || delivered[b.Attempt] == nil {
			continue
		}
		for _, a := range delivered[b.Attempt].Artifacts {
			all[b.Task+" "+a.Name] = a.Digest
		}
	}
	return all
}
