package manager_test

import (
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// objected has the line reviewed by somebody who wants changes.
func (w *world) objected(line string) {
	w.t.Helper()
	w.reviewed(line, core.ReviewChangesRequested)
}

// reviewed has the line reviewed.
func (w *world) reviewed(line string, status core.ReviewStatus) {
	w.t.Helper()
	d := w.propose(of(core.KindReview, line))
	if d.Status != core.DelegationOpen {
		w.t.Fatalf("the review is %s: %s", d.Status, d.Reason)
	}
	a := w.run.Task(d.Task).Last()
	w.must(core.Engine(), core.AttemptStarted{Attempt: a.ID, Agent: "x"})
	w.must(core.Engine(), core.AttemptExited{Attempt: a.ID, Kind: core.ExitFinished, Delivery: w.deliver(w.run.Task(d.Task), a)})
	w.must(core.Engine(), core.VerifyConcluded{Task: d.Task, Attempt: a.ID, Passed: true, Review: &core.Review{Status: status}})
}

// endless is a manager that reviews and fixes a line as often as it may, in a turn
// that wants one more review.
func endless(t *testing.T) (*world, *core.Delegation) {
	t.Helper()
	w := steady(t)
	w.planned()
	w.propose(work("api"))
	w.worked()
	for range w.run.Playbook.Project.Reviews {
		w.objected("api")
		w.propose(of(core.KindFix, "api"))
		w.worked()
		w.rest()
	}
	return w, w.propose(of(core.KindReview, "api"))
}

// TestAPersonIsAskedAboutEndlessReviews: what the manager wants waits until its turn
// is over, and then for a person.
func TestAPersonIsAskedAboutEndlessReviews(t *testing.T) {
	w, d := endless(t)
	if d.Status != core.DelegationWaiting || w.run.Pause != nil {
		t.Fatalf("%s in the turn, %+v", d.Status, w.run.Pause)
	}
	w.rest()
	if p := w.run.Pause; p == nil || p.Code != core.PauseAttempts || p.Stage != "api" || !strings.Contains(p.Reason, "another review of api, after 2 reviews and 2 fixes of it") {
		t.Fatalf("%+v", p)
	}
	if err := w.try(core.Person("me"), core.RunResumed{}); core.CodeOf(err) != core.CodeConflict {
		t.Errorf("resumed to the same: %v", err)
	}

	w.must(core.Person("me"), core.AttemptsReset{Stage: "api"})
	if d := w.run.Delegation(d.ID); d.Status != core.DelegationOpen || w.run.Stage("api").Reviews != 3 {
		t.Errorf("after `retry`: %s, %+v", d.Status, w.run.Pause)
	}
}

// TestAWornLineIsGivenUp: whoever skips it ends the loop, and the manager hears so.
func TestAWornLineIsGivenUp(t *testing.T) {
	w, d := endless(t)
	w.rest()
	w.must(core.Person("me"), core.StageSkipped{Stage: "api", Source: core.SkipPerson, Reason: "enough"})
	if got := w.run.Delegation(d.ID); got.Status != core.DelegationRefused || !holds(w.run.Manager().Turn.Wakes, d.ID) {
		t.Errorf("%s: %s, woken by %+v", got.Status, got.Reason, w.run.Manager().Turn.Wakes)
	}
}

// TestReviewsAreCountedUntilTheLineIsMerged: one that is given up and begun again is
// the same line; one that was merged begins to count anew.
func TestReviewsAreCountedUntilTheLineIsMerged(t *testing.T) {
	w := steady(t)
	w.planned()
	for range w.run.Playbook.Project.Reviews {
		w.propose(work("api"))
		w.worked()
		w.objected("api")
		w.propose(of(core.KindDiscard, "api"))
		w.rest()
	}
	w.propose(work("api"))
	w.worked()
	if d := w.propose(of(core.KindReview, "api")); d.Status != core.DelegationWaiting {
		t.Fatalf("a third review is %s: %s", d.Status, d.Reason)
	}
	w.rest()
	w.must(core.Person("me"), core.AttemptsReset{Stage: "api"})
	w.worked()
	w.rest()
	w.propose(of(core.KindMerge, "api"))
	effect[core.Merge](w)
	w.rest()
	w.propose(core.Proposal{Prompt: "more", Line: "api"})
	if s := w.run.Stage("api"); s.Reviews != 0 || s.Round != 4 {
		t.Errorf("round %d begins with %d reviews", s.Round, s.Reviews)
	}
}

// TestTheLawKnowsWornLines: no decider can begin what a person has to allow.
func TestTheLawKnowsWornLines(t *testing.T) {
	w, d := endless(t)
	s := w.run.Stage("api")
	err := core.Law(w.run, core.DecisionActor(w.decider()), core.TaskAdmitted{
		Task: core.TaskID("api", s.Round, d.ID), Stage: "api", Round: s.Round, Kind: core.KindReview, Role: "critic", Writes: core.WritesArtifacts,
		Attempts: 1, Delegation: d.ID,
	})
	if err == nil || !strings.Contains(err.Error(), "had all its tasks of kind review") {
		t.Error(err)
	}
}
