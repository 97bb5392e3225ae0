package service

import (
	"context"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// openRuns are the statuses of the runs that are not over, by their project.
func (a *Service) openRuns(ctx context.Context, project string) (map[string][]core.RunStatus, error) {
	rows, err := a.store.Runs(ctx, store.Filter{Project: project, Open: true})
	if err != nil {
		return nil, err
	}
	open := map[string][]core.RunStatus{}
	for _, r := range rows {
		open[r.Project] = append(open[r.Project], r.Status)
	}
	return open, nil
}

// projectState is how a project stands, with all its open runs: what people decided
// comes first, then what is done, then what waits. If nothing is open, it is
// how the last epic ended.
func projectState(row store.ProjectRow, open []core.RunStatus) api.ProjectState {
	waits, reviewed := 0, 0
	for _, s := range open {
		switch s {
		case core.StatusReview:
			reviewed++
		case core.StatusAwaiting, core.StatusPaused:
			waits++
		case core.StatusActive, core.StatusCompleted, core.StatusFailed, core.StatusCancelled:
		}
	}
	switch {
	case row.ArchivedAt != nil:
		return api.ProjectArchived
	case row.Paused != "":
		return api.ProjectPaused
	case len(open) > waits+reviewed:
		return api.ProjectRunning
	case waits > 0:
		return api.ProjectWaiting
	case reviewed > 0:
		return api.ProjectState(core.StatusReview)
	case row.Status == core.StatusCompleted, row.Status == core.StatusFailed:
		return api.ProjectState(row.Status)
	}
	return api.ProjectFree
}
