// Package github is the forge GitHub, in the cloud or as Enterprise Server. It
// opens pull requests and reads what became of them through the REST API. It
// must not push, merge, comment or change anything else.
package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
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
	maxPages = 30
)

// Options says which GitHub is meant.
type Options struct {
	// BaseURL is the address of an Enterprise Server, with or without /api/v3;
	// empty for github.com.
	BaseURL string
	Token   forge.Secret
	// Repository is owner/name, where the remote does not tell.
	Repository string
	Timeout    time.Duration // of one request; 0 for the default
	// Plain allows an address without TLS beyond this machine.
	Plain bool
}

// Forge is GitHub.
type Forge struct {
	client *rest.Client
	api    *api.Client
	host   string // of remotes
	named  *rest.Repository
}

var _ forge.Forge = (*Forge)(nil)

// New makes the forge. It asks GitHub nothing yet.
func New(o Options) (*Forge, error) {
	base := o.BaseURL
	if base == "" {
		base = cloudAPI
	}
	client, err := rest.New(rest.Options{Base: base, Token: o.Token, Scheme: "Bearer", Timeout: o.Timeout, Plain: o.Plain})
	if err != nil {
		return nil, fmt.Errorf("GitHub: %w", err)
	}
	f := &Forge{client: client, host: client.Base.Hostname()}
	switch {
	case client.Base.Hostname() == "api.github.com" || client.Base.Hostname() == cloudHost:
		client.Base.Host, client.Base.Path, f.host = "api.github.com", "/", cloudHost
	case !strings.HasSuffix(client.Base.Path, "/api/v3/") && !strings.HasPrefix(client.Base.Host, "api."):
		client.Base.Path += "api/v3/"
	}
	f.host = strings.TrimPrefix(f.host, "api.")
	if o.Repository != "" {
		named, err := rest.Named(o.Repository)
		if err != nil {
			return nil, err
		}
		f.named = &named
	}
	address := client.Base.String()
	f.api, err = api.NewClient(api.WithHTTPClient(client.HTTP), api.WithURLs(&address, &address), api.WithUserAgent("stellwerk"))
	if err != nil {
		return nil, fmt.Errorf("GitHub: %w", err)
	}
	return f, nil
}

func (f *Forge) repository(remote string) (rest.Repository, error) {
	if f.named != nil {
		return *f.named, nil
	}
	return rest.At(remote, f.host)
}

// failure tells go-github's failures apart.
func (f *Forge) failure(ctx context.Context, op string, resp *api.Response, err error) error {
	var answer *http.Response
	if resp != nil {
		answer = resp.Response
	}
	failed := f.client.Failure(ctx, op, answer, err)
	var e *forge.Error
	if !errors.As(failed, &e) {
		return failed
	}
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
	return failed
}

// sentence is what GitHub says, with the reasons it lists.
func sentence(r *api.ErrorResponse) string {
	parts := []string{r.Message}
	for _, e := range r.Errors {
		parts = append(parts, strings.TrimSpace(e.Field+" "+e.Code+" "+e.Message))
	}
	return strings.Join(parts, "; ")
}

// pages reads a list to its end or to the bound, which it reports as incomplete.
func pages[T any](read func(api.ListOptions) ([]T, *api.Response, error)) (all []T, complete bool, resp *api.Response, err error) {
	options := api.ListOptions{Page: 1, PerPage: pageSize}
	for range maxPages {
		items, resp, err := read(options)
		if err != nil {
			return nil, false, resp, err
		}
		all = append(all, items...)
		if resp.NextPage == 0 {
			return all, true, resp, nil
		}
		options.Page = resp.NextPage
	}
	return all, false, nil, nil
}
