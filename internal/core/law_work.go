package core

import "slices"

// lawOpen: stages are opened in order, each round once, from the work as it is.
func lawOpen(r *Run, b StageOpened) error {
	if r.Managed() {
		return lawOpenManaged(r, b)
	}
	if current := r.Current(); current == nil || current.ID != b.Stage {
		return unlawful("stage %s is opened out of order", b.Stage)
	}
	if s := r.Stage(b.Stage); b.Round != s.Round+1 {
		return unlawful("stage %s: round %d cannot follow round %d", b.Stage, b.Round, s.Round)
	}
	if b.Base == "" || b.Base != r.Head {
		return unlawful("stage %s: a round starts from the work as it is, not from %q", b.Stage, b.Base)
	}
	return nil
}

// lawAdmit is law 3: no task has more attempts than the run allows.
func lawAdmit(r *Run, b TaskAdmitted) error {
	if b.Attempts < 1 && b.Act == "" || b.Attempts > r.Limits.Attempts {
		return unlawful("task %s asks for %d attempts, the run allows %d", b.Task, b.Attempts, r.Limits.Attempts)
	}
	if b.Round != r.Stage(b.Stage).Round {
		return unlawful("task %s is not of the stage's current round", b.Task)
	}
	if err := lawFirst(r, b); err != nil {
		return err
	}
	if (b.Kind == KindManage) != (b.Stage == ManagerStage && r.Drives()) {
		return unlawful("task %s: a manager's turn is a stage of its own", b.Task)
	}
	if (b.Kind == KindWave) != (b.Stage == PlannerStage && r.ByWaves()) {
		return unlawful("task %s: a planner's round is a stage of its own", b.Task)
	}
	if r.Worn(r.Stage(b.Stage), b.Kind) {
		return unlawful("task %s: line %s had all its tasks of kind %s", b.Task, b.Stage, b.Kind)
	}
	if r.ByWaves() {
		if err := lawBegin(r, b); err != nil {
			return err
		}
	}
	if d := r.Delegation(b.Delegation); b.Delegation != "" && (d == nil || d.Status != DelegationWaiting) {
		return unlawful("task %s: delegation %s does not wait to be begun", b.Task, b.Delegation)
	}
	return nil
}

// lawReduce: a team goes on without a specialist only if the playbook names
// who does the work then, and only once every specialist has handed in or has
// used up what it had. Nobody's work is given up while it is under way.
func lawReduce(r *Run, b TeamReduced) error {
	s := r.Stage(b.Stage)
	phase := r.Playbook.Phase(b.Stage)
	switch {
	case s != r.Current() || b.Round != s.Round:
		return unlawful("stage %s is not at round %d", s.ID, b.Round)
	case phase == nil || phase.Team == nil || phase.Team.Fallback == "" || phase.Team.Fallback != b.Role:
		return unlawful("stage %s: the playbook does not let %q do it alone", s.ID, b.Role)
	case s.Reduced != "":
		return unlawful("stage %s: its team was given up before", s.ID)
	}
	drop, ok := r.Reducible(s)
	if !ok || !slices.Equal(drop, b.Dropped) {
		return unlawful("stage %s: its specialists have not all come to an end", s.ID)
	}
	return nil
}

// lawAttempt is law 1 (inputs, dependencies, capabilities, one writer), law 3
// (a bounded number of attempts) and law 10 (within the limits).
func lawAttempt(r *Run, b AttemptRequested) error {
	t := r.Task(b.Task)
	if t == nil {
		return unlawful("attempt %s: no task %s in the current rounds", b.Attempt, b.Task)
	}
	s := r.Stage(t.Stage)
	switch {
	case s.Status != StageOpen || s != r.Current() && !r.Managed():
		return unlawful("attempt %s: stage %s is not open", b.Attempt, s.ID)
	case t.Status != TaskWaiting:
		return unlawful("attempt %s: the task is %s", b.Attempt, t.Status)
	case b.N != t.Requested+1 || b.Attempt != AttemptID(t.ID, b.N):
		return unlawful("attempt %s is not the task's next", b.Attempt)
	case t.Counted >= t.Limit:
		return unlawful("task %s has used its %d attempts of this round", t.ID, t.Limit)
	case b.Base != r.From(s, t):
		return unlawful("attempt %s does not start from the round's work", b.Attempt)
	case r.Now().Before(t.NotBefore):
		return unlawful("task %s is not to be tried before %s", t.ID, t.NotBefore)
	}
	if err := lawAllowance(r, b); err != nil {
		return err
	}
	if err := lawInputs(r, t); err != nil {
		return err
	}
	if err := lawRole(r, t); err != nil {
		return err
	}
	return lawOneWriter(r, t)
}

