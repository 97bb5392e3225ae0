package show

import (
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// before are the stages that a stage with a branch of its own waits or waited
// for: what its step of the plan, its delegation or its brief says.
func before(r *core.Run, s *core.Stage) []string {
	if s.Branch == "" && !r.ByWaves() {
		return nil
	}
	var names []string
	switch {
	case r.ByWaves():
		for _, w := range r.Waves.Works {
			if w.Brief.ID == s.ID {
				names = append(names, w.Brief.DependsOn...)
			}
		}
	case r.ByManager():
		names = delegatedBefore(r, s)
	case r.Driving.Plan != nil:
		for _, step := range r.Driving.Plan.Steps {
			if core.StepStage(step.ID) != s.ID {
				continue
			}
			for _, id := range step.After {
				names = append(names, core.StepStage(id))
			}
		}
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool { return name == s.ID || r.Stage(name) == nil })
}

// delegatedBefore are the lines that come before one, by the delegations on it:
// they name other delegations, or lines.
func delegatedBefore(r *core.Run, s *core.Stage) []string {
	var names []string
	for _, d := range r.Managing.Delegations {
		if d.Stage != s.ID {
			continue
		}
		for _, name := range d.Proposal.After {
			if other := r.Delegation(name); other != nil {
				names = append(names, other.Stage)
			} else if line := r.LineOf(name); line != nil {
				names = append(names, line.ID)
			}
		}
	}
	return names
}
