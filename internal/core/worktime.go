package core

import "time"

// worked is how long the run has worked in all by a moment. Neither the time in
// which it waited for a person nor what comes after its end is part of that.
func (r *Run) worked(at time.Time) time.Duration {
	if r.Status != StatusActive {
		at = r.WaitsSince
	}
	return r.Granted + at.Sub(r.ClockFrom)
}

// told takes in what the project's other runs had used at a moment.
func told(r *Run, b ProjectSpent) {
	r.Others, r.ToldAt = b.Others, b.At
}

// ProjectTimeUp is when an active run wants to look at the time of its project:
// when it is used up, if the others have gone on working as the run was told and
// go on like that. They may have stopped, so that it is early; those that begin
// are told of. It is zero if the run is held to no such limit.
func (r *Run) ProjectTimeUp() time.Time {
	if r.Status != StatusActive || r.Limits.Project.WallTime == 0 {
		return time.Time{}
	}
	others := r.Others
	others.Worked += time.Duration(others.Working) * r.Now().Sub(r.ToldAt)
	return r.Limits.Project.timeUp(others.Add(r.Share()), r.Now())
}

// timeUp is when the time is used up, if runs that have spent total at a moment
// go on as they are. One of them works at least.
func (l ProjectLimits) timeUp(total Spent, at time.Time) time.Time {
	left, together := max(l.WallTime-total.Worked, 0), time.Duration(total.Working)*time.Microsecond
	return at.Add((left + together - 1) / together * time.Microsecond) // in what an event's time is measured in
}

// MustHear reports that a run has to be told what the others of its project have
// spent by a moment after its last event: it has to stop, or to look at the
// project's time earlier than it means to, or another time.
func (r *Run) MustHear(others Spent, at time.Time) bool {
	l := r.Limits.Project
	if r.Status != StatusActive || l == (ProjectLimits{}) {
		return false
	}
	total := others.Add(r.ShareAt(at))
	if l.reached(total) != nil {
		return true
	}
	looks := r.ProjectTimeUp()
	return !looks.IsZero() && (!looks.After(at) || l.timeUp(total, at).Before(looks))
}
