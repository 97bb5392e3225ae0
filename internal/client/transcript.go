package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/stellwerk-dev/stellwerk/internal/api"
)

// Transcript implements [api.Service].
func (c *Client) Transcript(ctx context.Context, id, attempt string, q api.TranscriptQuery) (api.Transcript, error) {
	query := url.Values{}
	if q.At != 0 {
		query.Set("at", strconv.FormatInt(q.At, 10))
	}
	if q.Forward {
		query.Set("forward", "true")
	}
	if q.Limit > 0 {
		query.Set("limit", strconv.Itoa(q.Limit))
	}
	return ofRun[api.Transcript](ctx, c, http.MethodGet, query, nil, id, "attempts", attempt, "transcript")
}
