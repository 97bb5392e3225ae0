package crash

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// bodiesOf are a run's events of one type.
func bodiesOf[T core.Body](h history) []T {
	var all []T
	for _, body := range h.bodies {
		if b, ok := body.(T); ok {
			all = append(all, b)
		}
	}
	return all
}

// managed holds what must be true of a run of the project story beyond what is
// of any run.
func (w *world) managed(h history) {
	w.t.Helper()
	w.tasksOnce(h)
	w.lineage(h)
	w.mergedOnce(h)
	w.planKept(h)
	w.branchesGone(h)
	w.publishedVerified(h)
}

// tasksOnce: nothing was decided twice, and nothing that may not be.
func (w *world) tasksOnce(h history) {
	w.t.Helper()
	if refused := bodiesOf[core.CommandRefused](h); len(refused) > 0 {
		w.t.Fatalf("run %s: the law refused %+v", h.row.Branch, refused)
	}
	have := map[string]int{}
	for _, b := range bodiesOf[core.TaskAdmitted](h) {
		have[string(b.Kind)]++
	}
	for _, b := range bodiesOf[core.StageOpened](h) {
		have["stage "+b.Stage]++
	}
	want := map[string]int{
		"plan": 1, "code": 3, "review": 1, "fix": 1, "merge": 4, "resolve": 1, "pr": 1,
		"stage plan": 1, "stage step-1": 1, "stage step-2": 1, "stage step-3": 1, "stage publish": 1,
	}
	if fmt.Sprint(have) != fmt.Sprint(want) {
		w.t.Fatalf("run %s: there were %v, not %v:\n%s", h.row.Branch, have, want, h)
	}
}

// lineage: the published branch consists of the merges and the commits of the
// plan that were recorded, in that order, and of nothing else.
func (w *world) lineage(h history) {
	w.t.Helper()
	var want []string
	for _, body := range h.bodies {
		if b, ok := body.(core.MergeConcluded); ok && b.Passed {
			want = append(want, b.Commit)
		}
		if b, ok := body.(core.PlanUpdated); ok {
			want = append(want, b.Plan.Commit)
		}
	}
	have := strings.Fields(w.git("rev-list", "--first-parent", "--reverse", h.ground()+".."+h.row.Branch))
	if !slices.Equal(have, want) {
		w.t.Fatalf("%s consists of %v, and %v were recorded:\n%s", h.row.Branch, have, want, h)
	}
}

// ground is the commit that a run started from.
func (h history) ground() string { return bodiesOf[core.RunStarted](h)[0].BaseCommit }

// mergedOnce: every step was merged once, from a delivery that was verified,
// and the one conflict was put right once.
func (w *world) mergedOnce(h history) {
	w.t.Helper()
	verified, delivered := map[string]bool{}, h.deliveries()
	for _, b := range bodiesOf[core.VerifyConcluded](h) {
		if b.Passed {
			verified[delivered[b.Attempt].Commit] = true
		}
	}
	merged, refused := map[string]int{}, 0
	for _, b := range bodiesOf[core.MergeConcluded](h) {
		if !b.Passed {
			refused++
			if !slices.Equal(b.Conflicts, []string{"shared.txt"}) {
				w.t.Fatalf("run %s: a merge was refused for another reason: %+v", h.row.Branch, b)
			}
			continue
		}
		step, _, _ := strings.Cut(b.Task, ".")
		merged[step]++
		if parents := w.git("show", "--no-patch", "--format=%P", b.Commit); parents != b.Into+" "+b.From {
			w.t.Fatalf("run %s: the merge of %s has the parents %s: %+v", h.row.Branch, step, parents, b)
		}
		if !verified[b.From] || !passed(b.Results) {
			w.t.Fatalf("run %s: %s was merged unverified: %+v", h.row.Branch, step, b)
		}
	}
	if want := map[string]int{"step-1": 1, "step-2": 1, "step-3": 1}; fmt.Sprint(merged) != fmt.Sprint(want) || refused != 1 {
		w.t.Fatalf("run %s: the merges were %v, %d were refused:\n%s", h.row.Branch, merged, refused, h)
	}
	if n := w.git("rev-list", "--count", "--merges", h.ground()+".."+h.row.Branch); n != "4" {
		w.t.Fatalf("%s has %s merge commits: those of three steps and that of the resolver are wanted", h.row.Branch, n)
	}
}

