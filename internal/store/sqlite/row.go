package sqlite

import (
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/query"
)

func runParams(r *store.RunRow) query.PutRunParams {
	return query.PutRunParams{
		ID: r.ID, Alias: r.Alias, ProjectID: r.Project, Title: r.Title, Goal: r.Goal, Issue: r.Issue,
		Status: string(r.Status), Reason: r.Reason, Stage: r.Stage, Branch: r.Branch, Base: r.Base, Url: r.URL,
		Isolation: r.Isolation, Attempts: int64(r.Attempts), CostUsd: r.CostUSD, Tokens: r.Tokens,
		StartedAt: micros(r.StartedAt), UpdatedAt: micros(r.UpdatedAt), EndedAt: optionalMicros(r.EndedAt),
		Limited: flag(r.Limited), Worked: r.Worked.Microseconds(), Unpriced: int64(r.Unpriced), HeldUsd: r.HeldUSD, HeldTokens: r.HeldTokens,
	}
}

func runRow(r query.Run) store.RunRow {
	return store.RunRow{
		ID: r.ID, Alias: r.Alias, Project: r.ProjectID, Title: r.Title, Goal: r.Goal, Issue: r.Issue,
		Status: core.RunStatus(r.Status), Reason: r.Reason, Stage: r.Stage, Branch: r.Branch, Base: r.Base, URL: r.Url,
		Isolation: r.Isolation, Attempts: int(r.Attempts), CostUSD: r.CostUsd, Unpriced: int(r.Unpriced), Tokens: r.Tokens, HeldUSD: r.HeldUsd, HeldTokens: r.HeldTokens,
		StartedAt: fromMicros(r.StartedAt), UpdatedAt: fromMicros(r.UpdatedAt), EndedAt: fromOptional(r.EndedAt),
		Limited: r.Limited != 0, Worked: time.Duration(r.Worked) * time.Microsecond,
	}
}

func flag(set bool) int64 {
	if set {
		return 1
	}
	return 0
}

func projectParams(p *store.ProjectRow) query.PutProjectParams {
	return query.PutProjectParams{
		ID: p.ID, Name: p.Name, RepoUrl: p.RepoURL, DefaultBranch: p.DefaultBranch,
		IntegrationBranch: p.IntegrationBranch, Status: string(p.Status), CurrentEpic: p.CurrentEpic,
		LastActivity: micros(p.LastActivity), CreatedAt: micros(p.CreatedAt), CreatedBy: p.CreatedBy,
		PrUrl: p.PRURL, PrNumber: int64(p.PRNumber),
		Playbook: p.Playbook, Paused: p.Paused, ArchivedAt: optionalMicros(p.ArchivedAt),
		Queued: int64(p.Queued), Refused: int64(p.Refused), RunStatus: string(p.Status), RunReason: p.Reason,
	}
}

func projectRow(p query.Project) store.ProjectRow {
	return store.ProjectRow{
		ID: p.ID, Name: p.Name, RepoURL: p.RepoUrl, DefaultBranch: p.DefaultBranch,
		IntegrationBranch: p.IntegrationBranch, Status: core.RunStatus(p.Status), CurrentEpic: p.CurrentEpic,
		LastActivity: fromMicros(p.LastActivity), CreatedAt: fromMicros(p.CreatedAt), CreatedBy: p.CreatedBy,
		TotalTasks: int(p.TotalTasks), CompletedTasks: int(p.CompletedTasks), FailedTasks: int(p.FailedTasks),
		TotalCostUSD: core.SumUSD(p.TotalCostUsd), Unpriced: int(p.Unpriced), PRURL: p.PrUrl, PRNumber: int(p.PrNumber),
		Playbook: p.Playbook, Paused: p.Paused, ArchivedAt: fromOptional(p.ArchivedAt),
		Queued: int(p.Queued), Refused: int(p.Refused), Reason: p.RunReason,
	}
}

func taskParams(t *store.TaskRow) query.PutTaskParams {
	return query.PutTaskParams{
		RunID: t.Run, ID: t.ID, Addressee: t.Addressee, ProjectID: t.Project, TaskType: t.Kind, Status: string(t.Status),
		Prompt: t.Prompt, RepoUrl: t.RepoURL, Branch: t.Branch, TriggeredByTaskID: t.TriggeredBy,
		CreatedBy: t.CreatedBy, CreatedAt: micros(t.CreatedAt), StartedAt: optionalMicros(t.StartedAt),
		CompletedAt: optionalMicros(t.CompletedAt), Result: t.Result, WorkerPod: t.Worker,
	}
}

func taskRow(t query.Task) store.TaskRow {
	return store.TaskRow{
		Run: t.RunID, ID: t.ID, Addressee: t.Addressee, Project: t.ProjectID, Kind: t.TaskType, Status: store.TaskStatus(t.Status),
		Prompt: t.Prompt, RepoURL: t.RepoUrl, Branch: t.Branch, TriggeredBy: t.TriggeredByTaskID,
		CreatedBy: t.CreatedBy, CreatedAt: fromMicros(t.CreatedAt), StartedAt: fromOptional(t.StartedAt),
		CompletedAt: fromOptional(t.CompletedAt), Result: t.Result, Worker: t.WorkerPod,
	}
}
