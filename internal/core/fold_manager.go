package core

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// wake notes a reason for the manager to look. What is noted twice before it
// looks counts once.
func wake(r *Run, e Event, w Wake) {
	if !r.ByManager() {
		return
	}
	if slices.ContainsFunc(r.Managing.Wakes, func(o Wake) bool { return o.Kind == w.Kind && o.Subject == w.Subject && w.Subject != "" }) {
		return
	}
	if len(r.Managing.Wakes) >= keptWakes {
		r.Managing.Missed++
		return
	}
	w.Event, w.At, w.By, w.Text = e.ID, e.At, e.Actor, clipped(w.Text, keptWake)
	r.Managing.Wakes = append(r.Managing.Wakes, w)
}

// beginTurn hands the manager what it was woken for, and what people want
// changed for as long as it did nothing about that.
func beginTurn(r *Run, s *Stage, b StageOpened) {
	s.Turn = &Turn{Wakes: r.Managing.Wakes, Missed: r.Managing.Missed}
	r.Managing.Wakes, r.Managing.Missed = nil, 0
	for _, c := range r.Driving.Changes {
		if !s.Turn.sawChange(c.ID) {
			s.Turn.Wakes = append(s.Turn.Wakes, Wake{Kind: WakeChanges, Subject: c.ID, Text: clipped(c.Text, keptWake), At: r.Now()})
		}
	}
	if b.Reason == OpenWatchdog {
		s.Turn.Wakes = append(s.Turn.Wakes, Wake{Kind: WakeWatchdog, At: r.Now(), Elapsed: r.Now().Sub(r.Stirred)})
	}
}

// endTurn counts turns that came to nothing. One that has work under way, or
// waits for people, may leave things as they are.
func endTurn(r *Run, s *Stage) {
	switch {
	case s.Turn == nil:
	case s.Turn.changed():
		r.Managing.Barren = 0
		answerBack(r, s.Turn)
		r.Driving.Changes = slices.DeleteFunc(r.Driving.Changes, func(c Changes) bool { return s.Turn.sawChange(c.ID) })
	case r.Idle():
		r.Managing.Barren++
	}
}

// changed reports a turn that did something about what it was woken for. Words
// alone are something only if a person waits for them.
func (t *Turn) changed() bool {
	spokenTo := slices.ContainsFunc(t.Wakes, func(w Wake) bool {
		return w.Kind == WakeMessage || w.Kind == WakeAnswer || w.Kind == WakeChanges
	})
	return slices.ContainsFunc(t.Deeds, func(d Deed) bool { return d.Refused == "" && (d.Tool != ToolMessage || spokenTo) })
}

func (t *Turn) sawChange(id string) bool {
	return slices.ContainsFunc(t.Wakes, func(w Wake) bool { return w.Kind == WakeChanges && w.Subject == id })
}

// Idle reports a run whose manager could act, and which waits for nothing else:
// no work, no person, no review of what is published.
func (r *Run) Idle() bool {
	published := r.PullRequest != nil && r.PullRequest.Commit == r.Verified && len(r.Driving.Changes) == 0 && len(r.OpenLines()) == 0
	return len(r.Questions) == 0 && !r.UnderWay() && !published
}

// OpenLines are the branches of the run that are neither merged nor given up.
func (r *Run) OpenLines() []*Stage {
	var lines []*Stage
	for _, s := range r.Stages {
		if s.Branch != "" && !s.Status.Closed() {
			lines = append(lines, s)
		}
	}
	return lines
}

// UnderWay reports that something was begun that the run will hear of again.
// What waits for others is not: they are under way themselves, or it is for the
// manager to end them.
func (r *Run) UnderWay() bool {
	for s, t := range r.tasks() {
		if a := t.Last(); s.ID != ManagerStage && (t.Status == TaskVerifying || a != nil && a.Status.Active()) {
			return true
		}
	}
	return r.Managing.PlanProposed != nil || r.Driving.PlanWrite != nil ||
		first(r.Managing.Delegations, func(d *Delegation) bool { return d.Status == DelegationOpen }) != nil
}

// did notes what a turn's agent had done. What a worker says meanwhile is none
// of the manager's deeds.
func did(r *Run, e Event, d Deed) {
	a := r.Turning()
	if e.Actor.Kind != ActorAgent || a == nil || a.ID != e.Actor.ID || r.Manager().Turn == nil {
		return
	}
	turn := r.Manager().Turn
	turn.Calls++
	d.Text = clipped(d.Text, 200)
	turn.Deeds = append(turn.Deeds, d)
}

