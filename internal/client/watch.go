package client

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Position implements [api.Service].
func (c *Client) Position(ctx context.Context) (string, error) {
	standing, err := call[api.Standing](ctx, c, http.MethodGet, endpoint("position"), nil, nil)
	return standing.At, err
}

// Watch implements [api.Service]. What moved while the stream was broken off is
// told when it is back.
func (c *Client) Watch(ctx context.Context, since string, fn func(api.Moved) error) error {
	return c.resumed(ctx, since, moved(fn), func(last string) (*http.Response, error) {
		return c.openAt(ctx, endpoint("watch"), nil, last)
	})
}

func moved(fn func(api.Moved) error) handler {
	return func(name string, data []byte) (string, error) {
		if name != api.EventMoved {
			return "", nil
		}
		var m api.Moved
		if err := json.Unmarshal(data, &m); err != nil {
			return "", core.Errorf(core.CodeInternal, "the engine said what moved in a way that cannot be read: %w", err)
		}
		return m.At, fn(m)
	}
}

// RunAt implements [api.Service].
func (c *Client) RunAt(ctx context.Context, id string, seq int64) (api.RunDetail, error) {
	return ofRun[api.RunDetail](ctx, c, http.MethodGet, nil, nil, id, "at", strconv.FormatInt(seq, 10))
}

// Prompt implements [api.Service].
func (c *Client) Prompt(ctx context.Context, id, attempt string, w io.Writer) error {
	return c.document(ctx, nil, w, id, "attempts", attempt, "prompt")
}

// Document implements [api.Service].
func (c *Client) Document(ctx context.Context, id, digest string, w io.Writer) error {
	return c.document(ctx, nil, w, id, "documents", digest)
}
