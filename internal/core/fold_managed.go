package core

import "slices"

// opened finds the stage that a round begins of, and adds it if a managed
// run has none of that name.
func opened(r *Run, b StageOpened) *Stage {
	s := r.Stage(b.Stage)
	if s == nil {
		s = &Stage{ID: b.Stage, Status: StagePending}
		r.Stages = append(r.Stages, s)
		delete(r.Managing.Rounds, b.Stage)
	}
	if r.Managed() {
		if s.LineAt != "" && s.Branch != b.Branch {
			r.Gone = append(r.Gone, Line{Branch: s.Branch, At: s.LineAt})
			s.LineAt = ""
		}
		if s.Merged != "" { // one that was given up is begun anew for the same
			s.Reviews, s.Fixes = 0, 0
		}
		s.Title, s.Branch, s.Line, s.Merged, s.Conflict, s.Note = b.Title, b.Branch, "", "", nil, nil
		takeWish(r, s, b.Wish)
		if s.ID == ManagerStage {
			beginTurn(r, s, b)
		}
	}
	return s
}

// takeWish makes what somebody wants changed the stage's work.
func takeWish(r *Run, s *Stage, id string) {
	i := slices.IndexFunc(r.Driving.Changes, func(c Changes) bool { return c.ID == id })
	if id == "" || i < 0 {
		return
	}
	r.eachBack(func(b *SentBack) {
		if b.Wish == id {
			b.To = s.ID
		}
	})
	wish := r.Driving.Changes[i]
	s.Wish, r.Driving.Changes = &wish, slices.Delete(r.Driving.Changes, i, i+1)
}

func branchMoved(r *Run, b BranchMoved) {
	for _, s := range r.Stages {
		if s.Branch != "" && "refs/heads/"+s.Branch == b.Ref {
			s.LineAt = b.New
			return
		}
	}
	if b.Ref == "refs/heads/"+r.Branch {
		r.BranchAt = b.New
	}
	r.Gone = slices.DeleteFunc(r.Gone, func(l Line) bool { return "refs/heads/"+l.Branch == b.Ref })
}

func planRead(r *Run, b PlanRead) {
	plan := b.Plan
	r.Driving.Plan = &plan
	if b.Error != "" {
		r.Driving.Plan.Trouble = b.Error
	}
}

func planUpdated(r *Run, b PlanUpdated) {
	plan := b.Plan
	if s := r.Stage(PlanStage); s != nil && r.Driving.PlanWrite != nil && r.Driving.PlanWrite.Artifact != "" {
		s.Merged = plan.Commit
	}
	r.Driving.Plan, r.Driving.PlanWrite = &plan, nil
	r.Head, r.Verified = plan.Commit, plan.Commit
	if !r.ByManager() { // words alone are no progress
		r.Sterile = 0
	}
	lapsePublish(r)
}

func mergeConcluded(r *Run, e Event, b MergeConcluded) {
	t := r.Task(b.Task)
	s := r.Stage(t.Stage)
	switch {
	case b.Error != "":
		t.Status = TaskWaiting
		t.Infra++
		t.NotBefore = e.At.Add(backoff(t.Infra))
		s.Trouble = b.Error
	case b.Passed:
		s.Trouble = ""
		t.Status, s.Merged, s.Conflict, s.Note = TaskDone, b.Commit, nil, s.Note.settle()
		t.Merge = s.Note
		r.Head, r.Verified = b.Commit, b.Commit
		r.Sterile = 0
		lapsePublish(r)
		conclude(r, e, s, t, DelegationDone, "merged into "+r.Branch)
	default:
		t.Status = TaskDropped
		s.Conflict, s.Note = &Unmerged{Into: b.Into, Files: b.Conflicts, Results: b.Results}, s.Note.refuse(b)
		t.Merge = s.Note
	}
}

// discard keeps what a round left under a ref and gives its branch up.
func discard(r *Run, e Event, b StageDiscarded) {
	s := r.Stage(b.Stage)
	work := s.Start()
	for _, t := range s.Tasks {
		if t.Writes == WritesCode && t.Act == "" {
			work = t.WorkingCommit(work)
		}
		t.Status = TaskDropped
	}
	if work != s.Base {
		abandon(r, work, "given up: "+b.Reason)
	}
	s.assumeRef()
	s.Status, s.ClosedAt = StageOmitted, r.Now()
	if b.Again {
		sentBack(r, e, SentBack{From: s.ID, To: s.ID, Text: b.Reason})
		s.Status, s.Next = StageStale, &Reopen{Reason: OpenRollback, Hotfix: &Hotfix{By: e.Actor, Text: b.Reason}}
	} else {
		settleBack(r, s, true)
	}
	if d := r.Delegation(b.Delegation); d != nil {
		d.Status, d.Stage = DelegationDone, s.ID
		if e.Cause != d.Event { // it waited for something: who asked for it has not seen it done
			wake(r, e, d.wake(string(DelegationDone), "the branch "+s.Branch+" was given up"))
		}
	}
}

func pullRequestSeen(r *Run, e Event, b PullRequestSeen) {
	if b.Checks == ChecksFailed && r.PullRequest.Checks != b.Checks {
		wake(r, e, Wake{Kind: WakeChecks, Subject: r.PullRequest.Commit, Text: "the forge's own checks of the pull request failed"})
	}
	seen(r.PullRequest, b)
}

func changesRequested(r *Run, e Event, b ChangesRequested) {
	wake(r, e, Wake{Kind: WakeChanges, Subject: b.ID, Text: b.Text})
	unpublish(r, e, "changes were asked for before it was published")
	sentBack(r, e, SentBack{From: b.Source, Wish: b.ID, Text: b.Text})
	r.Driving.Asked = append(r.Driving.Asked, b.ID)
	r.Driving.Changes = append(r.Driving.Changes, Changes{ID: b.ID, Source: b.Source, Text: b.Text})
	lapsePublish(r)
}

// lapsePublish forgets what was prepared for publishing: the work is about to be
// another. What is being published at this moment is let go.
func lapsePublish(r *Run) {
	s := r.Stage(PublishStage)
	if s == nil || s.Status != StageOpen && s.Status != StageGated {
		return
	}
	for _, t := range s.Tasks {
		if t.Status == TaskRunning || t.Status == TaskDone {
			return
		}
	}
	lapse(s)
	if r.Pause != nil && r.Pause.From == StatusAwaiting {
		r.Pause.From = StatusActive
	}
}
