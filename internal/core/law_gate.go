package core

import (
	"slices"
	"strconv"
)

// lawAsk: a person is asked about what is there, and only once it is verified.
func lawAsk(r *Run, b ApprovalRequested) error {
	s := r.Stage(b.Subject.Stage)
	if err := lawVerified(s); err != nil {
		return err
	}
	if b.Subject != GateSubject(r, s) || b.Subject.Commit != r.Head {
		return unlawful("stage %s: the approval asked for is not about what was handed in", s.ID)
	}
	if skips, _ := ProposedSkips(r, s); !slices.Equal(b.Skips, skips) {
		return unlawful("stage %s: what the approval would leave out is not what the plan proposes", s.ID)
	}
	if !slices.Equal(b.Leaks, Leaks(s)) {
		return unlawful("stage %s: the approval asked for does not name what looks like a secret", s.ID)
	}
	return nil
}

// Leaks are the places that look like a secret in what the stage would publish.
func Leaks(s *Stage) []Leak {
	for _, t := range s.Tasks {
		if t.Act != "" && t.Prepared != nil {
			return t.Prepared.Leaks
		}
	}
	return nil
}

// lawVerified is law 2: only deliveries of this round whose checks passed
// count. An act has no delivery; it counts once it is prepared.
func lawVerified(s *Stage) error {
	live := s.Live()
	if len(live) == 0 {
		return unlawful("stage %s has no work in round %d", s.ID, s.Round)
	}
	for _, t := range live {
		if t.Act == ActMerge || t.Act == ActValidate || t.Kind == KindManage {
			if t.Status != TaskDone {
				return unlawful("task %s has not come to its end", t.ID)
			}
			continue
		}
		if t.Act != "" {
			if t.Prepared == nil {
				return unlawful("task %s is not prepared", t.ID)
			}
			continue
		}
		if t.Status == TaskDone && t.First && t.Found != "" {
			continue
		}
		a := t.Last()
		if t.Status != TaskDone || a == nil || a.Verdict != VerdictPassed || a.Delivery == nil {
			return unlawful("task %s has no delivery of round %d whose checks passed", t.ID, s.Round)
		}
	}
	return nil
}

// GateSubject is what an approval of the stage speaks of, as things are now.
func GateSubject(r *Run, s *Stage) Subject {
	for _, t := range s.Tasks {
		if t.Act != "" && t.Prepared != nil {
			return t.Prepared.Subject
		}
	}
	return Subject{Stage: s.ID, Round: s.Round, Delivery: s.Digest(), Commit: r.Head}
}

// lawApprove is law 13: bound to one subject, single use, a person's word or a
// policy recorded as one.
func lawApprove(r *Run, actor Actor, b ApprovalGranted) error {
	s := r.Stage(b.Subject.Stage)
	if s.Gate == nil || s.Gate.Approved {
		return Errorf(CodeConflict, "stage %s is not waiting for an approval", s.ID)
	}
	if actor.Kind == ActorPolicy && !r.standing(s) {
		return Errorf(CodeForbidden, "no standing instruction approves stage %s", s.ID)
	}
	if b.Subject != s.Gate.Subject || b.Subject != GateSubject(r, s) {
		return Errorf(CodeConflict, "stage %s changed since you looked at it", s.ID).
			WithHint("look again, then approve").Offer(r.Choices(VerbStatus)...)
	}
	return lawLeaks(r, actor, b, s)
}

// lawLeaks is law 11 at the gate: what looks like a secret is published only on a
// person's word that says so, for exactly this delivery.
func lawLeaks(r *Run, actor Actor, b ApprovalGranted, s *Stage) error {
	n := len(Leaks(s))
	switch {
	case n == 0 && b.WithLeaks:
		return Errorf(CodeInvalid, "stage %s: nothing in it looks like a secret", s.ID).WithHint("approve it without saying so")
	case n > 0 && !b.WithLeaks:
		return Errorf(CodeConflict, "what would be published has %s", looking(Places(Leaks(s)))).
			WithHint("have them taken out, or approve them if they are no secrets").Offer(r.Choices(VerbStatus, VerbApproveLeak)...)
	case n > 0 && actor.Kind != ActorPerson:
		return Errorf(CodeForbidden, "what looks like a secret is published on a person's own word only").
			WithHint("approve it in a terminal or in the cockpit").Offer(r.Choices(VerbApproveLeak)...)
	}
	return nil
}

