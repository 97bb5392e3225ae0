package core

import "slices"

// lawOpenManaged: a round of a managed run follows the round before it, starts
// from the work as it is, and has its branch to itself.
func lawOpenManaged(r *Run, b StageOpened) error {
	switch {
	case b.Round != r.NextRound(b.Stage):
		return unlawful("stage %s: round %d is not its next", b.Stage, b.Round)
	case b.Base == "" || b.Base != r.Head:
		return unlawful("stage %s: a round starts from the work as it is, not from %q", b.Stage, b.Base)
	case b.Branch == r.Branch:
		return unlawful("stage %s: the run's own branch is no step's", b.Stage)
	case b.Branch != "" && !r.ByWaves() && (r.Driving.Plan == nil || r.Driving.Plan.Digest == ""):
		return unlawful("stage %s: no work begins before there is a plan", b.Stage)
	}
	for _, s := range r.Stages {
		if b.Branch != "" && s.Branch == b.Branch && s.ID != b.Stage {
			return unlawful("stage %s: its branch %s is that of %s", b.Stage, b.Branch, s.ID)
		}
	}
	if b.Wish != "" && !slices.ContainsFunc(r.Driving.Changes, func(c Changes) bool { return c.ID == b.Wish }) {
		return unlawful("stage %s: nobody wants the change %q", b.Stage, b.Wish)
	}
	return nil
}

// lawMerge is law 5: what is merged was verified, and no review that was asked
// for stands against it; one merge at a time, and none while the plan is written.
func lawMerge(r *Run, t *Task) error {
	s := r.Stage(t.Stage)
	switch {
	case t.Status != TaskWaiting:
		return unlawful("task %s: the merge is %s", t.ID, t.Status)
	case s.Branch == "" || s.Line == "":
		return unlawful("task %s: stage %s has nothing verified to merge", t.ID, s.ID)
	case r.Merging() != nil || r.Driving.PlanWrite != nil:
		return unlawful("task %s: the run's branch is about to move", t.ID)
	}
	objection := false
	for _, other := range s.Live() {
		a := other.Last()
		if other.Act == "" && other.Status != TaskDone || a != nil && a.Status.Active() {
			return unlawful("task %s: %s is not done", t.ID, other.ID)
		}
		if other.Act == "" {
			objection = other.Kind == KindReview && a.Review != nil && a.Review.Status != ReviewApproved
		}
	}
	if objection {
		return unlawful("task %s: the review of %s wants changes", t.ID, s.Branch)
	}
	return nil
}

// lawManaged judges what only a run that drives a project knows.
func lawManaged(r *Run, body Body) error {
	if !r.Managed() {
		return unlawful("%s is for runs that drive a project", TypeOf(body))
	}
	switch b := body.(type) {
	case PlanWriteRequested:
		if r.Driving.PlanWrite != nil || r.Merging() != nil {
			return unlawful("the run's branch is about to move")
		}
	case PlanRead:
		if r.Driving.Plan != nil {
			return Errorf(CodeConflict, "the plan is known already")
		}
	case PlanUpdated:
		if r.Driving.PlanWrite == nil || b.Old != r.Head {
			return Errorf(CodeConflict, "the run's branch has moved since the plan was read")
		}
	case MergeConcluded:
		return lawMerged(r, b)
	case StageDiscarded:
		return lawDiscard(r, b)
	case ChangesRequested:
		if s := r.Stage(PlanStage); s != nil && !s.Status.Closed() {
			return Errorf(CodeConflict, "there is nothing yet that could be changed: the plan is being made").
				WithHint("say what the plan is to be like when you are asked about it")
		}
		if b.ID == "" || slices.Contains(r.Driving.Asked, b.ID) {
			return Errorf(CodeConflict, "the change %q was asked for before", b.ID)
		}
		if b.Text == "" {
			return Errorf(CodeInvalid, "a wish for changes needs words: what is to change?")
		}
		return lawUnmoved(r, b.About)
	case ReviewAwaited:
		return lawReview(r)
	default:
	}
	return nil
}

