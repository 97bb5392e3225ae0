package engine

import (
	"encoding/json"
	"reflect"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// runRow is the projection of a run.
func runRow(r *core.Run) store.RunRow {
	share := r.Share()
	row := store.RunRow{
		ID: r.ID, Alias: r.Alias, Project: r.Project, Title: r.Title, Goal: r.Goal, Issue: r.Issue,
		Status: r.Status, Branch: r.Branch, Base: r.Base, Isolation: r.Isolation,
		Attempts: r.Attempts, CostUSD: r.Usage.CostUSD, Unpriced: r.Unpriced, Tokens: r.Usage.Tokens(), Limited: r.Limits.Project != (core.ProjectLimits{}), Worked: share.Worked,
		HeldUSD: share.HeldUSD, HeldTokens: share.HeldTokens,
		StartedAt: r.StartedAt, UpdatedAt: r.Now(), EndedAt: r.EndedAt, Reason: r.EndReason,
	}
	if s := r.Current(); s != nil {
		row.Stage = s.ID
	}
	if r.Pause != nil {
		row.Reason = r.Pause.Reason
	}
	if r.PullRequest != nil {
		row.URL = r.PullRequest.URL
	}
	return row
}

// progress is how far a run that drives a project has brought it; nil for
// other runs.
func progress(r *core.Run) *store.Progress {
	if !r.Drives() {
		return nil
	}
	p := &store.Progress{Project: r.Project, Status: projectStatus(r.Status), Reason: r.Waits(), Epic: r.Title, Branch: r.Branch, At: r.Now()}
	if r.PullRequest != nil {
		p.PRURL, p.PRNumber = r.PullRequest.URL, r.PullRequest.Number
	}
	return p
}

// projectStatus maps a run's status to the five statuses of the projects table.
func projectStatus(s core.RunStatus) core.RunStatus {
	switch s {
	case core.StatusActive, core.StatusCancelled: // the project is free for the next
		return core.StatusActive
	case core.StatusAwaiting, core.StatusPaused:
		return core.StatusPaused
	case core.StatusReview, core.StatusCompleted, core.StatusFailed:
		return s
	}
	return core.StatusActive
}

// taskRows are the projections of the tasks that a step changed.
func taskRows(before, after *core.Run, events []core.Event) []store.TaskRow {
	var rows []store.TaskRow
	for i, s := range after.Stages {
		for j, t := range s.Tasks {
			if t.Status == core.TaskDone && !ended(t, events) { // most are done, and stay as they are
				continue
			}
			row := taskRow(after, s, t, events[len(events)-1].At)
			if before != nil && i < len(before.Stages) && j < len(before.Stages[i].Tasks) {
				s := before.Stages[i]
				if reflect.DeepEqual(row, taskRow(before, s, s.Tasks[j], events[len(events)-1].At)) { // both as of now
					continue
				}
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// leftRows are the projections of the tasks that a step brought to their end, of
// a round that the state lets go of: another begins in the same step.
func leftRows(r *core.Run, stage string, events []core.Event) []store.TaskRow {
	var rows []store.TaskRow
	s := r.Stage(stage)
	if s == nil {
		return nil
	}
	for _, t := range s.Tasks {
		if ended(t, events) {
			rows = append(rows, taskRow(r, s, t, events[len(events)-1].At))
		}
	}
	return rows
}

// ended reports an event of the step that may have brought a task to its end.
func ended(t *core.Task, events []core.Event) bool {
	for _, ev := range events {
		var b struct {
			Task    string `json:"task"`
			Attempt string `json:"attempt"`
		}
		switch ev.Type {
		case core.TypeVerifyConcluded, core.TypePublishConcluded, core.TypeMergeConcluded, core.TypeValidateConcluded, core.TypeAttemptExited:
			if json.Unmarshal(ev.Body, &b) == nil && (b.Task == t.ID || t.Last() != nil && b.Attempt == t.Last().ID) {
				return true
			}
		default: // ends no task
		}
	}
	return false
}

// taskStatus maps a task's state to the four statuses of the tasks table.
func taskStatus(t *core.Task) store.TaskStatus {
	if t.Status == core.TaskDelivered && t.Prepared != nil {
		return store.TaskPending // a person is asked about it
	}
	switch t.Status {
	case core.TaskWaiting:
		return store.TaskPending
	case core.TaskRunning, core.TaskDelivered, core.TaskVerifying:
		return store.TaskRunning
	case core.TaskDone:
		return store.TaskCompleted
	case core.TaskDropped:
		return store.TaskFailed
	}
	return store.TaskPending
}
