package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/stellwerk-dev/stellwerk/internal/api"
)

// Spending implements [api.Books].
func (c *Client) Spending(ctx context.Context, q api.SpendingQuery) ([]api.DaySpending, error) {
	query := url.Values{}
	if q.Days > 0 {
		query.Set("days", strconv.Itoa(q.Days))
	}
	list, err := call[api.SpendingList](ctx, c, http.MethodGet, endpoint("spending"), query, nil)
	return list.Days, err
}

// RunSpending implements [api.Books].
func (c *Client) RunSpending(ctx context.Context, id string) ([]api.AttemptSpending, error) {
	list, err := ofRun[api.AttemptSpendingList](ctx, c, http.MethodGet, nil, nil, id, "spending")
	return list.Attempts, err
}
