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
	if slices.ContainsFunc(r.Wakes, func(o Wake) bool { return o.Kind == w.Kind && o.Subject == w.Subject && w.Subject != "" }) {
		return
	}
	if len(r.Wakes) >= keptWakes {
		r.Missed++
		return
	}
	w.Event, w.At, w.Text = e.ID, e.At, clipped(w.Text, keptWake)
	r.Wakes = append(r.Wakes, w)
}

// beginTurn hands the manager what it was woken for, and what people want
// changed for as long as it did nothing about that.
func beginTurn(r *Run, s *Stage, b StageOpened) {
	s.Turn = &Turn{Wakes: r.Wakes, Missed: r.Missed}
	r.Wakes, r.Missed = nil, 0
	for _, c := range r.Changes {
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
		r.Barren = 0
		r.Changes = slices.DeleteFunc(r.Changes, func(c Changes) bool { return s.Turn.sawChange(c.ID) })
	case r.Idle():
		r.Barren++
	}
}

// changed reports a turn that did something about what it was woken for. Words
// alone are something only where a person waits for them.
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
	published := r.PullRequest != nil && r.PullRequest.Commit == r.Verified && len(r.Changes) == 0 && len(r.OpenLines()) == 0
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
	if r.open() {
		return true
	}
	for _, s := range r.Stages {
		for _, t := range s.Tasks {
			if a := t.Last(); s.ID != ManagerStage && (t.Status == TaskVerifying || a != nil && a.Status.Active()) {
				return true
			}
		}
	}
	return r.Draft != nil || r.PlanWrite != nil
}

// open reports delegated work that was begun and is not over.
func (r *Run) open() bool {
	return slices.ContainsFunc(r.Delegations, func(d *Delegation) bool { return d.Status == DelegationOpen })
}

// did notes what a turn's agent had done.
func did(r *Run, e Event, d Deed) {
	if e.Actor.Kind != ActorAgent || !r.InTurn() || r.Manager().Turn == nil {
		return
	}
	turn := r.Manager().Turn
	turn.Calls++
	d.Text = clipped(d.Text, 200)
	turn.Deeds = append(turn.Deeds, d)
}

func messageSent(r *Run, e Event, b MessageSent) {
	r.Said++
	r.Talk = append(r.Talk, Message{Event: e.ID, Voice: b.Voice, By: e.Actor.ID, Text: clipped(b.Text, keptMessage), At: e.At})
	if n := len(r.Talk) - keptTalk; n > 0 {
		r.Talk = slices.Delete(r.Talk, 0, n)
	}
	did(r, e, Deed{Tool: ToolMessage, Text: b.Text})
	if _, _, a := r.Attempt(e.Actor.ID); e.Actor.Kind == ActorAgent && a != nil {
		a.Said++
	}
	if e.Actor.Kind == ActorPerson {
		wake(r, e, Wake{Kind: WakeMessage, Text: b.Text})
		unpublish(r, e, "a person spoke before it was published")
	}
}

func questionAsked(r *Run, e Event, b QuestionAsked) {
	q := Question{ID: b.ID, Text: clipped(b.Text, keptMessage), Asker: e.Actor.ID, Default: b.Default, At: e.At}
	if b.Default != "" {
		q.Due = e.At.Add(b.After)
	}
	r.Questions = append(r.Questions, q)
	did(r, e, Deed{Tool: ToolQuestion, Key: b.ID, Subject: b.ID, Text: b.Text})
}

func questionAnswered(r *Run, e Event, b QuestionAnswered) {
	q := *r.Question(b.ID)
	r.Questions = slices.DeleteFunc(r.Questions, func(o Question) bool { return o.ID == b.ID })
	r.Answers = append(r.Answers, Answer{Question: q, Text: clipped(b.Text, keptMessage), By: e.Actor.ID, Default: b.Default, At: e.At})
	if n := len(r.Answers) - keptAnswers; n > 0 { // in few words, so that it is never asked again
		old := &r.Answers[n-1]
		*old = Answer{Question: Question{ID: old.Question.ID, Text: clipped(old.Question.Text, keptAnswer)}, Text: clipped(old.Text, keptAnswer), At: old.At}
	}
	wake(r, e, Wake{Kind: WakeAnswer, Subject: b.ID, Text: b.Text})
	if r.Pause != nil && r.Pause.Code == PauseQuestion { // for the next question it pauses again
		r.Status = r.Pause.From
		clearTrouble(r)
	}
}

