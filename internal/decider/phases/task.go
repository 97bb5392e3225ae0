package phases

import (
	"fmt"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// tasks are the tasks of a new round of a phase.
func tasks(phase *core.Phase, round int) []core.Body {
	if phase.Team == nil {
		return []core.Body{task(phase, round)}
	}
	return team(phase, round)
}

func task(phase *core.Phase, round int) core.TaskAdmitted {
	return core.TaskAdmitted{
		Task: core.TaskID(phase.ID, round, ""), Stage: phase.ID, Round: round, Role: phase.Role, Act: phase.Act,
		Writes: phase.Writes, Needs: phase.Needs, Inputs: phase.Inputs, Outputs: phase.Outputs, Done: phase.Done,
		Attempts: phase.Attempts, Timeout: phase.Timeout,
	}
}

// work moves the tasks of an open round on, and the stage to its gate once
// they are done.
func work(r *core.Run, s *core.Stage) []core.Body {
	if bodies := reduce(r, s); len(bodies) > 0 {
		return bodies
	}
	var bodies []core.Body
	for _, t := range s.Tasks {
		if awaitsTeam(r, s, t) {
			continue
		}
		if b := next(r, s, t); b != nil {
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

// ready reports that the stage is at its gate: all done, or the act prepared.
func ready(s *core.Stage) bool {
	for _, t := range s.Tasks {
		if t.Act != "" && t.Prepared != nil {
			return true
		}
	}
	return s.TasksDone()
}

// next is what follows for one task; nil where nothing does yet.
func next(r *core.Run, s *core.Stage, t *core.Task) core.Body {
	idle := t.Status == core.TaskWaiting || t.Status == core.TaskDelivered
	switch {
	case idle && t.Infra > r.Limits.Infra: // before the wait: there will be no further try to wait for
		return lost(r, s, t)
	case idle && r.Now().Before(t.NotBefore):
		return nil
	}
	switch t.Status {
	case core.TaskWaiting:
		return start(r, s, t)
	case core.TaskDelivered:
		if t.Act != "" {
			return nil
		}
		return core.VerifyRequested{Task: t.ID, Attempt: t.Last().ID}
	case core.TaskRunning, core.TaskVerifying, core.TaskDone, core.TaskDropped:
	}
	return nil
}

func start(r *core.Run, s *core.Stage, t *core.Task) core.Body {
	if t.Act != "" {
		return core.VerifyRequested{Task: t.ID, Fresh: true}
	}
	if t.Blocked != nil {
		return nil
	}
	for _, dep := range t.DependsOn {
		if d := r.Task(dep); d == nil || d.Status != core.TaskDone {
			return nil
		}
	}
	if t.Counted >= t.Limit {
		return exhausted(r, s, t)
	}
	n := t.Requested + 1
	return core.AttemptRequested{Task: t.ID, Attempt: core.AttemptID(t.ID, n), N: n, Base: t.WorkingCommit(s.Base)}
}

func exhausted(r *core.Run, s *core.Stage, t *core.Task) core.RunPaused {
	reason := fmt.Sprintf("%s: %d attempts, and its checks still do not hold", t.ID, t.Counted)
	if a := t.Last(); a != nil {
		for _, c := range a.Results {
			if !c.Passed {
				reason += "; " + c.Check
				break
			}
		}
	}
	return core.RunPaused{
		Code: core.PauseAttempts, Stage: s.ID, Reason: reason,
		Next: fmt.Sprintf("`stellwerk status %s` shows why; then `stellwerk retry %s`, `stellwerk feedback %s \"…\"` or `stellwerk skip %s`", r.Alias, r.Alias, r.Alias, r.Alias),
	}
}

func lost(r *core.Run, s *core.Stage, t *core.Task) core.RunPaused {
	reason := fmt.Sprintf("%s was lost %d times to something outside the agent's work", t.ID, t.Infra)
	if a := t.Last(); a != nil && a.Message != "" {
		reason += ": " + a.Message
	}
	return core.RunPaused{
		Code: core.PauseInfra, Stage: s.ID, Reason: reason,
		Next: fmt.Sprintf("put it right, then `stellwerk retry %s`", r.Alias),
	}
}
