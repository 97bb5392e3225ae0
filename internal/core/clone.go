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
	c.Managing.Delegations = copies(r.Managing.Delegations)
	c.Waves, c.Pause, c.PullRequest = r.Waves.clone(), copied(r.Pause), copied(r.PullRequest)
	c.Stages = copies(r.Stages)
	for _, s := range c.Stages {
		s.Gate, s.Turn, s.Tasks = copied(s.Gate), copied(s.Turn), copies(s.Tasks)
		if s.Turn != nil {
			s.Turn.Deeds = slices.Clone(s.Turn.Deeds)
		}
		for _, t := range s.Tasks {
			t.Attempts = copies(t.Attempts)
		}
	}
	return &c
}

// copied is a copy of what p points to; nil if it points to nothing.
func copied[E any](p *E) *E {
	if p == nil {
		return nil
	}
	c := *p
	return &c
}

// copies is a list of copies.
func copies[E any](list []*E) []*E {
	all := make([]*E, len(list))
	for i, e := range list {
		all[i] = copied(e)
	}
	return all
}