func taskProposed(r *Run, e Event, b TaskProposed) {
	r.Delegated++
	r.Delegations = append(r.Delegations, &Delegation{
		ID: b.Delegation, Key: b.Proposal.Key(), Proposal: b.Proposal, Status: DelegationWaiting, Event: e.ID,
	})
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

// forget lets go of what is over for long: the events have it.
func forget(r *Run) {
	over := 0
	for _, d := range r.Delegations {
		if d.Status.Over() {
			over++
		}
	}
	r.Delegations = slices.DeleteFunc(r.Delegations, func(d *Delegation) bool {
		if d.Status.Over() && over > keptDelegations {
			over--
			return true
		}
		return false
	})
	for _, d := range r.Delegations {
		if d.Status.Over() {
			d.Proposal.Prompt, d.Proposal.Checks = clipped(d.Proposal.Prompt, keptPrompt), nil
		}
	}
	r.Stages = slices.DeleteFunc(r.Stages, func(s *Stage) bool {
		if !r.forgettable(s) {
			return false
		}
		if s.Branch != "" && !r.Was(s.ID) { // its name can be used again
			r.retire(s)
		}
		return true
	})
}

// forgettable reports a line that was merged or given up, whose ref is gone, and
// which the state speaks of nowhere else.
func (r *Run) forgettable(s *Stage) bool {
	line := s.Branch != "" && !strings.HasPrefix(s.ID, stepPrefix) && s.Wish == nil || r.Was(s.ID)
	if !r.ByManager() || !line || !s.Status.Closed() || s.LineAt != "" {
		return false
	}
	for _, d := range r.Delegations {
		if d.ID == s.ID || d.Stage == s.ID {
			return false
		}
	}
	for _, t := range s.Tasks {
		if t.Status == TaskVerifying {
			return false
		}
		if a := t.Last(); a != nil && a.Status.Active() {
			return false
		}
	}
	return true
}

// retire remembers how often a line was begun, so that its branches and tasks
// are never called as they were before.
func (r *Run) retire(s *Stage) {
	if r.Rounds == nil {
		r.Rounds = Rounds{}
	}
	r.Rounds[s.ID] = s.Round
}

// file keeps the documents that a line handed in, the newest of each name.
func file(r *Run, s *Stage) {
	for _, t := range s.Tasks {
		for _, name := range t.Outputs {
			a := t.Delivered().Artifact(name)
			if t.Status != TaskDone || a == nil {
				continue
			}
			r.Documents = slices.DeleteFunc(r.Documents, func(old Artifact) bool { return old.Name == name })
			r.Documents = append(r.Documents, *a)
		}
	}
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

// OpenOn is the delegation that a stage works on; nil where there is none.
func (r *Run) OpenOn(stage string) *Delegation {
	for _, d := range r.Delegations {
		if d.Stage == stage && d.Status == DelegationOpen {
			return d
		}
	}
	return nil
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
	for _, other := range s.Tasks {
		for _, a := range other.Attempts {
			w.Elapsed, w.CostUSD = w.Elapsed+a.Duration, w.CostUSD+a.Usage.CostUSD
		}
	}
	if a := t.Last(); status == DelegationDone && a != nil && text == "" {
		w.Text = a.Summary
	}
	if a := t.Last(); status == DelegationDone && a != nil && a.Review != nil {
		w.Status, w.Text = string(a.Review.Status), reviewText(a.Review)
	}
	wake(r, e, w)
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
	r.Draft = &PlanDraft{Event: e.ID, Files: b.Files, Message: b.Message}
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

// validated ends a look at the run's branch. That it was looked at is what the
// stage is for; what was seen is for the manager.
func validated(r *Run, e Event, b ValidateConcluded) {
	t := r.Task(b.Task)
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
		status, text = DelegationFailed, "the run's branch does not pass "+failures(b.Results)
	}
	conclude(r, e, s, t, status, text)
}

// unpublish takes back what was about to be published, where a manager is to
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

// swapped lets another playbook drive the project.
func swapped(r *Run, e Event, b PlaybookSwapped) {
	playbook, before := b.Playbook, r.ByManager()
	if r.InTurn() {
		breakOff(r, r.Manager())
	}
	r.Playbook, r.Barren = &playbook, 0
	if r.Pause != nil {
		switch r.Pause.Code {
		case PauseAttempts, PauseInfra, PauseInput, PauseBarren: // of who drove it before
			r.Pause.Code, r.Pause.Stage = PausePerson, ""
			r.Pause.Reason, r.Pause.Next = "the playbook "+playbook.Name+" is to drive the project from here on", "`stellwerk resume "+r.Alias+"`"
		default:
		}
	}
	if !r.ByManager() {
		r.Wakes, r.Missed = nil, 0 // nobody is left to be woken
		closeDone(r)
		return
	}
	if !before {
		takeOver(r)
	}
	wake(r, e, Wake{Kind: WakeEpic, Text: "the project was handed over to you"})
}

// breakOff ends a turn whose agent has ended and whose manager is replaced. What
// it was woken for is for who comes next.
func breakOff(r *Run, s *Stage) {
	for _, t := range s.Tasks {
		t.Status = TaskDropped
	}
	if s.Turn != nil && !s.Turn.changed() {
		r.Wakes, r.Missed = append(slices.Clone(s.Turn.Wakes), r.Wakes...), r.Missed+s.Turn.Missed
	}
	s.Status, s.ClosedAt = StageOmitted, r.Now()
}

// closeDone closes what came to its end while the run was paused, and which the
// rules know nothing of.
func closeDone(r *Run) {
	for _, s := range r.Stages {
		validated := r.Was(s.ID) && s.Branch == "" && s.TasksDone()
		if !s.Status.Closed() && (validated || s.Merged != "") {
			s.Status, s.Commit, s.ClosedAt = StageDone, r.Head, r.Now()
		}
	}
}

// takeOver leaves a manager what was verified of the rules' work: the lines that
// are open. What was tried and not verified is kept under a ref; what only the
// rules would have gone on with is closed.
func takeOver(r *Run) {
	if s := r.Stage(PlanStage); s != nil && s.Merged == "" {
		r.retire(s) // its plan is not the project's, and never will be
		r.Stages = slices.DeleteFunc(r.Stages, func(o *Stage) bool { return o == s })
	}
	for _, s := range r.Stages {
		if s.Status == StageDone && s.Branch != "" {
			file(r, s)
		}
		if s.Status.Closed() {
			continue
		}
		for _, t := range s.Tasks {
			if t.Status != TaskWaiting && t.Status != TaskDelivered {
				continue
			}
			if left := t.WorkingCommit(s.Start()); t.Writes == WritesCode && t.Act == "" && left != s.Start() {
				abandon(r, left, "left unverified by "+t.ID+", before a manager took over")
			}
			t.Status = TaskDropped
		}
		if s.Branch == "" || s.Status == StageStale {
			s.Status, s.Gate, s.Next, s.Trouble, s.ClosedAt = StageOmitted, nil, nil, "", r.Now()
		}
	}
}

// stir notes when something last happened, for who watches over a silent run.
func stir(r *Run, e Event) {
	switch e.Type {
	case TypeTimerFired, TypePersonNotified, TypeCommandRefused:
	default:
		r.Stirred = e.At
	}
}

// WatchdogAt is when a silent manager is to be woken; zero where it is not.
func (r *Run) WatchdogAt() time.Time {
	if !r.ByManager() || r.Status != StatusActive || r.InTurn() || len(r.Wakes) > 0 || !r.Idle() || r.Playbook.Project.Watch == nil {
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
