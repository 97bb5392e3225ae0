package core

import (
	"slices"
	"time"
)

// Effects are the actions that the state requests and nobody has concluded,
// in a fixed order.
func Effects(r *Run) []Action {
	var actions []Action
	for _, k := range r.Keep {
		actions = append(actions, k)
	}
	if r.Verified != r.BranchAt && (r.BranchAt != "" || r.Verified != r.BaseCommit) && len(r.Keep) == 0 {
		actions = append(actions, MoveBranch{Ref: "refs/heads/" + r.Branch, Old: r.BranchAt, New: r.Verified})
	}
	actions = append(actions, managedEffects(r)...)
	for _, s := range r.Stages {
		if s.Asked && !r.Status.Terminal() {
			phase := r.Playbook.Phase(s.ID)
			actions = append(actions, EvaluateCondition{Event: s.Event, Stage: s.ID, Expr: phase.When})
		}
		for _, t := range s.Tasks {
			actions = append(actions, taskEffects(r, s, t)...)
		}
	}
	if r.IsMerging() {
		actions = append(actions, MergeIntoBase{Event: r.PullRequest.Grant.Event})
	}
	for _, id := range r.Tell {
		actions = append(actions, Notify{Event: id})
	}
	if r.Status.Terminal() && !r.Swept && len(actions) == 0 { // the last that is done for a run
		actions = append(actions, Sweep{Run: r.ID})
	}
	return actions
}

// managedEffects are those of a run that drives a project.
func managedEffects(r *Run) []Action {
	if !r.Managed() {
		return nil
	}
	var actions []Action
	for _, s := range r.Stages {
		if s.LineAt != s.line(r) && len(r.Keep) == 0 {
			actions = append(actions, MoveBranch{Ref: "refs/heads/" + s.Branch, Old: s.LineAt, New: s.line(r)})
		}
	}
	for _, l := range r.Gone {
		if len(r.Keep) == 0 {
			actions = append(actions, MoveBranch{Ref: "refs/heads/" + l.Branch, Old: l.At})
		}
	}
	if r.Status.Terminal() {
		return actions
	}
	if r.Driving.Plan == nil && r.Drives() {
		actions = append(actions, ReadPlan{Run: r.ID, Commit: r.Head})
	}
	if r.Driving.PlanWrite != nil {
		actions = append(actions, WritePlan{Event: r.Driving.PlanWrite.Event})
	}
	if p := r.PullRequest; p != nil && r.Drives() && p.State != PullRequestMerged && p.State != PullRequestClosed {
		actions = append(actions, WatchPullRequest{Run: r.ID, Commit: p.Commit, Merge: p.Grant.Merge})
	}
	return actions
}

// line is where the ref of the stage's branch belongs: nowhere once the run's
// branch has taken it in for good, or the stage was given up.
func (s *Stage) line(r *Run) string {
	switch {
	case s.Branch == "":
		return ""
	case s.Status == StageOpen || s.Status == StageGated:
		return s.Line
	case s.Merged != "" && r.BranchAt != r.Verified:
		return s.LineAt
	}
	return ""
}

// assumeRef is for a stage that ends before anybody told of the first move of its
// branch. Whoever moved it may have ended right after, or been called off: the ref is
// taken to be there, so that it is removed.
func (s *Stage) assumeRef() {
	if s.Branch != "" && s.LineAt == "" {
		s.LineAt = s.Line
	}
}

func taskEffects(r *Run, s *Stage, t *Task) []Action {
	if a := t.Last(); a != nil && a.Status.Active() {
		return attemptEffects(r, s, t, a)
	}
	switch {
	case r.Status.Terminal(), r.Pause != nil && r.Pause.Stop:
		return nil
	case t.Status == TaskVerifying && t.Act == ActMerge:
		return []Action{Merge{Event: t.Event, Stage: s.ID, Task: t.ID}}
	case t.Status == TaskVerifying && (t.Act == ActValidate || t.looking()):
		return []Action{Validate{Event: t.Event, Stage: s.ID, Task: t.ID}}
	case t.Status == TaskVerifying && t.Act != "":
		return []Action{PreparePublish{Event: t.Event, Stage: s.ID, Task: t.ID}}
	case t.Status == TaskVerifying:
		return []Action{Verify{Event: t.Event, Stage: s.ID, Task: t.ID, Attempt: t.Last().ID}}
	case t.Status == TaskRunning && t.Act != "":
		return []Action{Publish{Event: t.Event, Task: t.ID}}
	}
	return nil
}

func attemptEffects(r *Run, s *Stage, t *Task, a *Attempt) []Action {
	switch a.Status {
	case AttemptPending:
		return []Action{StartAttempt{Event: a.Event, Stage: s.ID, Task: t.ID, Attempt: a.ID, Session: r.Session}}
	case AttemptRunning:
		return []Action{WatchAttempt{Event: a.Event, Task: t.ID, Attempt: a.ID}}
	case AttemptStopping:
		return []Action{
			StopAttempt{Event: a.Event, Task: t.ID, Attempt: a.ID, Reason: a.StopReason},
			WatchAttempt{Event: a.Event, Task: t.ID, Attempt: a.ID},
		}
	case AttemptEnded:
	}
	return nil
}

// Timers are the moments at which the state wants to be looked at again, in
// order. Moments that have passed are left out: an event at or after a moment
// has already brought it.
func Timers(r *Run) []time.Time {
	var due []time.Time
	add := func(at time.Time) {
		if at.After(r.Now()) {
			due = append(due, at)
		}
	}
	for _, t := range r.tasks() {
		if a := t.Last(); a != nil && a.Status == AttemptRunning && t.Timeout > 0 {
			add(a.StartedAt.Add(t.Timeout + stopGrace + time.Second))
		}
		if r.Status == StatusActive && (t.Status == TaskWaiting || t.Status == TaskDelivered) {
			add(t.NotBefore)
		}
	}
	for _, q := range r.Questions {
		if !r.Status.Terminal() && q.Default != "" {
			add(q.Due)
		}
	}
	if at := r.WatchdogAt(); !at.IsZero() {
		add(at)
	}
	if r.Status == StatusActive && r.Limits.WallTime > 0 {
		add(r.ClockFrom.Add(r.Limits.WallTime))
	}
	if at := r.ProjectTimeUp(); !at.IsZero() {
		add(at)
	}
	slices.SortFunc(due, time.Time.Compare)
	return due
}