func taskProposed(r *Run, e Event, b TaskProposed) {
	r.Managing.Delegated++
	r.Managing.Delegations = append(r.Managing.Delegations, &Delegation{
		ID: b.Delegation, Key: b.Proposal.Key(), Proposal: b.Proposal, Status: DelegationWaiting, Event: e.ID, By: e.Actor,
	})
	hear(r, e, ToolDelegate, b.Call, b.Delegation)
	did(r, e, Deed{Tool: ToolDelegate, Key: b.Proposal.Key(), Subject: b.Delegation, Text: b.Proposal.Name()})
	forget(r)
}

// Name is what a proposal is called in a line of text.
func (p Proposal) Name() string {
	switch {
	case p.Title != "":
		return p.Title
	case p.Prompt != "":
		first, _, _ := strings.Cut(p.Prompt, "\n")
		return clipped(first, 80)
	}
	return strings.TrimSpace(string(p.Kind) + " " + p.Line)
}

func taskRefused(r *Run, e Event, b TaskRefused) {
	d := r.Delegation(b.Delegation)
	d.Status, d.Reason = DelegationRefused, b.Reason
	if e.Cause != d.Event {
		wake(r, e, d.wake("refused", b.Reason))
		return
	}
	if s := r.Manager(); s != nil && s.Turn != nil {
		for i := range s.Turn.Deeds {
			if s.Turn.Deeds[i].Subject == d.ID {
				s.Turn.Deeds[i].Refused = b.Reason
			}
		}
	}
}

func (d *Delegation) wake(status, text string) Wake {
	return Wake{Kind: WakeTask, Subject: d.ID, Task: d.Proposal.Kind, Status: status, Text: text}
}

// take links a delegation to the task that does its work.
func take(r *Run, b TaskAdmitted) {
	if d := r.Delegation(b.Delegation); d != nil {
		d.Status, d.Stage, d.Task = DelegationOpen, b.Stage, b.Task
	}
}

// OpenOn is the delegation that a stage works on; nil if there is none.
func (r *Run) OpenOn(stage string) *Delegation {
	return first(r.Managing.Delegations, func(d *Delegation) bool { return d.Stage == stage && d.Status == DelegationOpen })
}

// conclude ends the delegation that a stage works on and tells the manager.
func conclude(r *Run, e Event, s *Stage, t *Task, status DelegationStatus, text string) {
	d := r.OpenOn(s.ID)
	if d == nil {
		return
	}
	d.Status = status
	if status == DelegationFailed {
		d.Reason = clipped(text, keptWake)
	}
	w := d.wake(string(status), text)
	w.Branch = s.Branch
	first := max(slices.IndexFunc(s.Tasks, func(t *Task) bool { return t.ID == d.Task }), 0)
	for _, own := range s.Tasks[first:] { // what came before on the line was told of before
		for _, a := range own.Attempts {
			cost := a.Cost()
			w.Elapsed, w.CostUSD, w.Unpriced = w.Elapsed+a.Duration, SumUSD(w.CostUSD, cost.Known()), w.Unpriced+cost.Unpriced
		}
	}
	w.report(r, s, t, s.Tasks[first:])
	if a := t.Last(); status == DelegationDone && a != nil && a.Review != nil {
		w.Status, w.Text = string(a.Review.Status), reviewText(a.Review)
	}
	wake(r, e, w)
}

// report adds what the work left to be read: the words of who did it, and what
// became of its branch or its pull request.
func (w *Wake) report(r *Run, s *Stage, t *Task, own []*Task) {
	if w.Status == string(DelegationDone) && t.Act == ActPullRequest {
		w.Request = r.PullRequest.URL
	}
	if s.Note != nil && (t.Act == ActMerge || t.Kind == KindResolve) {
		note := *s.Note
		w.Merge = &note
	}
	for _, t := range own {
		switch a := t.Last(); {
		case a == nil || a.Review != nil: // a review is told of by its verdict
		case t.Kind != KindResolve:
			w.Summary = clipped(a.Summary, keptWords)
		case w.Merge != nil:
			w.Merge.Words = clipped(a.Summary, keptWords)
		}
	}
}

func reviewText(review *Review) string {
	var b strings.Builder
	b.WriteString(review.Reason)
	for _, f := range review.Findings {
		fmt.Fprintf(&b, "\n- %s:%d %s", f.File, f.Line, f.Issue)
	}
	return strings.TrimSpace(b.String())
}

// workVerified ends a delegation whose work was verified, unless it is merged
// first.
func workVerified(r *Run, e Event, t *Task) {
	s := r.Stage(t.Stage)
	if t.Kind == KindResolve || r.Merges(s) && t.Writes == WritesCode && s.Line != "" && s.Line != s.Base {
		return
	}
	conclude(r, e, s, t, DelegationDone, "")
}

