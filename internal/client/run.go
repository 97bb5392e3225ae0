package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// StartRun implements [api.Service].
func (c *Client) StartRun(ctx context.Context, req api.StartRun) (api.Run, error) {
	return call[api.Run](ctx, c, http.MethodPost, endpoint("runs"), nil, req)
}

// Runs implements [api.Service].
func (c *Client) Runs(ctx context.Context, q api.RunQuery) ([]api.Run, error) {
	query := url.Values{}
	for name, value := range map[string]string{"dir": q.Dir, "project": q.Project, "status": q.Status, "before": q.Before} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if q.Open {
		query.Set("open", "true")
	}
	if q.Limit > 0 {
		query.Set("limit", strconv.Itoa(q.Limit))
	}
	list, err := call[api.RunList](ctx, c, http.MethodGet, endpoint("runs"), query, nil)
	return list.Runs, err
}

// Run implements [api.Service].
func (c *Client) Run(ctx context.Context, id string) (api.RunDetail, error) {
	return ofRun[api.RunDetail](ctx, c, http.MethodGet, nil, nil, id)
}

// Events implements [api.Service].
func (c *Client) Events(ctx context.Context, id string, after int64, limit int) ([]core.Event, error) {
	query := afterQuery(after)
	if limit > 0 {
		query.Set("limit", strconv.Itoa(limit))
	}
	list, err := ofRun[api.EventList](ctx, c, http.MethodGet, query, nil, id, "events")
	return list.Events, err
}

// Output implements [api.Service].
func (c *Client) Output(ctx context.Context, id, attempt string, after int64) (api.Output, error) {
	return ofRun[api.Output](ctx, c, http.MethodGet, afterQuery(after), nil, id, "attempts", attempt, "output")
}

// Effects implements [api.Service].
func (c *Client) Effects(ctx context.Context, id string, q api.EffectQuery) (api.Effects, error) {
	query := url.Values{}
	for name, value := range map[string]string{"attempt": q.Attempt, "tool": q.Tool, "outcome": q.Outcome} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if q.Limit > 0 {
		query.Set("limit", strconv.Itoa(q.Limit))
	}
	return ofRun[api.Effects](ctx, c, http.MethodGet, query, nil, id, "effects")
}

// Inbox implements [api.Service].
func (c *Client) Inbox(ctx context.Context) ([]api.Waiting, error) {
	list, err := call[api.WaitingList](ctx, c, http.MethodGet, endpoint("inbox"), nil, nil)
	return list.Waiting, err
}

// Limits implements [api.Service].
func (c *Client) Limits(ctx context.Context, q api.LimitsQuery) ([]api.Account, error) {
	query := url.Values{}
	for name, value := range map[string]string{"of": q.Of, "dir": q.Dir} {
		if value != "" {
			query.Set(name, value)
		}
	}
	list, err := call[api.AccountList](ctx, c, http.MethodGet, endpoint("limits"), query, nil)
	return list.Accounts, err
}

func afterQuery(after int64) url.Values {
	query := url.Values{}
	if after > 0 {
		query.Set("after", strconv.FormatInt(after, 10))
	}
	return query
}

func ofRun[T any](ctx context.Context, c *Client, method string, query url.Values, in any, run string, segments ...string) (T, error) {
	p, err := runPath(run, segments...)
	if err != nil {
		var none T
		return none, err
	}
	return call[T](ctx, c, method, p, query, in)
}
