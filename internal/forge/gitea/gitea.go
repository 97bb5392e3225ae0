// Package gitea is the forge Gitea, and Forgejo, which answers in the same way.
// It opens pull requests and reads what became of them through the REST API. It
// must not push, merge, comment or change anything else.
package gitea

import (
	"context"
	"fmt"
	"strings"

	api "code.gitea.io/sdk/gitea"

	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/forge/rest"
)

const pageSize = 50 // the most that a Gitea gives in its usual settings

// Options says which Gitea is meant. BaseURL is its address, as a browser is told.
type Options = rest.Options

// Forge is a Gitea.
type Forge struct{ client *rest.Client }

var _ forge.Forge = (*Forge)(nil)

// New makes the forge. It asks the Gitea nothing yet.
func New(o Options) (*Forge, error) {
	o.BaseURL = strings.TrimSuffix(strings.TrimSuffix(o.BaseURL, "/"), "/api/v1")
	client, err := rest.New(o, "token")
	if err != nil {
		return nil, fmt.Errorf("gitea: %w", err)
	}
	return &Forge{client: client}, nil
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
		items, resp, err := read(api.ListOptions{Page: page, PageSize: pageSize})
		return items, answer(resp), err
	}
}