func taskFailed(r *Run, e Event, b TaskFailed) {
	t := r.Task(b.Task)
	s := r.Stage(t.Stage)
	if t.Writes == WritesCode && t.Act == "" {
		if left := t.WorkingCommit(s.Start()); left != s.Start() {
			abandon(r, left, "left unverified by "+t.ID+", which failed")
		}
	}
	t.Status = TaskDropped
	conclude(r, e, s, t, DelegationFailed, b.Reason)
}

func planProposed(r *Run, e Event, b PlanProposed) {
	r.Managing.PlanProposed = &PlanWrite{Event: e.ID, Files: b.Files, Message: b.Message}
	hear(r, e, ToolPlan, b.Call, "")
	did(r, e, Deed{Tool: ToolPlan, Subject: e.ID, Text: b.Message})
}

func toolRefused(r *Run, b ToolRefused) {
	if _, _, a := r.Attempt(b.Attempt); a != nil {
		a.Refused++
	}
	if a := r.Turning(); a != nil && a.ID == b.Attempt && r.Manager().Turn != nil {
		turn := r.Manager().Turn
		turn.Calls++
		turn.Deeds = append(turn.Deeds, Deed{Tool: b.Tool, Refused: clipped(b.Reason, 200)})
	}
}

func detailFetched(r *Run, e Event) {
	if _, _, a := r.Attempt(e.Actor.ID); a != nil {
		a.Fetched++
	}
}

// validated ends a look at the run's branch. That it was looked at is what the
// stage is for; what was seen is for the manager.
func validated(r *Run, e Event, b ValidateConcluded) {
	t := r.Task(b.Task)
	if b.First {
		looked(r, e, t, b)
		return
	}
	s := r.Stage(t.Stage)
	if b.Error != "" {
		t.Status, s.Trouble = TaskWaiting, b.Error
		t.Infra++
		t.NotBefore = e.At.Add(backoff(t.Infra))
		return
	}
	t.Status, s.Trouble = TaskDone, ""
	status, text := DelegationDone, "every check of the run's branch passes"
	if !b.Passed {
		status, text = DelegationFailed, "the run's branch does not pass "+failures(r, b.Results)
	}
	conclude(r, e, s, t, status, text)
}

// unpublish takes back what was about to be published, if a manager is to
// look first: somebody had something to say.
func unpublish(r *Run, e Event, reason string) {
	s := r.Stage(PublishStage)
	if !r.ByManager() || s == nil || s.Status != StageOpen && s.Status != StageGated {
		return
	}
	for _, t := range s.Tasks {
		if t.Status == TaskRunning || t.Status == TaskDone {
			return
		}
	}
	for _, t := range s.Tasks {
		conclude(r, e, s, t, DelegationFailed, reason)
		t.Status = TaskDropped
	}
	s.Status, s.Gate, s.ClosedAt = StageOmitted, nil, r.Now()
	if r.Status == StatusAwaiting {
		r.Status = StatusActive
	}
	if r.Pause != nil && r.Pause.From == StatusAwaiting {
		r.Pause.From = StatusActive
	}
}

// resumeWakes reports a pause after which the manager has to look: it was
// paused for what it did or left undone, what it did last is void, or it could
// not act when it wanted to.
func resumeWakes(r *Run) bool {
	switch {
	case r.Pause.Code == PauseBarren, r.Pause.Code == PauseSterile:
		return true
	case r.PullRequest != nil && r.PullRequest.State == PullRequestClosed:
		return true
	}
	return r.InTurn() && r.Manager().Turn != nil &&
		slices.ContainsFunc(r.Manager().Turn.Deeds, func(d Deed) bool { return d.Refused != "" })
}

// stir notes when something last happened, for who watches over a silent run.
func stir(r *Run, e Event) {
	switch e.Type {
	case TypeTimerFired, TypePersonNotified, TypeCommandRefused, TypeProjectSpent:
	default:
		r.Stirred = e.At
	}
}

// WatchdogAt is when a silent manager is to be woken; zero if it is not.
func (r *Run) WatchdogAt() time.Time {
	if !r.ByManager() || r.Status != StatusActive || r.InTurn() || len(r.Managing.Wakes) > 0 || !r.Idle() || r.Playbook.Project.Watch == nil {
		return time.Time{}
	}
	watch := r.Playbook.Project.Watch
	at := r.Stirred.Add(watch.Silent)
	if watch.Every <= 0 {
		return at
	}
	looks := (at.Sub(r.StartedAt) + watch.Every - 1) / watch.Every
	return r.StartedAt.Add(looks * watch.Every)
}
