package engine

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// taskRow is the projection of a task as of now, which is when it was completed
// if it is.
func taskRow(r *core.Run, s *core.Stage, t *core.Task, now time.Time) store.TaskRow {
	row := store.TaskRow{
		ID: r.TaskID(t.ID), Run: r.ID, Project: r.Project, Addressee: addressee(r, s, t), Kind: s.ID, Status: taskStatus(t),
		Prompt: taskPrompt(r, s, t), RepoURL: cmp.Or(r.Home, r.Remote), Branch: cmp.Or(s.Branch, r.Branch), TriggeredBy: trigger(r, s, t),
		CreatedBy: creator(r, s, t), CreatedAt: t.AdmittedAt,
	}
	if r.Managed() {
		row.Kind = string(t.Kind)
	}
	if t.Status != core.TaskDone && r.Status.Terminal() { // nobody brings it to its end any more
		row.Status = store.TaskFailed
	}
	a := t.Last()
	if a != nil {
		row.Worker = a.ID
	}
	switch {
	case a != nil && !a.StartedAt.IsZero():
		started := a.StartedAt
		row.StartedAt = &started
	case t.Act != "" && row.Status != store.TaskPending: // the engine does it itself, at once
		started := row.CreatedAt
		row.StartedAt = &started
	}
	switch {
	case t.Status == core.TaskDone:
		row.CompletedAt = &now
	case row.Status == store.TaskFailed && a != nil && row.StartedAt != nil && !a.Status.Active():
		ended := a.StartedAt.Add(a.Duration)
		row.CompletedAt = &ended
	}
	if row.Status == store.TaskCompleted || row.Status == store.TaskFailed {
		row.Result = taskResult(r, s, t)
	}
	return row
}

// trigger is the task whose end called for this one, by its id in the table.
func trigger(r *core.Run, s *core.Stage, t *core.Task) string {
	if task := r.TriggeredBy(s, t); task != "" {
		return r.TaskID(task)
	}
	return ""
}

// taskPrompt is what is to be done, in the words of whoever wanted it. The whole
// prompt, with inputs and evidence, is made for each attempt and kept with it.
func taskPrompt(r *core.Run, s *core.Stage, t *core.Task) string {
	switch {
	case t.Prompt != "":
		return t.Prompt
	case t.Kind == core.KindManage && s.Turn != nil:
		return wakesText(s.Turn)
	case t.Kind == core.KindWave:
		return r.Goal
	}
	if d := r.Waves.Work(s.ID); d != nil && t.Kind == core.KindWork {
		return d.Brief.Task
	}
	if p := r.Playbook.Phase(s.ID); p != nil {
		return cmp.Or(p.Title, p.ID) + ": " + cmp.Or(p.Prompt, r.Goal)
	}
	return cmp.Or(s.Title, r.Goal)
}

// wakesText says why a manager was woken, a line each.
func wakesText(turn *core.Turn) string {
	var b strings.Builder
	for _, w := range turn.Wakes {
		fmt.Fprintf(&b, "%s\n", strings.Join(strings.Fields(string(w.Kind)+" "+w.Subject+" "+w.Status+" "+w.Text), " "))
	}
	if turn.Missed > 0 {
		fmt.Fprintf(&b, "and %d more\n", turn.Missed)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// result is how a task ended.
type result struct {
	Success    bool   `json:"success"`
	Summary    string `json:"summary,omitempty"`
	Commit     string `json:"commit,omitempty"`
	DurationMS int64  `json:"duration_ms,omitempty"`
	core.Cost
	*reviewed
	PRURL    string `json:"pr_url,omitempty"`
	PRNumber int    `json:"pr_number,omitempty"`
	*merged
}

// reviewed is what a reviewer said, with the verdict in both of its names.
type reviewed struct {
	Review   core.ReviewStatus `json:"review"`
	Decision string            `json:"decision"`
	Issues   []string          `json:"issues,omitempty"`
	Reason   string            `json:"reason,omitempty"`
}

func reviewOf(r *core.Review) *reviewed {
	decisions := map[core.ReviewStatus]string{
		core.ReviewApproved: "APPROVE", core.ReviewChangesRequested: "REQUEST_CHANGES", core.ReviewRejected: "REJECT",
	}
	out := &reviewed{Review: r.Status, Decision: decisions[r.Status], Reason: r.Reason}
	for _, f := range r.Findings {
		out.Issues = append(out.Issues, strings.TrimPrefix(f.File+": "+f.Issue, ": "))
	}
	return out
}

// merged is how a merge went, or what an agent put right of one.
type merged struct {
	Conflicts     bool         `json:"conflicts"`
	ResolvedFiles []string     `json:"resolved_files,omitempty"`
	Build         core.Verdict `json:"build,omitempty"` // of the checks of the merged tree
}

func taskResult(r *core.Run, s *core.Stage, t *core.Task) []byte {
	out := result{Success: t.Status == core.TaskDone, Cost: core.CostOf(0, 0)}
	for _, a := range t.Attempts {
		out.DurationMS += a.Duration.Milliseconds()
		out.Cost = out.Plus(a.Cost())
	}
	if !out.Success {
		out.Summary = r.EndReason
	}
	if a := t.Last(); a != nil {
		out.Summary = cmp.Or(a.Summary, out.Summary)
		if !out.Success {
			out.Summary = cmp.Or(a.Message, out.Summary)
		}
		if a.Review != nil {
			out.reviewed = reviewOf(a.Review)
		}
	}
	if d := t.Delivered(); out.Success && d != nil {
		out.Commit = d.Commit
	}
	if n := t.Merge; n != nil {
		out.merged = &merged{Conflicts: n.Conflicts, ResolvedFiles: n.Resolved, Build: n.Build}
	}
	switch {
	case !out.Success:
	case t.Act == core.ActMerge:
		out.Commit = s.Merged
	case t.Published && r.PullRequest != nil:
		out.PRURL, out.PRNumber, out.Commit = r.PullRequest.URL, r.PullRequest.Number, r.PullRequest.Commit
	case t.Kind == core.KindResolve && s.Conflict != nil:
		out.merged = &merged{Conflicts: true, ResolvedFiles: s.Conflict.Files}
	}
	encoded, err := json.Marshal(out)
	if err != nil { // a cost that is no number, which no reader of usage lets through
		return nil
	}
	return encoded
}
