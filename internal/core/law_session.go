package core

// lawSession is law 13 in an interactive session: what a person must say there
// is said by the session for them, so it needs their own word, given in the
// session that owns the run and since the thing they speak of stood open. To
// begin, to take over and to pause need none: they let nothing through.
func lawSession(r *Run, actor Actor, body Body) error {
	if actor.Kind != ActorSession {
		return nil
	}
	if b, taking := body.(SessionTook); taking {
		return lawTake(r, actor, b)
	}
	if actor.ID != r.Session {
		return Errorf(CodeForbidden, "run %s belongs to %s", r.Alias, place(r.Session)).
			WithHint("take it over, if the person wants that").Offer(r.Choices(VerbTakeOver)...)
	}
	switch b := body.(type) {
	case ApprovalGranted:
		return lawWord(r, MeansApprove, &b.Subject)
	case StageSkipped:
		return lawWord(r, MeansSkip, nil)
	case RunCancelled:
		return lawWord(r, MeansCancel, nil)
	case FeedbackGiven, RolledBack, AttemptsReset, TargetChosen:
		return lawWord(r, "", nil)
	case RunResumed:
		if r.Pause != nil && r.Pause.Code == PausePerson && b.Limits == nil {
			return nil // who pauses by hand has asked for nothing
		}
		return lawWord(r, "", nil)
	default:
		return nil
	}
}

// lawStart keeps a session from approving ahead what nobody has seen.
func lawStart(actor Actor, b RunStarted) error {
	if b.Session != "" && b.Playbook.Project != nil {
		return noProject()
	}
	if actor.Kind == ActorSession && b.Policy != nil {
		return Errorf(CodeForbidden, "session %s cannot approve every gate ahead", actor.ID).
			WithHint("start it without the standing approval: the person is asked at each gate")
	}
	return nil
}

// noProject: steps that are worked on side by side start from different commits,
// and a session gives all its agents the same.
func noProject() error {
	return Errorf(CodeUnsupported, "a project is not driven inside a session").
		WithHint("start it in a terminal of your own").Offer(Choice{Verb: VerbStart})
}

// lawTake lets a session take a run for itself. To give one away is the
// person's: elsewhere the session would be heard as anybody else.
func lawTake(r *Run, actor Actor, b SessionTook) error {
	if b.Session == actor.ID {
		return nil
	}
	return Errorf(CodeForbidden, "session %s cannot give run %s to %s", actor.ID, r.Alias, place(b.Session)).
		WithHint("the person does that in a terminal of their own")
}

// lawWord asks for the word that permits an act.
func lawWord(r *Run, means Meaning, subject *Subject) error {
	w := r.Word
	switch {
	case w == nil:
		return Errorf(CodeForbidden, "the person has said nothing since this was asked of them").
			WithHint("show them what waits, and stop: they answer in their own words")
	case means != "" && w.Means != means:
		return Errorf(CodeForbidden, "the person did not say %q: they said %q", means, clipped(w.Text, 120)).
			WithHint("only the word itself counts, alone in their message, or the command %s%s", commandPrefix, means)
	case subject != nil && (w.Subject == nil || *w.Subject != *subject):
		return Errorf(CodeForbidden, "the person's word was about something else: the gate has changed since").
			WithHint("show them what waits now, and stop")
	}
	return nil
}
