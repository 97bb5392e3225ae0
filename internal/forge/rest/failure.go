package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
)

const (
	maxMessage = 300
	// patience is how long to wait for a forge that does not say how long.
	patience = time.Minute
	// longest bounds what a forge may ask for.
	longest = 2 * time.Hour
)

// Answer is a response without its body, which the library of the forge has read.
type Answer struct {
	Status int
	Header http.Header
}

// Failure makes an error of what came back: an answer, if there was one, and
// the library's own error. Nil stays nil. If the context ended, the error says
// so, because the forge did not cause that.
func (c *Client) Failure(ctx context.Context, op string, resp *Answer, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", op, ctx.Err())
	}
	e := &forge.Error{Op: op, Kind: forge.ErrUnavailable, Message: c.Message(err.Error())}
	if errors.Is(err, errAstray) {
		e.Kind = forge.ErrRefused
		return e
	}
	if resp == nil {
		e.Cause = err // nothing in it comes from the other side
		return e
	}
	e.Status = resp.Status
	e.Kind = kind(resp)
	e.RetryAfter = wait(e.Kind, resp.Header, time.Now())
	if c.Explain != nil {
		c.Explain(e, err)
	}
	return e
}

// Message makes one line of bounded length, without the token, of what a forge said.
func (c *Client) Message(text string) string {
	return plain.Line(c.token.Redact(text), maxMessage)
}

func kind(resp *Answer) error {
	switch status := resp.Status; {
	case status == http.StatusUnauthorized:
		return forge.ErrToken
	case status == http.StatusTooManyRequests, status == http.StatusForbidden && limited(resp.Header):
		return forge.ErrRateLimited
	case status == http.StatusForbidden:
		return forge.ErrForbidden
	case status == http.StatusNotFound, status == http.StatusGone:
		return forge.ErrNotFound
	case status >= 500, status < 300, status == http.StatusRequestTimeout:
		return forge.ErrUnavailable
	default:
		return forge.ErrRefused
	}
}

func limited(h http.Header) bool {
	return h.Get("Retry-After") != "" || h.Get("X-RateLimit-Remaining") == "0"
}

// wait is how long the forge asks to wait: Retry-After in seconds or as a date,
// else until a used-up quota is renewed.
func wait(kind error, h http.Header, now time.Time) time.Duration {
	if !errors.Is(kind, forge.ErrRateLimited) && !errors.Is(kind, forge.ErrUnavailable) {
		return 0
	}
	var after time.Duration
	if seconds, err := strconv.Atoi(h.Get("Retry-After")); err == nil {
		after = time.Duration(min(seconds, int(longest/time.Second))) * time.Second
	} else if date, err := http.ParseTime(h.Get("Retry-After")); err == nil {
		after = date.Sub(now)
	} else if reset, err := strconv.ParseInt(h.Get("X-RateLimit-Reset"), 10, 64); err == nil && h.Get("X-RateLimit-Remaining") == "0" {
		after = time.Unix(reset, 0).Sub(now)
	}
	return Patience(kind, after)
}

// Patience bounds a wait, and sets one if a forge limits requests without saying for how long.
func Patience(kind error, after time.Duration) time.Duration {
	if after <= 0 && errors.Is(kind, forge.ErrRateLimited) {
		return patience
	}
	return min(max(after, 0), longest)
}