// passed reports that something was checked, and all of it holds.
func passed(results []core.CheckResult) bool {
	return len(results) > 0 && !slices.ContainsFunc(results, func(c core.CheckResult) bool { return !c.Passed })
}

// planKept: the plan is what the planner handed in with every step marked, each
// once; a commit of the plan changes it and nothing else, and no other does.
func (w *world) planKept(h history) {
	w.t.Helper()
	const file = ".ai/plan.md"
	var commits, marked []string
	for _, b := range bodiesOf[core.PlanUpdated](h) {
		commits = append(commits, b.Plan.Commit)
		if touched := w.git("diff", "--name-only", b.Old, b.Plan.Commit); touched != file {
			w.t.Fatalf("run %s: the commit %s of the plan touches %q", h.row.Branch, b.Plan.Commit, touched)
		}
	}
	have := strings.Fields(w.git("rev-list", "--no-merges", "--topo-order", "--reverse", h.ground()+".."+h.row.Branch, "--", ".ai"))
	if !slices.Equal(have, commits) {
		w.t.Fatalf("run %s: the plan was changed by %v, and %v were recorded", h.row.Branch, have, commits)
	}
	writes := bodiesOf[core.PlanWriteRequested](h)
	for _, b := range writes {
		marked = append(marked, b.Done...)
	}
	if slices.Sort(marked); !slices.Equal(marked, []string{"1", "2", "3"}) || len(writes) != len(commits) {
		w.t.Fatalf("run %s: the steps %v were marked, by %d commits where %d were decided", h.row.Branch, marked, len(commits), len(writes))
	}
	handedIn := w.document(h.deliveries()["plan.r1.a1"], "plan.md")
	if got, want := w.git("show", h.row.Branch+":"+file), strings.ReplaceAll(handedIn, "[ ]", "[x]"); got != want {
		w.t.Fatalf("run %s: the plan is\n%s\nand not\n%s", h.row.Branch, got, want)
	}
}

// branchesGone: the yard has the run's branch, as it was published, and none of
// its steps.
func (w *world) branchesGone(h history) {
	w.t.Helper()
	yard := filepath.Join(w.state, "yards", h.row.Project+".git")
	have := w.gitIn(yard, "for-each-ref", "--format=%(objectname) %(refname)", "refs/heads/"+h.row.Branch, "refs/heads/"+h.row.Branch+"-*")
	if want := w.git("rev-parse", h.row.Branch) + " refs/heads/" + h.row.Branch; have != want {
		w.t.Fatalf("run %s: the yard has\n%s\nand not\n%s", h.row.Branch, have, want)
	}
	if have := w.git("for-each-ref", "refs/heads/"+h.row.Branch+"-*"); have != "" {
		w.t.Fatalf("run %s: the person's repository has branches of steps:\n%s", h.row.Branch, have)
	}
}

// publishedVerified: what was pushed, once, is what was verified and approved.
func (w *world) publishedVerified(h history) {
	w.t.Helper()
	tip := w.git("rev-parse", h.row.Branch)
	prepared, requested, concluded := bodiesOf[core.PublishPrepared](h), bodiesOf[core.PublishRequested](h), bodiesOf[core.PublishConcluded](h)
	switch {
	case len(prepared) != 1 || len(requested) != 1 || len(concluded) != 1 || !concluded[0].OK:
		w.t.Fatalf("run %s was not published once:\n%s", h.row.Branch, h)
	case !prepared[0].Passed || !passed(prepared[0].Results) || prepared[0].Subject.Commit != tip || requested[0].Subject.Commit != tip:
		w.t.Fatalf("run %s: %s is published, which was not verified and approved: %+v", h.row.Branch, tip, prepared[0])
	case len(bodiesOf[core.ReviewAwaited](h)) != 1 || len(bodiesOf[core.PullRequestSeen](h)) != 1:
		w.t.Fatalf("run %s did not wait once for its pull request:\n%s", h.row.Branch, h)
	}
	if n := w.pulls(h); n != 1 {
		w.t.Fatalf("run %s has %d pull requests", h.row.Branch, n)
	}
}