// lawSeen: what becomes of a pull request is seen as long as its run waits for
// that. A run by phases does not wait: it is over, and what a person still has
// merged is seen afterwards.
func lawSeen(r *Run, b PullRequestSeen) error {
	pr := r.PullRequest
	switch over := r.Status == StatusCompleted; {
	case pr == nil:
		return Errorf(CodeConflict, "there is no pull request")
	case b.Commit != "" && b.Commit != pr.Commit:
		return Errorf(CodeConflict, "another commit was published since")
	case !over && !r.Managed():
		return unlawful("%s is for runs that wait for it", TypeOf(b))
	case over && (r.Managed() || pr.State != PullRequestOpen || b.State != PullRequestMerged):
		return Errorf(CodeConflict, "the run is over")
	}
	return nil
}

// lawGrant: a person grants the merge of what was published, and of nothing
// else, if nobody but Stellwerk keeps the pull request.
func lawGrant(r *Run, b MergeGranted) error {
	pr := r.PullRequest
	switch {
	case r.Managed() == (r.Status == StatusCompleted):
		return Errorf(CodeConflict, "nothing waits to be merged now")
	case pr == nil || pr.State != PullRequestOpen:
		return Errorf(CodeConflict, "no pull request waits to be merged")
	case r.ForgeURL != "":
		return Errorf(CodeConflict, "its pull request is on %s", r.ForgeURL).WithHint("merge it there")
	case b.Commit != pr.Commit:
		return Errorf(CodeConflict, "another commit was published since")
	case r.IsMerging():
		return Errorf(CodeConflict, "the run is being merged, which is a matter of seconds").WithHint("try again in a moment")
	case b.Base == "" || b.Tip == "" || b.Merge == "":
		return unlawful("a merge names the branch, where it is and what it becomes")
	}
	return nil
}

// lawDone: a project is done when somebody took in all there is, and nobody
// wants more.
func lawDone(r *Run) error {
	if pr := r.PullRequest; pr == nil || pr.State != PullRequestMerged || pr.Commit != r.Verified || len(r.Driving.Changes) > 0 {
		return unlawful("what was done is not all taken in")
	}
	return nil
}

// lawMerged is laws 2 and 5: the branch moves only to a tree that was verified,
// made from where it is.
func lawMerged(r *Run, b MergeConcluded) error {
	t := r.Task(b.Task)
	if t == nil || t.Act != ActMerge || t.Status != TaskVerifying {
		return Errorf(CodeConflict, "task %s merges nothing now", b.Task)
	}
	s := r.Stage(t.Stage)
	switch {
	case b.Error == "" && (b.Into != r.Head || b.From != s.Line):
		return Errorf(CodeConflict, "the branches have moved since")
	case b.Passed && (b.Commit == "" || len(b.Conflicts) > 0 || b.Error != ""):
		return unlawful("task %s: a merge with conflicts does not pass", b.Task)
	}
	for _, c := range b.Results {
		if b.Passed && !c.Passed {
			return unlawful("task %s: the merged tree does not pass %s", b.Task, c.Check)
		}
	}
	return nil
}

func lawDiscard(r *Run, b StageDiscarded) error {
	s := r.Stage(b.Stage)
	if b.Round != s.Round || s.Branch == "" && r.Waves.Work(s.ID) == nil || s.Merged != "" {
		return unlawful("stage %s has no branch that could be given up", s.ID)
	}
	for _, t := range s.Tasks {
		if t.Status == TaskRunning || t.Status == TaskVerifying {
			return unlawful("stage %s: %s is under way", s.ID, t.ID)
		}
	}
	if b.Again && s.Round >= s.Allowed(r.Playbook.Project.Rounds) {
		return unlawful("stage %s was begun %d times", s.ID, s.Round)
	}
	return nil
}

// lawReview: somebody is asked to look once everything that was decided is
// published.
func lawReview(r *Run) error {
	switch {
	case r.PullRequest == nil || r.PullRequest.Commit != r.Verified:
		return unlawful("what is there now is not published")
	case len(r.Driving.Changes) > 0 || r.Current() != nil:
		return unlawful("the work is not finished")
	}
	return nil
}
