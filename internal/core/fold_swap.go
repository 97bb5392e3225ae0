package core

import "slices"

// swapped lets another playbook drive the project.
func swapped(r *Run, e Event, b PlaybookSwapped) {
	playbook, before := b.Playbook, r.ByManager()
	if r.InTurn() {
		breakOff(r, r.Manager())
	}
	r.Playbook, r.Managing.Barren = &playbook, 0
	if r.Pause != nil {
		switch r.Pause.Code {
		case PauseAttempts, PauseInfra, PauseInput, PauseBarren: // of who drove it before
			r.Pause.Code, r.Pause.Stage = PausePerson, ""
			r.Pause.Reason, r.Pause.Advice = "the playbook "+playbook.Name+" is to drive the project from here on", Advice{Choices: r.Choices(VerbResume)}
		default:
		}
	}
	if !r.ByManager() {
		r.Managing.Wakes, r.Managing.Missed = nil, 0 // nobody is left to be woken
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
		r.Managing.Wakes, r.Managing.Missed = append(slices.Clone(s.Turn.Wakes), r.Managing.Wakes...), r.Managing.Missed+s.Turn.Missed
	}
	s.Status, s.ClosedAt = StageOmitted, r.Now()
}

// closeDone closes what came to its end while the run was paused, and which the
// rules know nothing of.
func closeDone(r *Run) {
	for _, s := range r.Stages {
		validated := r.Was(s.ID) && s.Branch == "" && s.TasksDone()
		if !s.Status.Closed() && (validated || s.Merged != "") {
			s.assumeRef()
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
