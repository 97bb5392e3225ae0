package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Projects implements [api.Service].
func (c *Client) Projects(ctx context.Context, q api.ProjectQuery) ([]api.Project, error) {
	query := url.Values{}
	if q.Dir != "" {
		query.Set("dir", q.Dir)
	}
	if q.All {
		query.Set("all", "true")
	}
	list, err := call[api.ProjectList](ctx, c, http.MethodGet, endpoint("projects"), query, nil)
	return list.Projects, err
}

// Project implements [api.Service].
func (c *Client) Project(ctx context.Context, id string) (api.ProjectDetail, error) {
	return c.ofProject(ctx, http.MethodGet, id, nil)
}

// AddProject implements [api.Service].
func (c *Client) AddProject(ctx context.Context, req api.AddProject) (api.ProjectDetail, error) {
	return call[api.ProjectDetail](ctx, c, http.MethodPost, endpoint("projects"), nil, req)
}

// PauseProject implements [api.Service].
func (c *Client) PauseProject(ctx context.Context, id string, req api.PauseProject) (api.ProjectDetail, error) {
	return c.ofProject(ctx, http.MethodPost, id, req, "pause")
}

// ResumeProject implements [api.Service].
func (c *Client) ResumeProject(ctx context.Context, id string, req api.ResumeProject) (api.ProjectDetail, error) {
	return c.ofProject(ctx, http.MethodPost, id, req, "resume")
}

// ArchiveProject implements [api.Service].
func (c *Client) ArchiveProject(ctx context.Context, id string, req api.ArchiveProject) (api.ProjectDetail, error) {
	return c.ofProject(ctx, http.MethodPost, id, req, "archive")
}

// DropEpic implements [api.Service].
func (c *Client) DropEpic(ctx context.Context, id string, req api.DropEpic) (api.ProjectDetail, error) {
	return c.ofProject(ctx, http.MethodPost, id, req, "drop")
}

// RequeueEpic implements [api.Service].
func (c *Client) RequeueEpic(ctx context.Context, id string, req api.RequeueEpic) (api.ProjectDetail, error) {
	return c.ofProject(ctx, http.MethodPost, id, req, "requeue")
}

func (c *Client) ofProject(ctx context.Context, method, id string, in any, segments ...string) (api.ProjectDetail, error) {
	if id == "" || id == "." || id == ".." {
		return api.ProjectDetail{}, core.Errorf(core.CodeNotFound, "there is no project %q", id).WithHint("`stellwerk projects --all` lists them")
	}
	return call[api.ProjectDetail](ctx, c, method, endpoint(append([]string{"projects", id}, segments...)...), nil, in)
}
