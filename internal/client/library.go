package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/stellwerk-dev/stellwerk/internal/api"
)

// Playbooks implements [api.Library].
func (c *Client) Playbooks(ctx context.Context, q api.LibraryQuery) ([]api.PlaybookEntry, error) {
	list, err := call[api.PlaybookList](ctx, c, http.MethodGet, endpoint("playbooks"), libraryQuery(q), nil)
	return list.Playbooks, err
}

// Playbook implements [api.Library].
func (c *Client) Playbook(ctx context.Context, name string, q api.LibraryQuery) (api.PlaybookSource, error) {
	return call[api.PlaybookSource](ctx, c, http.MethodGet, endpoint("playbooks", name), libraryQuery(q), nil)
}

// CheckPlaybook implements [api.Library].
func (c *Client) CheckPlaybook(ctx context.Context, req api.CheckPlaybook) (api.PlaybookVerdict, error) {
	return call[api.PlaybookVerdict](ctx, c, http.MethodPost, endpoint("playbooks", "check"), nil, req)
}

// Roles implements [api.Library].
func (c *Client) Roles(ctx context.Context, q api.LibraryQuery) ([]api.RoleEntry, error) {
	list, err := call[api.RoleList](ctx, c, http.MethodGet, endpoint("roles"), libraryQuery(q), nil)
	return list.Roles, err
}

// Examine implements [api.Health].
func (c *Client) Examine(ctx context.Context) ([]api.Examined, error) {
	list, err := call[api.ExaminedList](ctx, c, http.MethodGet, endpoint("health"), nil, nil)
	return list.Findings, err
}

func libraryQuery(q api.LibraryQuery) url.Values {
	query := url.Values{}
	if q.Project != "" {
		query.Set("project", q.Project)
	}
	return query
}
