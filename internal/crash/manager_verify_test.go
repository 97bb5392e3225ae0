package crash

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/document"
	"github.com/stellwerk-dev/stellwerk/internal/forge/local"
)

// conducted holds what must be true of a run of the manager's story beyond what
// is of any run.
func (w *world) conducted(h history) {
	w.t.Helper()
	s := w.score(h)
	w.unrefused(h)
	w.calledOnce(h, s)
	w.playedOnce(h, s)
	w.oneTurn(h, s)
	w.nothingMissed(h, s)
	w.heardOnce(h)
	w.lineage(h)
	w.mergedEach(h)
	w.planCommitted(h)
	w.signed(h)
	w.branchesGone(h)
	w.publishedTwice(h)
}

// unrefused: the law refused nothing that anybody decided, and to agents nothing
// at all.
func (w *world) unrefused(h history) {
	w.t.Helper()
	tasks, tools := bodiesOf[core.TaskRefused](h), bodiesOf[core.ToolRefused](h)
	if len(tasks)+len(tools) > 0 {
		w.t.Fatalf("run %s: refused were %+v, %+v", h.row.Branch, tasks, tools)
	}
	for _, b := range bodiesOf[core.CommandRefused](h) { // what they spoke before holds the gate back
		if b.Command != string(core.TypeApprovalGranted) {
			w.t.Fatalf("run %s: the law refused %+v", h.row.Branch, b)
		}
	}
}

// heardOnce: what a person was told to be heard is there exactly once, and so is
// each question's answer.
func (w *world) heardOnce(h history) {
	w.t.Helper()
	have := map[string]int{}
	for i, body := range h.bodies {
		switch b := body.(type) {
		case core.MessageSent:
			if h.events[i].Actor.Kind == core.ActorPerson {
				have["said "+b.Text]++
			}
		case core.QuestionAnswered:
			have[fmt.Sprintf("answered %s, by default %t", b.Text, b.Default)]++
		case core.ChangesRequested:
			have["wanted "+b.Text]++
		default:
		}
	}
	w.person.mu.Lock()
	defer w.person.mu.Unlock()
	want := map[string]int{"wanted " + wordChange: 1, "answered " + wordColour + ", by default false": 1, "answered softly, by default true": 1}
	for _, text := range w.person.told[h.row.ID] {
		want["said "+text] = 1
	}
	if fmt.Sprint(have) != fmt.Sprint(want) || len(w.person.told[h.row.ID]) != 3 || w.person.trouble != nil {
		w.t.Fatalf("run %s: people were heard as %v, not %v (%v):\n%s", h.row.Branch, have, want, w.person.trouble, h)
	}
}

// mergedEach: each line was merged once, from work that was verified.
func (w *world) mergedEach(h history) {
	w.t.Helper()
	verified, delivered := map[string]bool{}, h.deliveries()
	for _, b := range bodiesOf[core.VerifyConcluded](h) {
		if b.Passed && delivered[b.Attempt] != nil {
			verified[delivered[b.Attempt].Commit] = true
		}
	}
	lines := map[string]int{}
	for _, b := range bodiesOf[core.MergeConcluded](h) {
		line, _, _ := strings.Cut(b.Task, ".")
		lines[line]++
		if !b.Passed || !verified[b.From] || !passed(b.Results) || lines[line] > 1 {
			w.t.Fatalf("run %s: a merge is not as it should be: %+v", h.row.Branch, b)
		}
	}
	if n := w.git("rev-list", "--count", "--merges", h.ground()+".."+h.row.Branch); len(lines) != 3 || n != "3" {
		w.t.Fatalf("run %s: the lines %v were merged, with %s merge commits", h.row.Branch, lines, n)
	}
}

// planCommitted: each change of the plan that was asked for is a commit, once,
// that changes nothing else; in the end every step is marked.
func (w *world) planCommitted(h history) {
	w.t.Helper()
	var asked []string
	for _, b := range bodiesOf[core.PlanProposed](h) {
		asked = append(asked, "plan: "+b.Message)
	}
	for _, b := range bodiesOf[core.PlanUpdated](h) {
		if touched := w.git("diff", "--name-only", b.Old, b.Plan.Commit); touched != ".ai/plan.md" {
			w.t.Fatalf("run %s: the commit %s of the plan touches %q", h.row.Branch, b.Plan.Commit, touched)
		}
	}
	have := strings.Split(w.git("log", "--no-merges", "--topo-order", "--reverse", "--format=%s", h.ground()+".."+h.row.Branch, "--", ".ai"), "\n")
	if !slices.Equal(have, asked) {
		w.t.Fatalf("run %s: the plan was changed by %q, and %q were asked for", h.row.Branch, have, asked)
	}
	if plan := w.git("show", h.row.Branch+":.ai/plan.md"); strings.Count(plan, "### [x]") != 3 || strings.Contains(plan, "[ ]") {
		w.t.Fatalf("run %s: the plan is\n%s", h.row.Branch, plan)
	}
}

// signed: everything that was delegated is in the published branch, each from
// one attempt that said it had made it.
func (w *world) signed(h history) {
	w.t.Helper()
	made := map[string]string{}
	for attempt, d := range w.deeds(h)[h.row.ID] {
		for _, path := range d.made {
			if name, ok := strings.CutPrefix(path, "code:"); ok {
				made[name] += h.row.ID + " " + attempt
			}
		}
	}
	for _, name := range []string{"first.txt", "second.txt", "fixed.txt", "third.txt"} {
		if got := w.git("show", h.row.Branch+":"+name); got != made[name] {
			w.t.Fatalf("%s has %q in %s, and %q was made", h.row.Branch, got, name, made[name])
		}
	}
}

// publishedTwice: the work, and the work with what was wanted of it, in one pull
// request; each time exactly what was verified and approved.
func (w *world) publishedTwice(h history) {
	w.t.Helper()
	prepared, approved := map[core.Subject]bool{}, map[core.Subject]bool{}
	var commits []string
	for _, body := range h.bodies {
		switch b := body.(type) {
		case core.PublishPrepared:
			prepared[b.Subject] = b.Passed && passed(b.Results)
		case core.ApprovalGranted:
			approved[b.Subject] = true
		case core.PublishRequested:
			if commits = append(commits, b.Subject.Commit); !prepared[b.Subject] || !approved[b.Subject] {
				w.t.Fatalf("run %s: %s is published, which was not verified and approved", h.row.Branch, b.Subject.Commit)
			}
		case core.PublishConcluded:
			if !b.OK {
				w.t.Fatalf("run %s: publishing failed: %+v", h.row.Branch, b)
			}
		default:
		}
	}
	if len(commits) != 2 || commits[1] != w.git("rev-parse", h.row.Branch) || len(bodiesOf[core.PublishConcluded](h)) != 2 {
		w.t.Fatalf("run %s: %v were published:\n%s", h.row.Branch, commits, h)
	}
	if n := w.pulls(h); n != 1 {
		w.t.Fatalf("run %s has %d pull requests", h.row.Branch, n)
	}
}

// pulls is how many pull requests a run has.
func (w *world) pulls(h history) int {
	w.t.Helper()
	db := w.truth()
	defer w.shut(db)
	records, err := document.List[local.Record](w.t.Context(), db, "pull", h.row.Project+"/")
	if err != nil {
		w.t.Fatal(err)
	}
	count := 0
	for _, r := range records {
		if r.Value.Run == h.row.ID {
			count++
		}
	}
	return count
}
