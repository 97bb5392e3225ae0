// Package gitea is the forge Gitea, and Forgejo, which answers in the same way.
// It opens pull requests and reads what became of them through the REST API. It
// must not push, merge, comment or change anything else.
package gitea

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	api "code.gitea.io/sdk/gitea"

	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/forge/rest"
)

const (
	pageSize = 50 // the most that a Gitea gives in its usual settings
	maxPages = 40
)

var errNoNumber = errors.New("the answer names no pull request")

// Options says which Gitea is meant.
type Options struct {
	BaseURL string // address of the Gitea, as a browser is told
	Token   forge.Secret
	// Repository is owner/name, where the remote does not tell.
	Repository string
	Timeout    time.Duration // of one request; 0 for the default
	// Plain allows an address without TLS beyond this machine.
	Plain bool
}

// Forge is a Gitea.
type Forge struct {
	client *rest.Client
	named  *rest.Repository
}

var _ forge.Forge = (*Forge)(nil)

// New makes the forge. It asks the Gitea nothing yet.
func New(o Options) (*Forge, error) {
	base := strings.TrimSuffix(strings.TrimSuffix(o.BaseURL, "/"), "/api/v1")
	client, err := rest.New(rest.Options{Base: base, Token: o.Token, Scheme: "token", Timeout: o.Timeout, Plain: o.Plain})
	if err != nil {
		return nil, fmt.Errorf("gitea: %w", err)
	}
	f := &Forge{client: client}
	if o.Repository != "" {
		named, err := rest.Named(o.Repository)
		if err != nil {
			return nil, err
		}
		f.named = &named
	}
	return f, nil
}

func (f *Forge) repository(remote string) (rest.Repository, error) {
	if f.named != nil {
		return *f.named, nil
	}
	return rest.At(remote, f.client.Base.Hostname())
}

// session is the SDK for one call: it keeps its context in the client. The
// server's version is not asked for; what it lacks, it answers with 404.
func (f *Forge) session(ctx context.Context) (*api.Client, error) {
	client, err := api.NewClient(f.client.Base.String(), api.SetContext(ctx), api.SetHTTPClient(f.client.HTTP),
		api.SetGiteaVersion(""), api.SetUserAgent("stellwerk"))
	if err != nil {
		return nil, fmt.Errorf("gitea: %w", err)
	}
	return client, nil
}

func (f *Forge) failure(ctx context.Context, op string, resp *api.Response, err error) error {
	var answer *http.Response
	if resp != nil {
		answer = resp.Response
	}
	return f.client.Failure(ctx, op, answer, err)
}

// pages reads a list to its end or to the bound, which it reports as incomplete.
// A server may give fewer than asked for, and some lists come whole whatever
// page is asked for: how many there are decides, else the header Link.
func pages[T any](read func(api.ListOptions) ([]T, *api.Response, error)) (all []T, complete bool, resp *api.Response, err error) {
	options := api.ListOptions{Page: 1, PageSize: pageSize}
	for range maxPages {
		items, resp, err := read(options)
		if err != nil {
			return nil, false, resp, err
		}
		all = append(all, items...)
		total, err := strconv.Atoi(resp.Header.Get("X-Total-Count"))
		counted := err == nil
		if len(items) == 0 || counted && len(all) >= total || !counted && resp.NextPage == 0 {
			return all, true, resp, nil
		}
		options.Page++
	}
	return all, false, nil, nil
}
