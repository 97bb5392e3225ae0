// Package client is the engine's service as seen from another process: each
// call becomes a request on the engine's socket or over the network, each problem
// becomes the error the service returned. It must not decide, remember or retry anything except
// to resume a broken stream where it left off.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

const (
	dialTimeout = 3 * time.Second
	// maxAnswer bounds what is kept of one answer; documents are streamed.
	maxAnswer = 256 << 20
)

// Client is an engine in another process.
type Client struct {
	base  string // scheme and host of every request
	where string // as people know it
	hint  string // what to do where it does not answer
	token string
	http  *http.Client
	// patience is how long a stream that broke off is resumed while nobody answers.
	patience time.Duration
}

var _ api.Service = (*Client)(nil)

// New talks to the engine at a unix socket in the name of who holds token. It
// does not connect yet.
func New(socket, token string) *Client {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{Timeout: dialTimeout}).DialContext(ctx, "unix", socket)
	}
	return &Client{base: "http://engine", where: socket, hint: "start one with `stellwerk serve`", token: token, http: &http.Client{
		Transport: &http.Transport{DialContext: dial, DisableCompression: true, MaxIdleConnsPerHost: 4},
	}}
}

// Close lets go of idle connections.
func (c *Client) Close() error {
	c.http.CloseIdleConnections()
	return nil
}

// endpoint joins segments, each taken literally.
func endpoint(segments ...string) string {
	p := "/v1"
	for _, s := range segments {
		p += "/" + url.PathEscape(s)
	}
	return p
}

// runPath is a path below a run.
func runPath(run string, segments ...string) (string, error) {
	switch run {
	case "", ".", "..":
		return "", core.Errorf(core.CodeNotFound, "there is no run %q", run)
	}
	return endpoint(append([]string{"runs", run}, segments...)...), nil
}

func (c *Client) request(ctx context.Context, method, path string, query url.Values, in any) (*http.Request, error) {
	var body io.Reader
	if in != nil {
		data, err := json.Marshal(in)
		if err != nil {
			return nil, fmt.Errorf("encode the request: %w", err)
		}
		body = bytes.NewReader(data)
	}
	target := c.base + path
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, method, target, body)
	if err != nil {
		return nil, fmt.Errorf("make the request: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	if session := api.SpeakingSession(ctx); session != "" {
		req.Header.Set(api.SessionHeader, session)
	}
	if name := api.CallFrom(ctx); name != "" {
		req.Header.Set(api.CallHeader, name)
	}
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}

// send returns the response of a request that the engine accepted.
func (c *Client) send(req *http.Request) (*http.Response, error) {
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.unreachable(req.Context(), err)
	}
	if resp.StatusCode == http.StatusOK {
		return resp, nil
	}
	defer func() { _ = resp.Body.Close() }()
	return nil, problem(resp)
}

// unreachable says that no engine answered, unless the caller gave up.
func (c *Client) unreachable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var uerr *url.Error
	if errors.As(err, &uerr) {
		err = uerr.Err
	}
	return core.Wrap(core.CodeUnavailable, err, "no engine answers at "+c.where, c.hint)
}

func problem(resp *http.Response) error {
	var p api.Problem
	data, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err == nil {
		err = json.Unmarshal(data, &p)
	}
	if err != nil || p.Code == "" {
		return core.Errorf(core.CodeInternal, "the engine answered %s without a reason", resp.Status)
	}
	return p.Err()
}

// call sends in and reads the answer.
func call[T any](ctx context.Context, c *Client, method, path string, query url.Values, in any) (T, error) {
	var out T
	req, err := c.request(ctx, method, path, query, in)
	if err != nil {
		return out, err
	}
	resp, err := c.send(req)
	if err != nil {
		return out, err
	}
	defer func() { _ = resp.Body.Close() }()
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxAnswer)).Decode(&out); err != nil {
		return out, c.broken(ctx, err)
	}
	return out, nil
}

func (c *Client) broken(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return core.Wrap(core.CodeUnavailable, err, "the engine's answer broke off", "try again")
}
