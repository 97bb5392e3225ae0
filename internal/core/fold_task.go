package core

import "slices"

func admit(r *Run, e Event, b TaskAdmitted) {
	s := r.Stage(b.Stage)
	s.Tasks = append(s.Tasks, &Task{
		ID: b.Task, Stage: b.Stage, Name: b.Name, Kind: b.Kind, Role: b.Role, Prompt: b.Prompt, Act: b.Act, Status: TaskWaiting,
		Writes: b.Writes, Needs: b.Needs, Inputs: b.Inputs, Outputs: b.Outputs, Done: b.Done,
		DependsOn: b.DependsOn, Limit: b.Attempts, Timeout: b.Timeout, Event: e.ID, Delegation: b.Delegation, AdmittedAt: e.At,
		First: b.VerifyFirst,
	})
	if e.Cause == r.Impulse.Event {
		s.Tasks[len(s.Tasks)-1].By = r.Impulse.By
	}
	s.begins(b.Kind)
	take(r, b)
	workBegun(r, b)
}

// reduce drops what a team's specialists could not deliver.
func reduce(s *Stage, b TeamReduced) {
	s.Reduced = b.Reason
	for _, t := range s.Tasks {
		if slices.Contains(b.Dropped, t.ID) {
			t.Status = TaskDropped
		}
	}
}

func verified(r *Run, e Event, b VerifyConcluded) {
	_, t, a := r.Attempt(b.Attempt)
	if t == nil {
		return
	}
	if b.Error != "" {
		t.Status = TaskDelivered
		t.Infra++
		t.NotBefore = e.At.Add(backoff(t.Infra))
		a.Message = b.Error
		return
	}
	a.Results, a.Review, a.Skips, a.Touches = b.Results, b.Review, b.Skips, b.Touches
	if !b.Passed {
		a.Verdict, t.Status = VerdictFailed, TaskWaiting
		return
	}
	a.Verdict, t.Status = VerdictPassed, TaskDone
	if s := r.Stage(t.Stage); r.Managed() && b.Review != nil && b.Review.Status == ReviewChangesRequested {
		sentBack(r, e, SentBack{From: t.ID, To: s.ID, Text: b.Review.Reason, Findings: b.Review.Findings, Since: s.Round})
	}
	r.Sterile = 0
	if t.Writes != WritesCode || a.Delivery == nil || a.Delivery.Commit == "" {
		return
	}
	if s := r.Stage(t.Stage); s.Branch != "" {
		s.Line = a.Delivery.Commit
		return
	}
	r.Head, r.Verified = a.Delivery.Commit, a.Delivery.Commit
}

func unblock(r *Run, b ClaimFreed) {
	for _, t := range r.tasks() {
		if t.Blocked != nil && t.Blocked.Kind == b.Claim.Kind && t.Blocked.Key == b.Claim.Key && (b.Task == "" || b.Task == t.ID) {
			t.Blocked = nil
		}
	}
}

func prepared(r *Run, b PublishPrepared) {
	t := r.Task(b.Task)
	if t == nil {
		return
	}
	s := r.Stage(t.Stage)
	switch {
	case b.Error != "":
		t.Status, s.Trouble = TaskWaiting, b.Error
	case !b.Passed:
		t.Status, s.Trouble = TaskWaiting, "the checks before publishing failed: "+failures(r, b.Results)
	default:
		t.Status, t.Prepared = TaskDelivered, &b
	}
}

func published(r *Run, e Event, b PublishConcluded) {
	t := r.Task(b.Task)
	if t == nil {
		return
	}
	s := r.Stage(t.Stage)
	if b.OK {
		t.Status, t.Published, t.Publishing = TaskDone, true, nil
		pr := &PullRequest{URL: b.URL, Number: b.Number, Commit: t.Prepared.Subject.Commit, State: PullRequestOpen}
		if old := r.PullRequest; old != nil && old.Number == b.Number {
			pr.Cursor = old.Cursor
		}
		r.PullRequest = pr
		r.Sterile = 0
		conclude(r, e, s, t, DelegationDone, "the pull request is open")
		return
	}
	lapse(s)
	if !b.Lapsed {
		s.Trouble = b.Reason
	}
}

// failures names the checks that failed, and says which of them did before anybody had worked.
func failures(r *Run, results []CheckResult) string {
	names := ""
	for _, c := range results {
		if c.Passed {
			continue
		}
		if names != "" {
			names += "; "
		}
		names += c.Check
		if r.Preflight.WasRed(c.Check) {
			names += RedBefore
		}
	}
	return names
}
