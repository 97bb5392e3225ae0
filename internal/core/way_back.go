package core

// WayBack is the stage that findings about the work so far are sent to by the
// phase that has them: the earliest of their targets, otherwise the playbook's
// default, otherwise the last stage before it that writes code, otherwise the
// phase's own.
func (r *Run) WayBack(phase *Phase, findings []Finding) string {
	target, code := "", ""
	for _, p := range r.Playbook.Phases {
		if p.ID == phase.ID {
			break
		}
		if p.Writes == WritesCode && p.Act == "" && r.Stage(p.ID).Status == StageDone {
			code = p.ID
		}
		for _, f := range findings {
			if f.Target == p.ID && target == "" && r.Stage(p.ID).Status == StageDone {
				target = p.ID
			}
		}
	}
	switch {
	case target != "":
		return target
	case phase.Rollback != nil && phase.Rollback.Default != "":
		return phase.Rollback.Default
	case code != "":
		return code
	}
	return phase.ID
}

// Answerable is the stage that acts on what a person says at a gate. It is the
// one that waits, unless that only judges the work of others, as a review does:
// whoever writes no code and knows where findings go cannot put them right.
func (r *Run) Answerable(s *Stage) string {
	phase := r.Playbook.Phase(s.ID)
	if phase == nil || s.Status != StageGated || phase.Writes == WritesCode || phase.Rollback == nil {
		return s.ID
	}
	if s.Gate != nil && s.Gate.Suggestion != "" {
		return s.Gate.Suggestion
	}
	var findings []Finding
	if review := s.Review(); review != nil {
		findings = review.Findings
	}
	return r.WayBack(phase, findings)
}
