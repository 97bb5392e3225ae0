package manager

import (
	"fmt"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/work"
)

// turn drives the manager's turn to its end.
func turn(r *core.Run) []core.Body {
	if !r.InTurn() {
		return nil
	}
	s := r.Manager()
	if s.TasksDone() {
		return []core.Body{core.StagePassed{Stage: s.ID, Round: s.Round, Commit: r.Head}}
	}
	for _, t := range s.Tasks {
		if work.Exhausted(t) {
			return []core.Body{failed(r, s, t)}
		}
		if t.Status == core.TaskWaiting && (r.Managing.PlanProposed != nil || r.Driving.PlanWrite != nil) {
			return nil // the plan of the try before is committed first
		}
		if b := work.Next(r, s, t); b != nil {
			return []core.Body{b}
		}
	}
	return nil
}

func failed(r *core.Run, s *core.Stage, t *core.Task) core.RunPaused {
	reason := fmt.Sprintf("the manager failed %d times", t.Counted)
	if a := t.Last(); a != nil && a.Message != "" {
		reason += ": " + a.Message
	}
	return core.RunPaused{
		Code: core.PauseAttempts, Stage: s.ID, Reason: reason,
		Advice: core.Advice{Choices: r.Choices(core.VerbLog, core.VerbRetry)},
	}
}

// woken begins a turn if something happened that the manager has not seen.
func woken(r *core.Run) []core.Body {
	if r.InTurn() || len(r.Managing.Wakes) == 0 {
		return nil
	}
	return begin(r, core.OpenWoken)
}

// watchdog begins a turn if nothing happened for too long.
func watchdog(r *core.Run) []core.Body {
	if at := r.WatchdogAt(); at.IsZero() || r.Now().Before(at) {
		return nil
	}
	return begin(r, core.OpenWatchdog)
}

func begin(r *core.Run, why core.OpenReason) []core.Body {
	m, round := r.Playbook.Project, 1
	if s := r.Manager(); s != nil {
		round = s.Round + 1
	}
	return []core.Body{
		core.StageOpened{Stage: core.ManagerStage, Round: round, Reason: why, Base: r.Head, Title: "Manager"},
		core.TaskAdmitted{
			Task: core.TaskID(core.ManagerStage, round, ""), Stage: core.ManagerStage, Round: round, Kind: core.KindManage,
			Role: m.Roles[core.KindManage], Writes: core.WritesPlan, Attempts: m.Attempts, Timeout: m.Timeout,
		},
	}
}
