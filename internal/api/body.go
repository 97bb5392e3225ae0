package api

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

const maxBody = 1 << 20

// BodyTime is how long the body of a request may take.
const BodyTime = 10 * time.Second

// Bounded reads the whole body of a request before next begins, with the limits
// of size and time that every face of the engine has, and lets next state one
// status. Refuse answers a request that is too large or too slow.
func Bounded(next http.Handler, refuse func(http.ResponseWriter, *Problem)) http.Handler {
	return bounded(BodyTime, next, refuse)
}

// bounded reads the whole request body before the operation begins: at most
// maxBody, within timeout. The deadline is lifted afterwards, because
// net/http cancels a request whose read deadline passes while it is served, and
// an operation may rightly take long.
func bounded(timeout time.Duration, next http.Handler, refuse func(http.ResponseWriter, *Problem)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn := http.NewResponseController(w)
		if err := conn.SetReadDeadline(time.Now().Add(timeout)); err != nil {
			refuse(w, problemOf(fmt.Errorf("limit the time to read the request: %w", err)))
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err != nil {
			refuse(w, bodyProblem(err))
			return
		}
		if err := conn.SetReadDeadline(time.Time{}); err != nil {
			refuse(w, problemOf(fmt.Errorf("lift the time limit of the request: %w", err)))
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(&statedWriter{ResponseWriter: w}, r)
	})
}

func bodyProblem(err error) *Problem {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return NewProblem(http.StatusRequestEntityTooLarge, fmt.Sprintf("the request is larger than %d bytes", tooLarge.Limit), "send less at once")
	}
	return NewProblem(http.StatusBadRequest, "the request could not be read: "+err.Error(), "")
}
