package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// Problem is an error on the wire: an RFC 9457 problem with the code a client
// decides by and the hint a person acts on.
type Problem struct {
	Title  string    `json:"title" doc:"The HTTP status in words"`
	Status int       `json:"status" doc:"The HTTP status"`
	Detail string    `json:"detail" doc:"What happened, to what"`
	Code   core.Code `json:"code" doc:"What kind of error it is"`
	Hint   string    `json:"hint,omitempty" doc:"What a person can do"`
	// Choices are those that the hint puts into words.
	Choices []core.Choice `json:"choices,omitempty"`
}

// statusByCode is the one place that turns codes into HTTP statuses.
func statusByCode(code core.Code) int {
	switch code {
	case core.CodeInvalid:
		return http.StatusUnprocessableEntity
	case core.CodeNotFound:
		return http.StatusNotFound
	case core.CodeConflict, core.CodeForked:
		return http.StatusConflict
	case core.CodeForbidden, core.CodeUnlawful:
		return http.StatusForbidden
	case core.CodeUntrusted:
		return http.StatusPreconditionRequired
	case core.CodeUnavailable:
		return http.StatusServiceUnavailable
	case core.CodeUnsupported:
		return http.StatusNotImplemented
	case core.CodeInternal:
		return http.StatusInternalServerError
	}
	return http.StatusInternalServerError
}

// codeByStatus gives the errors of the HTTP layer itself a code.
func codeByStatus(status int) core.Code {
	switch {
	case status == http.StatusNotFound:
		return core.CodeNotFound
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return core.CodeForbidden
	case status == http.StatusNotAcceptable, status == http.StatusUnsupportedMediaType:
		return core.CodeUnsupported
	case status >= 400 && status < 500:
		return core.CodeInvalid
	}
	return core.CodeInternal
}

// problemOf puts err on the wire.
func problemOf(err error) *Problem {
	var p *Problem
	if errors.As(err, &p) {
		return p
	}
	code := core.CodeOf(err)
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		code = core.CodeUnavailable
	}
	p = NewProblem(statusByCode(code), err.Error(), wording.Hint(err))
	p.Code, p.Choices = code, core.AdviceOf(err).Choices
	return p
}

// Error is what happened, as one line.
func (p *Problem) Error() string { return p.Detail }

// GetStatus is the status the response is sent with.
func (p *Problem) GetStatus() int { return p.Status }

// ContentType marks the body as a problem.
func (p *Problem) ContentType(string) string { return "application/problem+json" }

// Err is the problem as the error the service returned.
func (p *Problem) Err() error {
	return &core.Error{Code: p.Code, Message: p.Detail, Advice: core.Advice{Hint: p.Hint}}
}

// ownProblems replaces the framework's error bodies with ours, so that clients
// meet one shape whoever refused their request.
func ownProblems(_ huma.Context, _ string, v any) (any, error) {
	model, ok := v.(*huma.ErrorModel)
	if !ok {
		return v, nil
	}
	details := []string{model.Detail}
	for _, e := range model.Errors {
		if e != nil {
			details = append(details, strings.TrimPrefix(e.Location+": "+e.Message, ": "))
		}
	}
	return NewProblem(model.Status, strings.Join(details, "; "), ""), nil
}

// NewProblem is what is wrong with a request that reaches no operation, by a status
// of the HTTP layer itself.
func NewProblem(status int, detail, hint string) *Problem {
	return &Problem{Title: http.StatusText(status), Status: status, Detail: detail, Code: codeByStatus(status), Hint: hint}
}

func writeProblem(w http.ResponseWriter, p *Problem) { p.Write(w) }

// Write answers a request with the problem.
func (p *Problem) Write(w http.ResponseWriter) {
	body, err := json.Marshal(p)
	if err != nil {
		http.Error(w, p.Detail, p.Status)
		return
	}
	w.Header().Set("Content-Type", p.ContentType(""))
	w.WriteHeader(p.Status)
	_, _ = w.Write(body) // the peer is gone; nobody is left to tell
}

// StatusOf is the HTTP status that tells of an error.
func StatusOf(err error) int { return problemOf(err).Status }
