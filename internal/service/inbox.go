package service

import (
	"context"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/show"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// Inbox implements api.Service.
func (a *Service) Inbox(ctx context.Context) ([]api.Waiting, error) {
	rows, err := a.store.Runs(ctx, store.Filter{Open: true})
	if err != nil {
		return nil, err
	}
	questions, err := a.store.Questions(ctx)
	if err != nil {
		return nil, err
	}
	byRun := map[string][]store.MessageRow{}
	for _, q := range questions {
		byRun[q.Run] = append(byRun[q.Run], q)
	}
	stranded, err := a.engine.Stranded(ctx)
	if err != nil {
		return nil, err
	}
	var waiting []api.Waiting
	for _, row := range rows {
		nobody, err := a.waitsStranded(ctx, row, stranded)
		if err != nil {
			return nil, err
		}
		waiting = append(waiting, nobody...)
		if row.Status == core.StatusActive && len(byRun[row.ID]) == 0 && a.engine.Left(row.Project) == nil {
			continue // nothing of it waits, and there may be a thousand of them
		}
		found, err := a.waitsOf(ctx, row, byRun[row.ID])
		if err != nil {
			return nil, err
		}
		waiting = append(waiting, found...)
	}
	refused, err := a.refusedEpics(ctx)
	if err != nil {
		return nil, err
	}
	waiting = append(waiting, refused...)
	slices.SortStableFunc(waiting, func(a, b api.Waiting) int { return a.Since.Compare(b.Since) })
	return waiting, nil
}

// waitsOf are what of one of the open runs waits for a person, if it can be read
// or that it cannot.
func (a *Service) waitsOf(ctx context.Context, row store.RunRow, asked []store.MessageRow) ([]api.Waiting, error) {
	project, err := a.find.ProjectName(ctx, row.Project)
	if err != nil {
		return nil, err
	}
	run, err := a.working(ctx, row)
	var found []api.Waiting
	switch {
	case unreadable(ctx, err):
		found = waitsUnread(row, err)
	case err != nil:
		return nil, err
	default:
		found = append(show.Waits(run), pending(run, project, asked)...)
		for i := range found {
			found[i].Run = show.Run(run)
		}
	}
	for i := range found {
		found[i].Project = project
	}
	return found, nil
}
