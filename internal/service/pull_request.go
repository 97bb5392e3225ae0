package service

import (
	"context"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
	"github.com/stellwerk-dev/stellwerk/internal/show"
)

// detail shows a run with what lies beside its state: its folder, and the record of
// its pull request.
func (a *Service) detail(ctx context.Context, r *core.Run) api.RunDetail {
	d := show.Detail(r)
	d.Folder, d.PullRequest = a.journal.Dir(r.ID), a.viewPullRequest(ctx, r)
	return d
}

// maxPullText bounds what is sent of a pull request's text.
const maxPullText = 32 << 10 // characters

// viewPullRequest shows where a run was published. A record that cannot be read
// is left out: the run is what it is without it.
func (a *Service) viewPullRequest(ctx context.Context, r *core.Run) *api.PullRequest {
	pr := r.PullRequest
	if pr == nil {
		return nil
	}
	v := &api.PullRequest{Number: pr.Number, URL: pr.URL, State: pr.State, Commit: pr.Commit}
	if r.ForgeURL != "" {
		return v
	}
	record, err := a.pulls.Read(ctx, r.Project, pr.Number)
	if err != nil {
		a.log.Debug("the record of a pull request cannot be read", "run", r.Alias, "error", err)
		return v
	}
	v.Record = &api.PullRecord{Title: record.Title, Text: plain.Clip(record.Body, maxPullText), Head: record.Head, Base: record.Base}
	return v
}