func looking(places int) string {
	if places == 1 {
		return "1 place that looks like a secret"
	}
	return strconv.Itoa(places) + " places that look like a secret"
}

// Places counts what looks like a secret, what is not listed too.
func Places(leaks []Leak) int {
	n := 0
	for _, l := range leaks {
		n += max(1, l.Count)
	}
	return n
}

// lawPass is law 2 with the gate.
func lawPass(r *Run, b StagePassed) error {
	s := r.Stage(b.Stage)
	if s != r.Current() && !r.Managed() {
		return unlawful("stage %s passes out of order", s.ID)
	}
	if b.Round != s.Round {
		return unlawful("stage %s is in round %d, not %d", s.ID, s.Round, b.Round)
	}
	if err := lawVerified(s); err != nil {
		return err
	}
	if !s.TasksDone() {
		return unlawful("stage %s has unfinished tasks", s.ID)
	}
	if i := slices.IndexFunc(s.Tasks, func(t *Task) bool { return t.Found != "" && t.Found != r.Head }); i >= 0 {
		return unlawful("task %s was found done at %s, and the work is at %s", s.Tasks[i].ID, s.Tasks[i].Found, r.Head)
	}
	if s.Branch != "" && s.Merged == "" && s.Start() != s.Base {
		return unlawful("stage %s: its branch %s is not merged", s.ID, s.Branch)
	}
	if needsGate(r, s) && (s.Gate == nil || !s.Gate.Approved || s.Gate.Subject != GateSubject(r, s)) {
		return unlawful("stage %s waits for an approval", s.ID)
	}
	return nil
}

// needsGate reports a stage that passes only with an approval.
func needsGate(r *Run, s *Stage) bool {
	if r.Managed() {
		return s.ID == PublishStage || s.ID == PlanStage && r.Playbook.Project.PlanGate == GateApproval
	}
	phase := r.Playbook.Phase(s.ID)
	return phase == nil || phase.Gate == GateApproval || phase.Act != "" || requestsChanges(s)
}

func requestsChanges(s *Stage) bool {
	review := s.Review()
	return review != nil && review.Status == ReviewChangesRequested
}

// lawSkip is law 7: the playbook, a plan that was approved, or a person; never
// an agent or a decider's whim.
func lawSkip(r *Run, actor Actor, b StageSkipped) error {
	s := r.Stage(b.Stage)
	phase := r.Playbook.Phase(b.Stage)
	switch b.Source {
	case SkipPerson:
		if actor.Kind != ActorPerson && actor.Kind != ActorSession {
			return unlawful("stage %s: only a person skips a stage that the playbook wants", s.ID)
		}
		if s != r.Current() && !r.Managed() {
			return Errorf(CodeConflict, "stage %s is not the current stage", s.ID).
				WithHint("the run is at %s", currentID(r))
		}
		if r.Managed() && s.Branch == "" {
			return Errorf(CodeInvalid, "stage %s cannot be left out: without it the project comes to nothing", s.ID).
				WithHint("end the run").Offer(r.Choices(VerbCancel)...)
		}
		return lawStageIdle(r, s, "the stage cannot be skipped")
	case SkipPlaybook:
		if phase == nil || !phase.Skip {
			return unlawful("stage %s is not skipped by the playbook", s.ID)
		}
	case SkipWhen:
		if phase == nil || phase.When == "" || s.Condition == nil || *s.Condition {
			return unlawful("stage %s: its condition does not say to skip it", s.ID)
		}
	case SkipPlan:
		_, plan, planned := PlannedSkip(r, s)
		if !planned || b.Plan != plan || s != r.Current() {
			return unlawful("stage %s: no approved plan leaves it out", s.ID)
		}
	default:
		return unlawful("stage %s: unknown reason to skip it", s.ID)
	}
	return nil
}

