package core

// A phase that is verified first is done if its checks hold on the run's
// branch as it is: then nobody is started for it. That is said by an event of its
// own, and only of checks that look at a tree. What somebody must change or hand
// in cannot be there already, so with it leftovers would pass (law 2).

// ToLook reports a task whose branch is to be looked at before anybody is
// started.
func (t *Task) ToLook() bool {
	return t.First && !t.Looked && t.Status == TaskWaiting && len(t.Attempts) == 0
}

// looking reports that this is under way.
func (t *Task) looking() bool { return t.First && !t.Looked && t.Act == "" && len(t.Attempts) == 0 }

// looked takes over what the look came to.
func looked(r *Run, e Event, t *Task, b ValidateConcluded) {
	if b.Error != "" {
		t.Status = TaskWaiting
		t.Infra++
		t.NotBefore, t.Trouble = e.At.Add(backoff(t.Infra)), b.Error
		return
	}
	t.Looked, t.Trouble = true, ""
	if !b.Passed {
		t.Status, t.Seen = TaskWaiting, b.Results
		return
	}
	t.Status, t.Found = TaskDone, b.Commit
	r.Sterile = 0
}

// TreeOnly reports a check that looks at a tree, and at nothing that somebody
// must have changed, handed in or said about it.
func TreeOnly(c Check) bool {
	switch c.Kind {
	case CheckCommand, CheckFiles:
		return true
	case CheckAll, CheckAny, CheckNot, "":
		for _, part := range c.Of {
			if !TreeOnly(part) {
				return false
			}
		}
		return len(c.Of) > 0
	case CheckChanged, CheckArtifact, CheckState, CheckGit, CheckPlan, CheckMerge, CheckAlone, CheckOutput, CheckDecision:
	}
	return false
}

// lawFirst: only a phase that says so is verified first, only if nothing else
// could show that it is done, and never in a round that somebody asked for: they
// want something changed.
func lawFirst(r *Run, b TaskAdmitted) error {
	if !b.VerifyFirst {
		return nil
	}
	s, phase := r.Stage(b.Stage), r.Playbook.Phase(b.Stage)
	switch {
	case phase == nil || !phase.VerifyFirst || b.Act != "" || phase.Team != nil:
		return unlawful("task %s: the playbook does not have it verified first", b.Task)
	case len(b.Outputs) > 0 || !TreeOnly(b.Done):
		return unlawful("task %s: what somebody must change or hand in is not there before", b.Task)
	case s.Reason != OpenAdvance && s.Reason != OpenRedo:
		return unlawful("task %s: this round was asked for, so somebody does it", b.Task)
	}
	return nil
}

// lawLooked: what a look came to is told once, of the branch as it is.
func lawLooked(r *Run, b ValidateConcluded) error {
	t := r.Task(b.Task)
	if t == nil || t.Status != TaskVerifying || t.Act != ActValidate && !t.looking() {
		return Errorf(CodeConflict, "task %s has no validation under way", b.Task)
	}
	if b.First != t.looking() {
		return unlawful("task %s: a validation before the work must say so, and no other may", b.Task)
	}
	if b.First && b.Passed && (b.Commit != r.Head || b.Error != "") {
		return unlawful("task %s: its checks did not run on the work as it is", b.Task)
	}
	return nil
}
