package phases

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// document is what a spoke hands to its hub.
func document(phase *core.Phase, spoke string) string {
	return fmt.Sprintf("%s-%s.md", phase.ID, spoke)
}

// team returns the tasks of the spokes, which work in parallel, and of the hub, which waits for them.
func team(phase *core.Phase, round int) []core.TaskAdmitted {
	var all []core.TaskAdmitted
	hub := task(phase, round)
	hub.Task, hub.Name, hub.Role = core.TaskID(phase.ID, round, core.HubTask), core.HubTask, phase.Team.Hub
	hub.Inputs = slices.Clone(phase.Inputs)
	for _, name := range phase.Team.Spokes {
		out := document(phase, name)
		spoke := task(phase, round)
		spoke.Task, spoke.Name, spoke.Role = core.TaskID(phase.ID, round, name), name, name
		spoke.Writes, spoke.Outputs = core.WritesArtifacts, []string{out}
		spoke.Done = core.Check{Kind: core.CheckArtifact, Name: out}
		all = append(all, spoke)
		hub.Inputs = append(hub.Inputs, core.Input{Name: out})
		hub.DependsOn = append(hub.DependsOn, spoke.Task)
	}
	return append(all, hub)
}

// fallback is the role that does a team's work alone if a spoke cannot deliver; "" if the run pauses then.
func fallback(r *core.Run, s *core.Stage) string {
	phase := r.Playbook.Phase(s.ID)
	if phase.Team == nil || s.Reduced != "" {
		return ""
	}
	return phase.Team.Fallback
}

// awaitsTeam reports a spoke without attempts left. The round does not pause for it: once the other spokes have ended, one
// role continues alone.
func awaitsTeam(r *core.Run, s *core.Stage, t *core.Task) bool {
	return fallback(r, s) != "" && len(t.DependsOn) == 0 && r.Spent(t)
}

// reduce lets one role do the work alone, with what the other spokes handed in, once every spoke has ended and one of them
// could not deliver. Admission judges that work like any other.
func reduce(r *core.Run, s *core.Stage) []core.Body {
	role := fallback(r, s)
	if role == "" {
		return nil
	}
	drop, ok := r.Reducible(s)
	if !ok {
		return nil
	}
	phase := r.Playbook.Phase(s.ID)
	alone := task(phase, s.Round)
	alone.Task, alone.Name, alone.Role = core.TaskID(phase.ID, s.Round, core.SoloTask), core.SoloTask, role
	alone.Inputs = slices.Clone(phase.Inputs)
	var without []string
	for _, t := range s.Tasks {
		switch {
		case t.Status == core.TaskDone:
			alone.Inputs = append(alone.Inputs, core.Input{Name: document(phase, t.Name)})
		case len(t.DependsOn) == 0:
			without = append(without, t.Name)
		}
	}
	if refusal := refused(r, []core.TaskAdmitted{alone}); refusal != nil {
		return []core.Body{blocked(r, s, *refusal)}
	}
	return []core.Body{
		core.TeamReduced{
			Stage: s.ID, Round: s.Round, Role: role, Dropped: drop,
			Reason: fmt.Sprintf("%s does %s alone: nothing usable came from %s", role, s.ID, strings.Join(without, ", ")),
		},
		alone,
	}
}
