package phases

import (
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/work"
)

// tasks are the tasks of a new round of a phase.
func tasks(phase *core.Phase, opened core.StageOpened) []core.TaskAdmitted {
	if phase.Team != nil {
		return team(phase, opened.Round)
	}
	t := task(phase, opened.Round)
	// A round that somebody asked for must change something.
	t.VerifyFirst = phase.VerifyFirst && core.TreeOnly(phase.Done) && (opened.Reason == core.OpenAdvance || opened.Reason == core.OpenRedo)
	return []core.TaskAdmitted{t}
}

func task(phase *core.Phase, round int) core.TaskAdmitted {
	return core.TaskAdmitted{
		Task: core.TaskID(phase.ID, round, ""), Stage: phase.ID, Round: round, Role: phase.Role, Act: phase.Act,
		Writes: phase.Writes, Needs: phase.Needs, Inputs: phase.Inputs, Outputs: phase.Outputs, Done: phase.Done,
		Attempts: phase.Attempts, Timeout: phase.Timeout,
	}
}

// move drives the tasks of an open round, and brings the stage to its gate once they are done.
func move(r *core.Run, s *core.Stage) []core.Body {
	if bodies := reduce(r, s); len(bodies) > 0 {
		return bodies
	}
	var bodies []core.Body
	for _, t := range s.Tasks {
		if awaitsTeam(r, s, t) {
			continue
		}
		if b := work.Next(r, s, t); b != nil {
			if pause, ok := b.(core.RunPaused); ok {
				return []core.Body{pause}
			}
			bodies = append(bodies, b)
		}
	}
	if len(bodies) > 0 {
		return bodies
	}
	if !ready(s) {
		return nil
	}
	return []core.Body{settle(r, s)}
}

// ready reports that the stage can come to its gate: its tasks are done, or its act is prepared.
func ready(s *core.Stage) bool {
	for _, t := range s.Tasks {
		if t.Act != "" && t.Prepared != nil {
			return true
		}
	}
	return s.TasksDone()
}
