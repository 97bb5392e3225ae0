package forge

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Reasons why a forge did not do what it was asked. Every [Error] matches exactly one.
var (
	ErrToken       = errors.New("the forge does not accept the token: it is wrong, expired or revoked")
	ErrForbidden   = errors.New("the token does not permit this")
	ErrNotFound    = errors.New("not found, or not visible to the token")
	ErrRateLimited = errors.New("the forge limits how often it can be asked")
	ErrUnavailable = errors.New("the forge gave no usable answer")
	ErrRefused     = errors.New("the forge refused the request")
)

// Error is a failure of a forge. It contains no token.
type Error struct {
	Kind       error         // one of the Err values above
	Op         string        // what was being done, to what
	Status     int           // of the answer; 0 if there was none
	Message    string        // what the forge said, in one line of bounded length
	RetryAfter time.Duration // how long the forge asked to wait; 0 if it did not say

	Cause error
}

func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %v", e.Op, e.Kind)
	if e.Status != 0 {
		fmt.Fprintf(&b, " (%d %s)", e.Status, http.StatusText(e.Status))
	}
	if e.Message != "" {
		b.WriteString(": " + e.Message)
	}
	if e.RetryAfter > 0 {
		fmt.Fprintf(&b, "; try again in %s", e.RetryAfter.Round(time.Second))
	}
	return b.String()
}

// Unwrap yields the kind and the cause.
func (e *Error) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Cause}
}

// Retry reports whether another try may succeed, and how long the forge asked to
// wait until then, 0 if it did not say. A person must deal with other failures:
// the token, the permission, the repository.
func Retry(err error) (after time.Duration, ok bool) {
	if !errors.Is(err, ErrRateLimited) && !errors.Is(err, ErrUnavailable) {
		return 0, false
	}
	var e *Error
	if errors.As(err, &e) {
		after = e.RetryAfter
	}
	return after, true
}
