package core

import (
	"slices"
	"strings"
)

// forget lets go of what is over for long: the events have it.
func forget(r *Run) {
	over := 0
	for _, d := range r.Managing.Delegations {
		if d.Status.Over() {
			over++
		}
	}
	r.Managing.Delegations = slices.DeleteFunc(r.Managing.Delegations, func(d *Delegation) bool {
		if d.Status.Over() && over > keptDelegations {
			over--
			return true
		}
		return false
	})
	for _, d := range r.Managing.Delegations {
		if d.Status.Over() {
			d.Proposal.Prompt, d.Proposal.Checks = clipped(d.Proposal.Prompt, keptPrompt), nil
		}
	}
	for _, s := range r.Stages {
		if r.ByManager() && s.Branch != "" {
			s.Tasks = newestTasks(s.Tasks)
		}
	}
	r.Stages = slices.DeleteFunc(r.Stages, func(s *Stage) bool {
		if !r.forgettable(s) {
			return false
		}
		if s.Branch != "" && !r.Was(s.ID) { // its name can be used again
			r.retire(s)
		}
		return true
	})
}

// newestTasks are what the state holds of a line that is worked on for long. What
// the engine did itself stays, since its tasks are counted by their names; so does
// what handed in a document that nobody has handed in since.
func newestTasks(tasks []*Task) []*Task {
	old := len(tasks) - keptTasks
	if old <= 0 {
		return tasks
	}
	var kept []*Task
	for i, t := range tasks[:old] {
		a := t.Last()
		over := (t.Status == TaskDone || t.Status == TaskDropped) && (a == nil || !a.Status.Active())
		if !over || t.Act != "" || t.Kind == KindResolve || t.Status == TaskDone && !replaced(t.Outputs, tasks[i+1:]) {
			kept = append(kept, t)
		}
	}
	return append(kept, tasks[old:]...)
}

// replaced reports documents that later tasks have all handed in anew.
func replaced(outputs []string, later []*Task) bool {
	for _, name := range outputs {
		if !slices.ContainsFunc(later, func(t *Task) bool {
			return t.Status == TaskDone && slices.Contains(t.Outputs, name) && t.Delivered().Artifact(name) != nil
		}) {
			return false
		}
	}
	return true
}

// forgettable reports a line that was merged or given up, whose ref is gone, and
// which the state speaks of nowhere else.
func (r *Run) forgettable(s *Stage) bool {
	line := s.Branch != "" && !strings.HasPrefix(s.ID, stepPrefix) && s.Wish == nil || r.Was(s.ID)
	if !r.ByManager() || !line || !s.Status.Closed() || s.LineAt != "" {
		return false
	}
	for _, d := range r.Managing.Delegations {
		if d.ID == s.ID || d.Stage == s.ID {
			return false
		}
	}
	for _, t := range s.Tasks {
		if t.Status == TaskVerifying {
			return false
		}
		if a := t.Last(); a != nil && a.Status.Active() {
			return false
		}
	}
	return true
}

// retire remembers how often a line was begun, so that its branches and tasks
// are never called as they were before.
func (r *Run) retire(s *Stage) {
	if r.Managing.Rounds == nil {
		r.Managing.Rounds = Rounds{}
	}
	r.Managing.Rounds[s.ID] = s.Round
}

// file keeps the documents that a line handed in, the newest of each name.
func file(r *Run, s *Stage) {
	for _, t := range s.Tasks {
		for _, name := range t.Outputs {
			a := t.Delivered().Artifact(name)
			if t.Status != TaskDone || a == nil {
				continue
			}
			r.Managing.Documents = slices.DeleteFunc(r.Managing.Documents, func(old Artifact) bool { return old.Name == name })
			r.Managing.Documents = append(r.Managing.Documents, *a)
		}
	}
}
