package core

// Spent reports a task that gets no further attempt in its round: those it had
// are used up, were lost to infrastructure too often, or cannot be made.
func (r *Run) Spent(t *Task) bool {
	switch t.Status {
	case TaskWaiting:
		return t.Act == "" && (t.Counted >= t.Limit || t.Stuck || t.Infra > r.Limits.Infra)
	case TaskDelivered:
		return t.Act == "" && (t.Stuck || t.Infra > r.Limits.Infra)
	case TaskRunning, TaskVerifying, TaskDone, TaskDropped:
	}
	return false
}

// Reducible are the tasks that a team gives up to go on without specialists
// who are spent: theirs, and the consolidation that would need them. It is
// false while a specialist is still at work, and where none is spent.
func (r *Run) Reducible(s *Stage) (drop []string, ok bool) {
	for _, t := range s.Tasks {
		switch {
		case len(t.DependsOn) > 0:
			drop = append(drop, t.ID)
		case t.Status == TaskDone:
		case r.Spent(t):
			drop, ok = append(drop, t.ID), true
		default:
			return nil, false
		}
	}
	return drop, ok
}
