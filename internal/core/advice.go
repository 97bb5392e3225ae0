package core

// Advice is what a person can do about the run now.
func (r *Run) Advice() Advice {
	switch {
	case r.Pause != nil:
		return r.pauseAdvice()
	case r.Status == StatusActive && r.Session != "":
		return Advice{Hint: "it goes on in its session, or here", Choices: []Choice{{Verb: VerbJoin, Session: r.Session}, {Verb: VerbHandBack, Run: r.Alias}}}
	case r.Status == StatusCompleted && r.MergesHere():
		return Advice{Choices: r.Choices(VerbDiff, VerbMerge)}
	case r.Status == StatusReview && r.MergesHere():
		return Advice{Choices: r.Choices(VerbDiff, VerbMerge, VerbFeedback)}
	case r.Status == StatusReview:
		return Advice{Hint: "look at " + r.Branch + " and merge it into " + r.Base + ", or say what is to change", Choices: r.Choices(VerbFeedback)}
	case r.Status == StatusAwaiting:
		return Advice{Choices: r.gateChoices()}
	}
	return Advice{}
}

// gateChoices are what a person can do at the gate that the run waits at.
func (r *Run) gateChoices() []Choice {
	s := r.Gated()
	approve := VerbApprove
	if s != nil && s.Gate != nil && len(s.Gate.Leaks) > 0 {
		approve = VerbApproveLeak
	}
	switch {
	case r.ByWaves():
		return r.Choices(approve, VerbCancel)
	case s == nil || s.Gate == nil:
		return r.Choices(approve, VerbFeedback)
	case s.Gate.Suggestion != "":
		return append([]Choice{{Verb: VerbRollback, Run: r.Alias, Stage: s.Gate.Suggestion}}, r.Choices(approve)...)
	}
	if phase := r.Playbook.Phase(s.ID); phase != nil && phase.Act != "" && !r.Managed() {
		return r.Choices(approve, VerbRollback)
	}
	return r.Choices(approve, VerbFeedback)
}

// pauseAdvice is that of the pause, and what has to end before the run takes the
// words that it names.
func (r *Run) pauseAdvice() Advice {
	advice, busy := r.Pause.Advice, r.Busy()
	switch {
	case r.Pause.Code == PausePublish && r.PullRequest == nil && r.Work() == r.BaseCommit && !r.Managed():
		// There is nothing to publish, and trying again finds nothing either.
		advice = Advice{Choices: r.Choices(VerbRollback, VerbCancel)}
	case advice.Hint == "" && len(advice.Choices) == 0:
		advice.Choices = r.Choices(VerbStatus)
	}
	switch r.Pause.Code {
	case PauseAttempts, PauseInfra, PauseInput, PauseCondition: // a stage begins anew or is left out
		if r.Managed() && !r.Publishing() {
			busy = ""
		}
	default: // the run is told to go on, and can unless it is published
		if !r.Publishing() {
			busy = ""
		}
	}
	if busy == "" {
		return advice
	}
	once := "once " + busy + " has ended"
	if advice.Hint != "" {
		once += ", " + advice.Hint
	}
	advice.Hint = once
	return advice
}

// MergesHere reports a run whose pull request is a record beside the person's own
// repository, and waits.
func (r *Run) MergesHere() bool { return r.ToMerge() && r.ForgeURL == "" && !r.Distant() }

// ToMerge reports a run whose pull request is open, and that waits for it or is
// over without.
func (r *Run) ToMerge() bool {
	waits := r.Status == StatusReview || r.Status == StatusCompleted && !r.Managed()
	return waits && r.PullRequest != nil && r.PullRequest.State == PullRequestOpen
}
