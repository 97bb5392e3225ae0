// Package github is the forge GitHub, in the cloud or as Enterprise Server. It
// opens pull requests and reads what became of them through the REST API. It
// must not push, merge, comment or change anything else.
package github

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	api "github.com/google/go-github/v88/github"

	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/forge/rest"
)

const (
	cloudAPI  = "https://api.github.com/"
	cloudHost = "github.com"

	pageSize = 100
)

// Options says which GitHub is meant. BaseURL is the address of an Enterprise
// Server, with or without /api/v3; empty for github.com.
type Options = rest.Options

// Forge is GitHub.
type Forge struct {
	client *rest.Client
	api    *api.Client
}

var _ forge.Forge = (*Forge)(nil)

// New makes the forge. It asks GitHub nothing yet.
func New(o Options) (*Forge, error) {
	o.BaseURL = cmp.Or(o.BaseURL, cloudAPI)
	client, err := rest.New(o, "Bearer")
	if err != nil {
		return nil, fmt.Errorf("GitHub: %w", err)
	}
	f := &Forge{client: client}
	client.Explain = f.explain
	switch {
	case client.Host == "api.github.com" || client.Host == cloudHost:
		client.Base.Host, client.Base.Path = "api.github.com", "/"
	case !strings.HasSuffix(client.Base.Path, "/api/v3/") && !strings.HasPrefix(client.Base.Host, "api."):
		client.Base.Path += "api/v3/"
	}
	client.Host = strings.TrimPrefix(client.Host, "api.")
	address := client.Base.String()
	f.api, err = api.NewClient(api.WithHTTPClient(client.HTTP), api.WithURLs(&address, &address), api.WithUserAgent("stellwerk"))
	if err != nil {
		return nil, fmt.Errorf("GitHub: %w", err)
	}
	return f, nil
}

// explain tells go-github's failures apart.
func (f *Forge) explain(e *forge.Error, err error) {
	var (
		quota  *api.RateLimitError
		abuse  *api.AbuseRateLimitError
		spoken *api.ErrorResponse
	)
	switch {
	case errors.As(err, &quota):
		e.Kind, e.Message = forge.ErrRateLimited, f.client.Message(quota.Message)
		e.RetryAfter = rest.Patience(e.Kind, time.Until(quota.Rate.Reset.Time))
	case errors.As(err, &abuse):
		e.Kind, e.Message = forge.ErrRateLimited, f.client.Message(abuse.Message)
		e.RetryAfter = rest.Patience(e.Kind, abuse.GetRetryAfter())
	case errors.As(err, &spoken):
		e.Message = f.client.Message(sentence(spoken))
	}
}

// sentence is what GitHub says, with the reasons it lists.
func sentence(r *api.ErrorResponse) string {
	parts := []string{r.Message}
	for _, e := range r.Errors {
		parts = append(parts, strings.TrimSpace(e.Field+" "+e.Code+" "+e.Message))
	}
	return strings.Join(parts, "; ")
}

// answer is what rest needs of a response, nil if there is none.
func answer(resp *api.Response) *rest.Answer {
	if resp == nil || resp.Response == nil {
		return nil
	}
	return &rest.Answer{Status: resp.StatusCode, Header: resp.Header}
}

// paged reads a list by numbers of pages.
func paged[T any](read func(api.ListOptions) ([]T, *api.Response, error)) func(page int) ([]T, *rest.Answer, error) {
	return func(page int) ([]T, *rest.Answer, error) {
		items, resp, err := read(api.ListOptions{Page: page, PerPage: pageSize})
		return items, answer(resp), err
	}
}
