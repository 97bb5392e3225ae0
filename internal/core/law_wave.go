package core

import "slices"

// lawWave judges what only a run in waves knows.
func lawWave(r *Run, body Body) error {
	if !r.ByWaves() {
		return unlawful("%s is for runs in waves", TypeOf(body))
	}
	w := r.Waves
	switch b := body.(type) {
	case WaveOpened:
		return lawWaveOpened(r, b)
	case WaveClosed:
		s := r.Stage(PlannerStage)
		if s == nil || !s.Status.Closed() || b.Wave != w.N || w.Open && w.Working() {
			return unlawful("wave %d cannot be closed now", b.Wave)
		}
	case BriefAdmitted:
		return lawDelegated(r, b.Brief)
	case BriefRefused:
		if w.Open || b.Code == "" || b.Reason == "" {
			return unlawful("delegation %s is refused without a reason", b.ID)
		}
	case BriefEnded:
		d := w.Work(b.Delegation)
		gone := d != nil && d.Status.Over() && (d.Status != DelegationFailed || b.Status != DelegationDropped)
		if d == nil || gone || b.Status != DelegationFailed && b.Status != DelegationDropped || b.Reason == "" {
			return unlawful("delegation %s cannot be ended so", b.Delegation)
		}
	case CourseRefused:
		if len(b.Reasons) == 0 {
			return unlawful("a decision is refused without a reason")
		}
	default:
	}
	return nil
}

// lawWaveOpened: waves follow one another, as many as the playbook allows. The last of
// them is opened again for what could not be begun in it.
func lawWaveOpened(r *Run, b WaveOpened) error {
	w, most := r.Waves, r.Playbook.Project.Waves.Waves
	switch {
	case w.Open || b.Wave != w.N+1 && (b.Wave != w.N || w.N != most):
		return unlawful("wave %d cannot be opened now", b.Wave)
	case b.Wave > most:
		return unlawful("wave %d is one more than the playbook allows", b.Wave)
	case r.Resting():
		return unlawful("wave %d has nothing that could be begun", b.Wave)
	}
	return nil
}

// lawDelegated is law 1 for a delegation: no role, capability, dependency or
// number of it is taken on trust. Its inputs are looked at again when it begins.
func lawDelegated(r *Run, b Brief) error {
	w := r.Waves
	switch {
	case w.Open:
		return unlawful("delegation %s: a wave is open", b.ID)
	case w.Work(b.ID) != nil || r.Stage(b.ID) != nil:
		return unlawful("delegation %s: the name is taken", b.ID)
	case b.Flaw() != "":
		return unlawful("delegation %s: %s", b.ID, b.Flaw())
	}
	role, ok := r.Playbook.Roles[b.Agent]
	if !ok || b.Agent == r.Playbook.Project.Roles[KindWave] {
		return unlawful("delegation %s: no role %q does such work", b.ID, b.Agent)
	}
	for _, need := range b.Needs {
		if !slices.Contains(role.Capabilities, need) {
			return unlawful("delegation %s needs the capability %q, which role %s does not have", b.ID, need, b.Agent)
		}
	}
	for _, id := range b.DependsOn {
		if w.Work(id) == nil { // those it comes after are admitted before it: there are no cycles
			return unlawful("delegation %s depends on %s, which was not admitted", b.ID, id)
		}
	}
	return nil
}

// lawBegin: a delegation is begun in an open wave, once it has what it needs.
func lawBegin(r *Run, b TaskAdmitted) error {
	d := r.Waves.Work(b.Stage)
	if d == nil || b.Act != "" || b.Kind == KindResolve {
		return nil
	}
	switch {
	case !r.Waves.Open:
		return unlawful("task %s: no wave is open", b.Task)
	case r.Closing():
		return unlawful("task %s: the wave is being closed", b.Task)
	case d.Status != DelegationWaiting || !r.Startable(d):
		return unlawful("task %s: delegation %s is %s", b.Task, d.Brief.ID, d.Status)
	}
	for _, name := range d.Brief.Requires {
		if !r.Known(name) {
			return unlawful("task %s: delegation %s lacks %s", b.Task, d.Brief.ID, name)
		}
	}
	return nil
}

// lawWavesDone: a goal is met when nothing is open and nothing unmet.
func lawWavesDone(r *Run) error {
	if why := r.Unfinished(); len(why) > 0 {
		return unlawful("%s", why[0])
	}
	return nil
}
