package courier

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/stellwerk-dev/stellwerk/internal/exchange/wire"
)

// ErrGivenUp means that the engines take nothing more of the attempt: it is over, or was given up.
var ErrGivenUp = errors.New("the attempt was given up")

// ErrClaimed means that another worker has the attempt.
var ErrClaimed = errors.New("another worker has claimed the attempt")

// errRefused is an answer that repeating the request does not change.
var errRefused = errors.New("the engine refused")

// errTaken is a refusal because something else is there already.
var errTaken = fmt.Errorf("%w: conflict", errRefused)

const (
	dialTime   = 5 * time.Second
	answerTime = 2 * time.Minute // the longest silence within an answer; a word is waited for a quarter of the engine's patience
	firstPause = 20 * time.Millisecond
	mostPause  = 2 * time.Second
	maxAnswer  = 4 << 20
)

// client speaks for one attempt to whichever engine answers at a URL.
type client struct {
	base, token, worker string
	http                *http.Client
}

func newClient(base, token, worker string) *client {
	dial := (&net.Dialer{Timeout: dialTime}).DialContext
	if socket, local := strings.CutPrefix(base, wire.SocketScheme); local {
		tcp := dial
		base, dial = "http://engine", func(ctx context.Context, _, _ string) (net.Conn, error) { return tcp(ctx, "unix", socket) }
	}
	return &client{base: strings.TrimSuffix(base, "/"), token: token, worker: worker, http: &http.Client{
		Transport: &http.Transport{
			DialContext: dial, TLSHandshakeTimeout: dialTime,
			ResponseHeaderTimeout: answerTime, MaxIdleConnsPerHost: 4, ForceAttemptHTTP2: true, DisableCompression: true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // the token is for nobody else
	}}
}

// insist sends a request until an engine answers it, or ctx ends. While none answers, what is to be sent stays where it is:
// on this machine's disk.
func (c *client) insist(ctx context.Context, method, path string, body []byte, read func(io.Reader) error) error {
	pause := backoff.NewExponentialBackOff()
	pause.InitialInterval, pause.MaxInterval = firstPause, mostPause
	for {
		err := c.send(ctx, method, path, body, read)
		if err == nil || errors.Is(err, ErrGivenUp) || errors.Is(err, errRefused) {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), err)
		case <-time.After(pause.NextBackOff()):
		}
	}
}

// send sends a request once.
func (c *client) send(ctx context.Context, method, path string, body []byte, read func(io.Reader) error) error {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("%w: %w", errRefused, err)
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	req.Header.Set(wire.Header, fmt.Sprint(wire.Proto))
	req.Header.Set(wire.WorkerHeader, c.worker)
	resp, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	switch code := resp.StatusCode; {
	case code == http.StatusOK:
		if read == nil {
			return nil
		}
		return read(resp.Body)
	case code == http.StatusConflict:
		return fmt.Errorf("%w: %s", errTaken, reason(resp))
	case code == http.StatusGone:
		return fmt.Errorf("%w: %s", ErrGivenUp, reason(resp))
	case code >= 400 && code < 500 && code != http.StatusTooManyRequests && code != http.StatusRequestTimeout:
		return fmt.Errorf("%w with %d: %s", errRefused, code, reason(resp))
	default:
		return fmt.Errorf("the engine answers %d: %s", code, reason(resp))
	}
}

func reason(resp *http.Response) string {
	const most = 2000
	text, err := io.ReadAll(io.LimitReader(resp.Body, most))
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(string(text))
}

// decoded reads an answer of JSON.
func decoded(into any) func(io.Reader) error {
	return func(r io.Reader) error { return json.NewDecoder(io.LimitReader(r, maxAnswer)).Decode(into) }
}
