package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Position implements [api.Service].
func (c *Client) Position(ctx context.Context) (string, error) {
	standing, err := call[api.Standing](ctx, c, http.MethodGet, endpoint("position"), nil, nil)
	return standing.At, err
}

// Watch implements [api.Service]. A stream that breaks off is resumed, for as
// long as an engine answers; what moved meanwhile is told then.
func (c *Client) Watch(ctx context.Context, since string, fn func(api.Moved) error) error {
	for {
		resp, err := c.openAt(ctx, endpoint("watch"), url.Values{"since": {since}}, "")
		if err != nil {
			return err
		}
		s := &stream{r: bufio.NewReader(resp.Body), last: since, on: moved(fn)}
		err = s.read()
		_ = resp.Body.Close()
		if !errors.Is(err, errBrokenOff) {
			return err
		}
		since = s.last
		if err := pause(ctx); err != nil {
			return err
		}
	}
}

func moved(fn func(api.Moved) error) func(string, []byte) (string, error) {
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
