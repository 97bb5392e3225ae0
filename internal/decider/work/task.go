// Package work is what all kinds of playbooks share: how one task is driven to its end. It is pure, and must not choose
// which tasks there are: the kinds' deciders do.
package work

import (
	"cmp"
	"fmt"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// First returns what the first of several deciders that has something to say decides.
func First(r *core.Run, deciders ...func(*core.Run) []core.Body) []core.Body {
	for _, decide := range deciders {
		if bodies := decide(r); len(bodies) > 0 {
			return bodies
		}
	}
	return nil
}

// Next is what follows for one task; nil if nothing does yet. A task without attempts left pauses the run.
func Next(r *core.Run, s *core.Stage, t *core.Task) core.Body {
	switch {
	case Lost(r, t): // before the wait, because no further try will follow
		return lost(r, s, t)
	case idle(t) && r.Now().Before(t.NotBefore):
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

func idle(t *core.Task) bool { return t.Status == core.TaskWaiting || t.Status == core.TaskDelivered }

// Lost reports a task that failed too often for reasons outside the work, or for one that waiting does not fix.
func Lost(r *core.Run, t *core.Task) bool {
	return idle(t) && (t.Stuck || t.Infra > r.Limits.Infra)
}

// Exhausted reports a task that has used up its attempts.
func Exhausted(t *core.Task) bool {
	return t.Status == core.TaskWaiting && t.Act == "" && t.Counted >= t.Limit
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
	if t.ToLook() {
		return core.VerifyRequested{Task: t.ID, Fresh: true}
	}
	if Exhausted(t) {
		return exhausted(r, s, t)
	}
	n := t.Requested + 1
	return core.AttemptRequested{Task: t.ID, Attempt: core.AttemptID(t.ID, n), N: n, Base: r.From(s, t)}
}

func exhausted(r *core.Run, s *core.Stage, t *core.Task) core.RunPaused {
	choices := append(r.Choices(core.VerbStatus), Onward(r, s)...)
	switch a := t.Last(); {
	case a == nil:
	case a.Exceeded != "" && a.Short != nil:
		choices = append(choices, a.Short.Choices...)
	case outgrew(a):
		choices = append(choices, core.Choice{Verb: core.VerbRaise, Limit: core.ResourceLimit(a.Resources.Exceeded)})
	}
	return core.RunPaused{Code: core.PauseAttempts, Stage: s.ID, Reason: label(r, s, t) + ": " + WhyNot(r, t), Advice: core.Advice{Choices: choices}}
}

// Onward is what a person can do, by the law, about a stage without attempts left: feedback needs somebody who reads it,
// and not every stage can be skipped.
func Onward(r *core.Run, s *core.Stage) []core.Choice {
	ways := []core.Verb{core.VerbRetry}
	if !r.Managed() || s.ID == core.PlanStage && !r.ByWaves() {
		ways = append(ways, core.VerbFeedback)
	}
	if !r.Managed() || s.Branch != "" {
		ways = append(ways, core.VerbSkip)
	} else {
		ways = append(ways, core.VerbCancel)
	}
	return r.Choices(ways...)
}

// label names a task of a stage for a person.
func label(r *core.Run, s *core.Stage, t *core.Task) string {
	name := s.ID
	if phase := r.Playbook.Phase(s.ID); phase != nil && phase.Title != "" {
		name = phase.Title
	}
	if t.Name != "" {
		name += ", " + t.Name
	}
	return name
}

// WhyNot says why a task is not done. If the failed check failed before the run began, it says so.
func WhyNot(r *core.Run, t *core.Task) string {
	attempts := fmt.Sprintf("%d attempts", t.Counted)
	if t.Counted == 1 {
		attempts = "1 attempt"
	}
	reason := attempts + ", and its checks still do not hold"
	last := t.Last()
	if failed := FirstFailed(last); failed != "" {
		reason += "; " + failed
		if r.Preflight.WasRed(failed) {
			reason += core.RedBefore
		}
	}
	switch {
	case last == nil:
	case last.Exceeded != "":
		reason += "; it ran into a limit: " + last.Exceeded
	case outgrew(last):
		reason += "; it ran into a limit: " + last.Resources.Breach
	}
	return reason
}

// outgrew reports an attempt that failed at a limit of the machine's resources.
func outgrew(a *core.Attempt) bool {
	return a.Exit == core.ExitFailed && a.Resources != nil && a.Resources.Breach != ""
}

// FirstFailed is the first failed check of an attempt's delivery.
func FirstFailed(a *core.Attempt) string {
	if a == nil {
		return ""
	}
	for _, c := range a.Results {
		if !c.Passed {
			return c.Check
		}
	}
	return ""
}

func lost(r *core.Run, s *core.Stage, t *core.Task) core.RunPaused {
	reason := fmt.Sprintf("%s was lost %d times to something outside the agent's work", t.ID, t.Infra)
	if t.Stuck {
		reason = label(r, s, t) + " cannot be worked on"
	}
	why := cmp.Or(t.Trouble, s.Trouble)
	if a := t.Last(); a != nil && a.Message != "" {
		why = a.Message
	}
	if why != "" {
		reason += ": " + why
	}
	return core.RunPaused{
		Code: core.PauseInfra, Stage: s.ID, Reason: reason,
		Advice: core.Advice{Hint: "put it right, then try again", Choices: r.Choices(core.VerbRetry)},
	}
}

// Title is the title of a run's pull request.
func Title(r *core.Run) string {
	if r.Issue == "" {
		return "feat: " + r.Title
	}
	return fmt.Sprintf("feat(#%s): %s", core.IssueNumber(r.Issue), r.Title)
}
