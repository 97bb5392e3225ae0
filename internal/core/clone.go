package core

import (
	"maps"
	"slices"
)

// Clone copies what Fold may change, so that the copy can be read while the
// original goes on. What is immutable once recorded (the playbook, deliveries,
// check results) is shared.
func (r *Run) Clone() *Run {
	if r == nil {
		return nil
	}
	c := *r
	c.Keep, c.Tell = slices.Clone(r.Keep), slices.Clone(r.Tell)
	c.Driving.Changes, c.Driving.Asked, c.Gone = slices.Clone(r.Driving.Changes), slices.Clone(r.Driving.Asked), slices.Clone(r.Gone)
	c.Managing.Wakes, c.Talk = slices.Clone(r.Managing.Wakes), slices.Clone(r.Talk)
	c.Questions, c.Answers, c.Calls = slices.Clone(r.Questions), slices.Clone(r.Answers), slices.Clone(r.Calls)
	c.Managing.Documents, c.Managing.Rounds = slices.Clone(r.Managing.Documents), maps.Clone(r.Managing.Rounds)
	c.Managing.Delegations = slices.Clone(r.Managing.Delegations)
	for i, d := range r.Managing.Delegations {
		delegation := *d
		c.Managing.Delegations[i] = &delegation
	}
	c.Waves = r.Waves.clone()
	if r.Pause != nil {
		pause := *r.Pause
		c.Pause = &pause
	}
	if r.PullRequest != nil {
		pr := *r.PullRequest
		c.PullRequest = &pr
	}
	c.Stages = make([]*Stage, len(r.Stages))
	for i, s := range r.Stages {
		c.Stages[i] = s.clone()
	}
	return &c
}

func (s *Stage) clone() *Stage {
	c := *s
	if s.Gate != nil {
		gate := *s.Gate
		c.Gate = &gate
	}
	if s.Turn != nil {
		turn := *s.Turn
		turn.Deeds = slices.Clone(s.Turn.Deeds)
		c.Turn = &turn
	}
	c.Tasks = make([]*Task, len(s.Tasks))
	for i, t := range s.Tasks {
		task := *t
		task.Attempts = make([]*Attempt, len(t.Attempts))
		for j, a := range t.Attempts {
			attempt := *a
			task.Attempts[j] = &attempt
		}
		c.Tasks[i] = &task
	}
	return &c
}
