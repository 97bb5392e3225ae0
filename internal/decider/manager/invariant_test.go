package manager_test

import (
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// watch holds what must be true of every history, written independently of the
// code that sees to it.
type watch struct {
	unseen  map[string]core.Type // wake-worthy events that no turn has seen
	asked   map[string]bool      // questions
	ends    map[string]string    // how delegations ended
	works   []string             // commits that agents handed in
	parents map[string][]string  // of commits
	kept    []string             // commits held under refs
	left    map[string]bool      // commits that a person left where attempts are kept
	actor   core.Actor           // of the step
	own     string               // the delegation that an agent proposed in this step
}

func newWatch() watch {
	return watch{unseen: map[string]core.Type{}, asked: map[string]bool{}, ends: map[string]string{}, parents: map[string][]string{}, left: map[string]bool{}}
}

// step holds what must be true of a single event.
func (o *watch) step(w *world, before *core.Run, e core.Event, body core.Body) {
	r := w.run
	if e.Cause == "" {
		o.actor, o.own = e.Actor, ""
	}
	o.wakes(w, before, e, body)
	switch b := body.(type) {
	case core.TaskProposed:
		if e.Actor.Kind == core.ActorAgent {
			o.own = b.Delegation
		}
	case core.QuestionAsked:
		if o.asked[b.ID] {
			w.t.Fatalf("question %s is asked twice", b.ID)
		}
		o.asked[b.ID] = true
	case core.StageSkipped:
		for _, t := range before.Stage(b.Stage).Tasks {
			for _, a := range t.Attempts {
				if a.Delivery != nil {
					o.left[a.Delivery.Commit] = true // under refs/attempts
				}
			}
		}
	case core.StageOpened:
		if b.Branch != "" && (before.Driving.Plan == nil || before.Driving.Plan.Digest == "") {
			w.t.Fatalf("stage %s works without a plan", b.Stage)
		}
	case core.RefKept:
		o.kept = append(o.kept, b.Commit)
	case core.MergeConcluded:
		if !b.Passed && r.Head != before.Head {
			w.t.Fatalf("a merge that was refused moved the branch")
		}
	case core.AttemptExited:
		if b.Delivery != nil && b.Delivery.Commit != "" {
			o.works = append(o.works, b.Delivery.Commit)
		}
	case core.VerifyConcluded, core.AttemptStarted, core.StageDiscarded, core.TaskFailed:
		if before.Head != r.Head {
			w.t.Fatalf("%s moved the run's branch", core.TypeOf(body))
		}
	case core.ApprovalRequested:
		if len(before.Managing.Wakes) > 0 || len(before.Questions) > 0 || before.InTurn() {
			w.t.Fatalf("a person is asked about what is not the last word\n%s", w.account())
		}
	default:
	}
	o.state(w)
	o.safe(w, e)
}

// wakes: whatever the manager is to hear of is in what the next turn sees.
func (o *watch) wakes(w *world, before *core.Run, e core.Event, body core.Body) {
	r := w.run
	if !r.ByManager() {
		o.unseen = map[string]core.Type{}
		return
	}
	if b, ok := body.(core.StageOpened); ok && b.Stage == core.ManagerStage {
		turn := r.Manager().Turn
		for subject, t := range o.unseen {
			if turn.Missed == 0 && !holds(turn.Wakes, subject) {
				w.t.Fatalf("the turn does not see %s %s: %+v", t, subject, turn.Wakes)
			}
		}
		o.unseen = map[string]core.Type{}
		if len(turn.Wakes) == 0 {
			w.t.Fatalf("a turn begins for no reason")
		}
		return
	}
	subject := ""
	switch b := body.(type) {
	case core.MessageSent:
		if e.Actor.Kind == core.ActorPerson {
			subject = e.ID
		}
	case core.QuestionAnswered:
		subject = b.ID
	case core.ChangesRequested:
		subject = b.ID
	case core.PullRequestSeen:
		if b.Checks == core.ChecksFailed && before.PullRequest.Checks != core.ChecksFailed {
			subject = before.PullRequest.Commit
		}
	default:
	}
	if subject != "" {
		o.unseen[subject] = e.Type
	}
	if before != nil {
		for _, d := range r.Managing.Delegations {
			was := before.Delegation(d.ID)
			if was == nil || was.Status.Over() || !d.Status.Over() {
				continue
			}
			o.ends[d.ID] = string(d.Status)
			if at := e.Cause; at != d.Event { // at once is told to who proposed it
				o.unseen[d.ID] = e.Type
			}
		}
		if e.Actor.Kind == core.ActorAgent && len(r.Managing.Wakes)+r.Managing.Missed != len(before.Managing.Wakes)+before.Managing.Missed {
			w.t.Fatalf("the manager is woken by its own %s", e.Type)
		}
	}
	if o.own != "" && e.Cause != "" && holds(r.Managing.Wakes, o.own) {
		w.t.Fatalf("the manager is woken by its own %s", o.own)
	}
	for subject, t := range o.unseen {
		if r.Managing.Missed == 0 && !holds(r.Managing.Wakes, subject) {
			w.t.Fatalf("nobody will hear of %s %s: %+v", t, subject, r.Managing.Wakes)
		}
	}
}

func holds(wakes []core.Wake, subject string) bool {
	return slices.ContainsFunc(wakes, func(wake core.Wake) bool { return wake.Subject == subject || wake.Event == subject })
}

// state holds the promises of every reachable state.
func (o *watch) state(w *world) {
	r := w.run
	turning, merging, branches := 0, 0, map[string]string{}
	for _, s := range r.Stages {
		if s.Status == core.StageDone && s.Branch != "" && s.Merged == "" && s.Start() != s.Base {
			w.t.Fatalf("stage %s passed and is not merged", s.ID)
		}
		writers, reviews, fixes := 0, 0, 0
		for _, t := range s.Tasks {
			if t.Act == core.ActMerge && t.Status == core.TaskVerifying {
				merging++
			}
			if a := t.Last(); a != nil && a.Status.Active() {
				writers++
				if t.Kind == core.KindManage {
					turning++
				}
			}
			if t.Kind == core.KindReview {
				reviews++
			}
			if t.Kind == core.KindFix {
				fixes++
			}
			if t.Counted > t.Limit && t.Act == "" {
				w.t.Fatalf("task %s: %d attempts of %d", t.ID, t.Counted, t.Limit)
			}
		}
		if most := 2 * (s.Resets + 1); r.ByManager() && (reviews > most || fixes > most) {
			w.t.Fatalf("stage %s: %d reviews and %d fixes with nobody asked", s.ID, reviews, fixes)
		}
		if writers > 1 {
			w.t.Fatalf("stage %s has %d agents at once", s.ID, writers)
		}
		if other := branches[s.Branch]; s.Branch != "" && other != "" {
			w.t.Fatalf("%s and %s work on one branch", s.ID, other)
		}
		branches[s.Branch] = s.ID
	}
	switch {
	case turning > 1:
		w.t.Fatalf("%d managers at once", turning)
	case merging > 1:
		w.t.Fatalf("%d merges at once", merging)
	case merging > 0 && r.Driving.PlanWrite != nil:
		w.t.Fatalf("the plan is written during a merge")
	case r.Status == core.StatusPaused && (r.Pause == nil || r.Pause.Reason == "" || r.Pause.Hint == "" && len(r.Pause.Choices) == 0):
		w.t.Fatalf("paused without a reason and a next step: %+v", r.Pause)
	}
	o.delegations(w)
}

func (o *watch) delegations(w *world) {
	on := map[string]string{}
	for _, d := range w.run.Managing.Delegations {
		if d.Status != core.DelegationOpen {
			continue
		}
		s := w.run.Stage(d.Stage)
		if s == nil || s.Status.Closed() {
			w.t.Fatalf("%s is open and nobody works on it\n%s", d.ID, w.account())
		}
		if other := on[d.Stage]; other != "" {
			w.t.Fatalf("%s and %s are at work on %s", d.ID, other, d.Stage)
		}
		on[d.Stage] = d.ID
	}
}

// safe: no commit that an agent handed in is out of reach.
func (o *watch) safe(w *world, e core.Event) {
	switch e.Type {
	case core.TypeStageDiscarded, core.TypeTaskFailed, core.TypeStagePassed, core.TypeStageOpened, core.TypePlaybookSwapped, core.TypeStageSkipped, core.TypeTaskProposed:
	default:
		return
	}
	reached := map[string]bool{}
	var reach func(commit string)
	reach = func(commit string) {
		if commit == "" || reached[commit] {
			return
		}
		reached[commit] = true
		for _, p := range o.parents[commit] {
			reach(p)
		}
	}
	reach(w.run.Head)
	for _, commit := range o.kept {
		reach(commit)
	}
	for _, k := range w.run.Keep {
		reach(k.Commit)
	}
	for _, s := range w.run.Stages {
		if s.Status.Closed() {
			continue
		}
		reach(s.Line)
		for _, t := range s.Tasks {
			if t.Status != core.TaskDropped {
				reach(t.WorkingCommit(""))
			}
		}
	}
	for commit := range o.left {
		reach(commit)
	}
	for _, commit := range o.works {
		if !reached[commit] {
			w.t.Fatalf("after %s: %s is lost\n%s", e.Type, commit, w.account())
		}
	}
}

// rest: a run that is not over has something under way or a time to wait for, or
// names the person it waits for.
func (o *watch) rest(w *world) {
	r := w.run
	waits := slices.ContainsFunc(core.Effects(r), func(a core.Action) bool {
		switch a.(type) {
		case core.Notify, core.WatchPullRequest, core.HoldRef, core.MoveBranch:
			return false
		default:
			return true
		}
	})
	switch r.Status {
	case core.StatusActive:
		if !waits && len(core.Timers(r)) == 0 && !blocked(r) {
			w.t.Fatalf("the run waits for nothing\n%s", w.account())
		}
	case core.StatusAwaiting:
		if s := r.Gated(); s == nil || s.Gate.Approved {
			w.t.Fatalf("the run waits for an approval that nobody is asked for\n%s", w.account())
		}
	case core.StatusReview:
		if r.PullRequest == nil || r.PullRequest.State != core.PullRequestOpen || r.PullRequest.Commit != r.Verified {
			w.t.Fatalf("nobody is asked to look at what there is\n%s", w.account())
		}
	case core.StatusPaused, core.StatusCompleted, core.StatusFailed, core.StatusCancelled:
	}
}

// complete holds what a completed project promises.
func (o *watch) complete(w *world) {
	for _, d := range w.run.Managing.Delegations {
		if !d.Status.Over() {
			w.t.Fatalf("%s did not end\n%s", d.ID, w.account())
		}
	}
	for n := range w.run.Managing.Delegated {
		if id := core.DelegationID(n + 1); o.ends[id] == "" {
			w.t.Fatalf("nobody heard how %s ended", id)
		}
	}
	if len(w.run.Driving.Changes) > 0 || len(w.run.Questions) > 0 || len(w.run.Managing.Wakes) > 0 || len(w.run.OpenLines()) > 0 {
		w.t.Fatalf("completed with something left to do\n%s", w.account())
	}
}