func lawInputs(r *Run, t *Task) error {
	for _, in := range t.Inputs {
		if !in.Optional && r.Artifact(in.Name) == nil {
			return unlawful("task %s lacks its input %s", t.ID, in.Name)
		}
	}
	for _, dep := range t.DependsOn {
		if d := r.Task(dep); d == nil || d.Status != TaskDone {
			return unlawful("task %s depends on %s, which is not done", t.ID, dep)
		}
	}
	return nil
}

func lawRole(r *Run, t *Task) error {
	if t.Act != "" {
		return unlawful("task %s is the engine's own act: no agent may do it", t.ID)
	}
	role, ok := r.Playbook.Roles[t.Role]
	if !ok {
		return unlawful("task %s: no role %q in the playbook", t.ID, t.Role)
	}
	for _, need := range t.Needs {
		if !slices.Contains(role.Capabilities, need) {
			return unlawful("task %s needs the capability %q, which role %s does not have", t.ID, need, t.Role)
		}
	}
	return nil
}

func lawOneWriter(r *Run, t *Task) error {
	if t.Writes != WritesCode {
		return nil
	}
	own := r.Stage(t.Stage).Branch
	for s, other := range r.tasks() {
		if a := other.Last(); other != t && other.Writes == WritesCode && s.Branch == own && a != nil && a.Status.Active() {
			return unlawful("task %s: attempt %s is writing the same branch", t.ID, a.ID)
		}
	}
	return nil
}

// lawAttemptStep holds the attempt machine. An event about an attempt that has
// ended is a conflict: a repeated observation, dropped by who reports it.
func lawAttemptStep(r *Run, t Type, attempt string) error {
	_, _, a := r.Attempt(attempt)
	if a == nil {
		return Errorf(CodeConflict, "attempt %s is not of a current round", attempt)
	}
	if _, allowed := AttemptNext(a.Status, t); !allowed {
		return Errorf(CodeConflict, "attempt %s is %s: %s is not possible now", attempt, a.Status, t)
	}
	return nil
}

func lawVerify(r *Run, b VerifyRequested) error {
	t := r.Task(b.Task)
	switch {
	case t == nil:
		return unlawful("no task %s in the current rounds", b.Task)
	case t.Act == ActMerge:
		return lawMerge(r, t)
	case t.Act == ActValidate:
		if t.Status != TaskWaiting {
			return unlawful("task %s: the run's branch is looked at already", t.ID)
		}
	case t.Act != "":
		if t.Status != TaskWaiting || !b.Fresh {
			return unlawful("task %s: publishing is verified again, without memory", t.ID)
		}
	case t.ToLook() && b.Attempt == "" && b.Fresh:
	case t.Status != TaskDelivered || t.Last() == nil || t.Last().ID != b.Attempt:
		return unlawful("task %s has nothing to verify", b.Task)
	}
	return nil
}

func lawVerdict(r *Run, b VerifyConcluded) error {
	_, t, a := r.Attempt(b.Attempt)
	if a == nil || t.ID != b.Task {
		return Errorf(CodeConflict, "attempt %s is not of a current round", b.Attempt)
	}
	if t.Status != TaskVerifying || t.Last() != a {
		return Errorf(CodeConflict, "task %s is not being verified", b.Task)
	}
	if b.Passed && (!a.Delivery.Sound(t.Writes) || b.Error != "") {
		return unlawful("attempt %s handed nothing in that could pass", b.Attempt)
	}
	if b.Passed && r.ByWaves() && (t.Kind == KindWave && b.Decision == nil || t.Kind == KindWork && r.Waves.Work(t.Stage) != nil && b.Output == nil) {
		return unlawful("attempt %s passed, and what it said is not told", b.Attempt)
	}
	return nil
}

func lawTaskIs(r *Run, task string, want TaskStatus) error {
	t := r.Task(task)
	if t == nil || t.Act == "" || t.Status != want {
		return Errorf(CodeConflict, "task %s is not %s", task, want)
	}
	return nil
}