func currentID(r *Run) string {
	if s := r.Current(); s != nil {
		return s.ID
	}
	return "its end"
}

// lawIdle protects what is under way from being pulled from under itself.
func lawIdle(r *Run, what string) error {
	if busy := r.Busy(); busy != "" {
		return Errorf(CodeConflict, "%s while %s is under way", what, busy).
			WithHint("wait for it, or stop it").Offer(r.Choices(VerbStop)...)
	}
	return nil
}

// lawStageIdle is lawIdle for a stage: in a managed run the others go on.
func lawStageIdle(r *Run, s *Stage, what string) error {
	if !r.Managed() {
		return lawIdle(r, what)
	}
	for _, t := range s.Tasks {
		if t.Status == TaskRunning || t.Status == TaskVerifying && (r.Pause == nil || !r.Pause.Stop) {
			return Errorf(CodeConflict, "%s while %s is under way", what, t.ID).
				WithHint("wait for it, or stop it").Offer(r.Choices(VerbStop)...)
		}
	}
	return nil
}

func lawFeedback(r *Run, b FeedbackGiven) error {
	s := r.Stage(b.Stage)
	if s != r.Current() {
		return Errorf(CodeConflict, "stage %s is not the current stage", s.ID).
			WithHint("redo an earlier stage").Offer(Choice{Verb: VerbRollback, Run: r.Alias, Stage: s.ID})
	}
	if phase := r.Playbook.Phase(s.ID); phase != nil && phase.Act != "" {
		return Errorf(CodeInvalid, "stage %s has no agent that could act on feedback", s.ID).
			WithHint("send it to the stage that should change").Offer(r.Choices(VerbRollback)...)
	}
	if r.Managed() && s.ID != PlanStage {
		return Errorf(CodeInvalid, "stage %s takes no feedback of its own", s.ID).
			WithHint("say what is to change about the work as a whole")
	}
	if b.Text == "" {
		return Errorf(CodeInvalid, "feedback needs words: what is to change?")
	}
	if err := lawShown(r, b.About); err != nil {
		return err
	}
	return lawIdle(r, "feedback cannot be given")
}

// lawShown is law 13 for every other word about a delivery: it holds for what
// the person was shown, and lapses when something else waits at the gate. Who
// names nothing speaks of what waits.
func lawShown(r *Run, about *Subject) error {
	if about == nil {
		return nil
	}
	s := r.Gated()
	if s == nil {
		s = r.Current()
	}
	if s != nil && s.Gate != nil && s.Gate.Subject == *about {
		return nil
	}
	return Errorf(CodeConflict, "what you were shown of stage %s is not what waits now", about.Stage).
		WithHint("look again").Offer(r.Choices(VerbStatus)...)
}

// lawUnmoved is lawShown for the work of a project as a whole, which a person is
// shown as a commit if no gate stands.
func lawUnmoved(r *Run, about *Subject) error {
	if about == nil || about.Stage != "" {
		return lawShown(r, about)
	}
	if about.Commit == r.Head {
		return nil
	}
	return Errorf(CodeConflict, "you were shown commit %.8s, and the work is at %.8s now", about.Commit, r.Head).
		WithHint("look again").Offer(r.Choices(VerbDiff)...)
}

func lawRollback(r *Run, actor Actor, b RolledBack) error {
	if r.Managed() {
		return Errorf(CodeInvalid, "a run that drives a project does not go back").
			WithHint("say what is to change").Offer(r.Choices(VerbFeedback)...)
	}
	target := r.Stage(b.Target)
	if target == nil {
		return noStage(r, b.Target)
	}
	if after(r, b.Target) {
		return Errorf(CodeConflict, "stage %s comes after %s, where the run is", b.Target, currentID(r)).
			WithHint("go on without this stage").Offer(r.Choices(VerbSkip)...)
	}
	if target.Status == StagePending {
		return Errorf(CodeConflict, "stage %s has not been reached: nothing to roll back to", b.Target)
	}
	if phase := r.Playbook.Phase(b.Target); phase != nil && phase.Act != "" {
		return Errorf(CodeInvalid, "stage %s is the engine's own act: there is nothing to redo", b.Target)
	}
	if err := lawShown(r, b.About); err != nil {
		return err
	}
	if actor.Kind == ActorDecider {
		if !b.Auto {
			return unlawful("a rollback without asking must say so")
		}
		if r.AutoRounds >= r.Limits.AutoRounds {
			return unlawful("the run has gone back %d times without asking", r.AutoRounds)
		}
	}
	return lawIdle(r, "the run cannot be rolled back")
}

