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
	"sync/atomic"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

const (
	dialTimeout = 3 * time.Second
	// maxAnswer bounds what is kept of one answer; documents are streamed.
	maxAnswer = 256 << 20
)

// Client is an engine in another process. Its methods are those of the API's
// table of routes.
type Client struct {
	api.Service
	base  string // scheme and host of every request
	where string // as people know it
	hint  string // what to do if it does not answer
	token string
	http  *http.Client
	// patience is how long a stream that broke off is resumed while nobody answers.
	patience time.Duration

	remote bool        // on another machine
	hosted bool        // by this process
	ending atomic.Bool // as it said
	notice atomic.Pointer[string]
}

// New talks to the engine at a unix socket in the name of who holds token. It
// does not connect yet.
func New(socket, token string) *Client {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{Timeout: dialTimeout}).DialContext(ctx, "unix", socket)
	}
	return connected(&Client{base: "http://engine", where: socket, hint: "start one with `stellwerk serve`", token: token, http: &http.Client{
		Transport: &http.Transport{DialContext: dial, DisableCompression: true, MaxIdleConnsPerHost: 4},
	}})
}

// connected gives a client its methods.
func connected(c *Client) *Client {
	c.Service = api.NewProxy(c.do)
	return c
}

// Hosted marks the engine as one of this process.
func (c *Client) Hosted() *Client {
	c.hosted = true
	return c
}

// Ends reports an engine that ends with this process, or that was ending when it
// answered last: it will not drive a run on.
func (c *Client) Ends() bool { return c.hosted || c.ending.Load() }

// Notice is the warning for all users that came with the engine's last answer; "" if there was none.
func (c *Client) Notice() string {
	if n := c.notice.Load(); n != nil {
		return *n
	}
	return ""
}

// do calls a route and reads what comes back: a stream, a document or an answer.
func (c *Client) do(ctx context.Context, r api.Route, in, out any) error {
	if c.remote {
		if err := api.WithoutFolders(in, c.where); err != nil {
			return err
		}
	}
	switch out := out.(type) {
	case func(core.Event) error:
		return c.resumed(ctx, r, in, happened(out))
	case func(api.Moved) error:
		return c.resumed(ctx, r, in, moved(out))
	}
	resp, err := c.open(ctx, r, in, "")
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if w, ok := out.(io.Writer); ok {
		return c.document(ctx, resp.Body, w)
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxAnswer)).Decode(out); err != nil {
		return c.broken(ctx, err)
	}
	return nil
}

// Close lets go of idle connections.
func (c *Client) Close() error {
	c.http.CloseIdleConnections()
	return nil
}

// open sends a request and returns the response if the engine accepted it. A
// stream is resumed after the event last.
func (c *Client) open(ctx context.Context, r api.Route, in any, last string) (*http.Response, error) {
	target, content, err := encode(r, in)
	if err != nil {
		return nil, err
	}
	var body io.Reader
	if content != nil {
		data, err := json.Marshal(content)
		if err != nil {
			return nil, fmt.Errorf("encode the request: %w", err)
		}
		body = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, c.base+target, body)
	if err != nil {
		return nil, fmt.Errorf("make the request: %w", err)
	}
	for name, value := range map[string]string{
		"Authorization": "Bearer " + c.token, api.SessionHeader: api.SpeakingSession(ctx), api.CallHeader: api.CallFrom(ctx), "Last-Event-ID": last,
	} {
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.unreachable(ctx, err)
	}
	notice := resp.Header.Get(api.NoticeHeader)
	c.notice.Store(&notice)
	if resp.StatusCode == http.StatusOK {
		c.ending.Store(resp.Close) // a server that shuts down keeps no connection
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

func (c *Client) broken(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return core.Wrap(core.CodeUnavailable, err, "the engine's answer broke off", "try again")
}
