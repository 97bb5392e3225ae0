package core

import "time"

func asked(s *Stage, e Event) { s.Asked, s.Event = true, e.ID }

func answered(s *Stage, b ConditionEvaluated) {
	s.Asked, s.Trouble = false, b.Error
	if b.Error == "" {
		s.Condition = &b.Holds
	}
}

func passed(r *Run, b StagePassed) {
	s := r.Stage(b.Stage)
	s.assumeRef()
	s.Status, s.Commit, s.Trouble, s.ClosedAt = StageDone, b.Commit, "", r.Now()
	settleBack(r, s, false)
	if s.ID == ManagerStage {
		endTurn(r, s)
		return
	}
	if r.ByManager() && s.Branch != "" {
		file(r, s)
	}
	r.Sterile = 0
}

func rollBack(r *Run, e Event, b RolledBack) {
	sentBack(r, e, SentBack{From: b.From, To: b.Target, Text: b.Text, Findings: b.Findings})
	target := r.Stage(b.Target)
	if target.Status == StageOmitted && target.Skip == SkipPlan {
		// Whoever sends the run to a stage that the plan left out wants it done,
		// as long as there is no other plan.
		_, target.Insisted, _ = PlannedSkip(r, target)
	}
	reason := OpenRollback
	if b.Auto && len(b.Findings) == 0 {
		reason = OpenMissing
	}
	sendBack(r, target, reason, &Hotfix{By: e.Actor, From: b.From, Text: b.Text, Findings: b.Findings}, b.Reset)
	if b.Auto {
		r.AutoRounds++
	}
}

func ask(r *Run, e Event, b ApprovalRequested) {
	s := r.Stage(b.Subject.Stage)
	s.Status = StageGated
	s.Gate = &Gate{Event: e.ID, Subject: b.Subject, Suggestion: b.Suggestion, Findings: b.Findings, Notices: b.Notices, Skips: b.Skips, Leaks: b.Leaks}
	r.Tell = append(r.Tell, e.ID)
}

func approve(r *Run, e Event, b ApprovalGranted) {
	s := r.Stage(b.Subject.Stage)
	s.Gate.Approved, s.Gate.By, s.Gate.WithLeaks = true, e.Actor, b.WithLeaks
	r.Sterile = 0
}

func open(s *Stage, b StageOpened) {
	s.Status, s.Round, s.Base, s.Reason = StageOpen, b.Round, b.Base, b.Reason
	if s.Before == "" {
		s.Before = b.Base
	}
	s.Hotfix = nil
	if s.Next != nil {
		s.Hotfix = s.Next.Hotfix
	}
	s.Next, s.Tasks, s.Gate, s.Condition, s.Trouble, s.Reduced = nil, nil, nil, nil, "", ""
	s.Skip, s.ClosedAt = "", time.Time{}
}

func skip(r *Run, e Event, b StageSkipped) {
	s := r.Stage(b.Stage)
	if s.Branch != "" && s.Start() != s.Base {
		abandon(r, s.Start(), "left by "+s.ID+", which was skipped")
	}
	if phase := r.Playbook.Phase(s.ID); phase != nil && phase.Writes == WritesCode && r.Work() != r.Verified {
		// Nobody will verify what the stage left any more: it is set aside.
		abandon(r, r.Work(), "left unverified by "+s.ID+", which was skipped")
		r.Head = r.Verified
	}
	settleBack(r, s, true)
	s.assumeRef()
	s.Status, s.Skip, s.Gate, s.Next, s.ClosedAt = StageOmitted, b.Source, nil, nil, r.Now()
	s.Asked = false
	for _, t := range s.Tasks {
		t.Status = TaskDropped
	}
	if n := len(s.Tasks); n > 0 {
		conclude(r, e, s, s.Tasks[n-1], DelegationFailed, "a person left it out: "+b.Reason)
	}
	if r.Managed() {
		lapsePublish(r) // the run goes on: at that gate it asks again
	}
	clearTrouble(r)
}

// sendBack makes target the next stage to be worked on and everything from it
// on stale, so that no leftover of an earlier round can count. The code is
// kept unless reset is wished; then the abandoned work goes under a ref.
func sendBack(r *Run, target *Stage, why OpenReason, hotfix *Hotfix, reset bool) {
	base := r.Work()
	if reset {
		abandon(r, base, "abandoned by a reset of "+target.ID)
		base = before(r, target)
		r.Verified = base
	}
	r.Head = base
	behind := false
	for _, s := range r.Stages {
		if behind {
			s.Before = "" // what it starts from is made anew
		}
		behind = behind || s == target
		if !behind {
			continue
		}
		s.Condition, s.Asked = nil, false
		if s != target && (s.Status == StagePending || s.Status == StageOmitted && !s.Skip.asksAgain()) {
			continue
		}
		s.Status, s.Tasks, s.Gate, s.Next = StageStale, nil, nil, &Reopen{Reason: OpenRedo}
	}
	target.Next = &Reopen{Reason: why, Hotfix: hotfix}
	clearTrouble(r)
}

// before is the commit that a stage started from: its own checkpoint, or that of
// the nearest stage before it that has one.
func before(r *Run, target *Stage) string {
	commit := r.BaseCommit
	for _, s := range r.Stages {
		if s == target {
			break
		}
		if s.Status == StageDone && s.Commit != "" {
			commit = s.Commit
		}
	}
	if target.Before != "" {
		return target.Before
	}
	return commit
}

func lapse(s *Stage) {
	s.Status, s.Gate = StageOpen, nil
	for _, t := range s.Tasks {
		if t.Act != "" && !t.Published {
			t.Prepared, t.Publishing, t.Status = nil, nil, TaskWaiting
		}
	}
}

func resetAttempts(r *Run, s *Stage) {
	s.Resets++
	for _, t := range s.Tasks {
		if t.failed() { // what a check missed may be there by now: it is looked at before anybody works on it again
			t.Status = TaskDelivered
		}
		t.Counted, t.Infra, t.Stuck, t.NotBefore = 0, 0, false, r.StartedAt
	}
	if r.Managed() && s.ID != PublishStage {
		lapsePublish(r) // the run goes on: at that gate it asks again
	}
	clearTrouble(r)
}