// lawTarget: the target can be changed while a person is asked about it.
func lawTarget(r *Run, b TargetChosen) error {
	s := r.Gated()
	publishes := func(t *Task) bool { return t.Act == ActPullRequest }
	switch {
	case s == nil || s.Gate.Approved || !slices.ContainsFunc(s.Tasks, publishes):
		return Errorf(CodeConflict, "nothing waits to be published").Offer(r.Choices(VerbStatus)...)
	case b.Base == "" || b.Base == r.Branch:
		return Errorf(CodeInvalid, "%q cannot be the target of the pull request", b.Base)
	}
	return lawShown(r, b.About)
}

// after reports a stage that comes after the one the run is at.
func after(r *Run, stage string) bool {
	passed := false
	for _, s := range r.Stages {
		if passed && s.ID == stage {
			return true
		}
		passed = passed || s == r.Current()
	}
	return false
}

// lawPublish is laws 5 and 13: an approved subject, and exactly that.
func lawPublish(r *Run, b PublishRequested) error {
	t := r.Task(b.Task)
	if t == nil || t.Act == "" || t.Prepared == nil || t.Status != TaskDelivered {
		return unlawful("task %s is not prepared for publishing", b.Task)
	}
	s := r.Stage(t.Stage)
	if s.Gate == nil || !s.Gate.Approved || s.Gate.Subject != b.Subject || t.Prepared.Subject != b.Subject {
		return unlawful("publishing %s is not approved", b.Subject.Commit)
	}
	if len(t.Prepared.Leaks) > 0 && (!s.Gate.WithLeaks || s.Gate.By.Kind != ActorPerson) {
		return unlawful("publishing %s: nobody has said that what looks like a secret may be published", b.Subject.Commit)
	}
	if b.Subject.Commit != r.Head || b.Subject.Commit != r.Verified {
		return unlawful("what was approved is no longer the head of the run")
	}
	return nil
}

// lawPause: a pause is made stricter, or not at all. A question is one that an
// answer ends, also while the project stands still.
func lawPause(r *Run, b RunPaused) error {
	if r.Pause == nil || b.Stop && !r.Pause.Stop || b.Code == PauseProject && r.Pause.Code == PauseQuestion {
		return nil
	}
	return Errorf(CodeConflict, "the run is paused already").Offer(r.Choices(VerbStatus)...)
}

// lawResume: resuming must be able to change something, or the run would pause
// again at once.
func lawResume(r *Run, actor Actor, b RunResumed) error {
	if actor.Kind == ActorPolicy && (r.Pause == nil || r.Pause.Code != PauseProject) {
		return unlawful("the run was not paused with its project")
	}
	if r.Pause == nil {
		return nil
	}
	limits := r.Limits
	if b.Limits != nil {
		limits = *b.Limits
	}
	switch r.Pause.Code {
	case PauseAttempts, PauseInfra:
		return Errorf(CodeConflict, "%s", r.Pause.Reason).Advise(r.Pause.Advice)
	case PauseInput:
		if !r.Managed() { // only another stage can hand it in
			return Errorf(CodeConflict, "%s", r.Pause.Reason).Advise(r.Pause.Advice)
		}
	case PauseBudget, PauseProjectLimit:
		return lawRaised(r, limits)
	case PauseQuestion:
		if len(r.Questions) > 0 {
			q := r.Questions[0]
			return Errorf(CodeConflict, "run %s waits for an answer: %s", r.Alias, q.Text).
				WithHint("answer it").Offer(q.Ask().Choices...)
		}
	case PauseBarren, PausePerson, PauseSterile, PauseWall, PausePublish, PauseCondition, PauseAction, PauseUnlawful, PauseProject:
	}
	return nil
}
