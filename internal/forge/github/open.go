package github

import (
	"context"
	"fmt"
	"strings"

	api "github.com/google/go-github/v88/github"

	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/forge/rest"
)

// Open implements forge.Forge.
func (f *Forge) Open(ctx context.Context, req forge.PullRequest) (url string, number int, err error) {
	repo, err := f.repository(req.Remote)
	if err != nil {
		return "", 0, err
	}
	entry, err := f.client.Open(ctx, &book{forge: f, repo: repo, head: req.Head, base: req.Base}, req)
	return entry.URL, entry.Number, err
}

// book is GitHub's list of the pull requests of one branch into another.
type book struct {
	forge      *Forge
	repo       rest.Repository
	head, base string
}

func (b *book) op(verb string) string {
	return fmt.Sprintf("%s the pull request of %s into %s at %s", verb, b.head, b.base, b.repo)
}

// List implements rest.Book. GitHub ignores a filter that it does not
// understand, so what it returns is looked at again.
func (b *book) List(ctx context.Context) ([]rest.Entry, error) {
	pulls, _, resp, err := pages(func(o api.ListOptions) ([]*api.PullRequest, *api.Response, error) {
		return b.forge.api.PullRequests.List(ctx, b.repo.Owner, b.repo.Name, &api.PullRequestListOptions{
			State: "all", Head: b.repo.Owner + ":" + b.head, Base: b.base, ListOptions: o,
		})
	})
	if err != nil {
		return nil, b.forge.failure(ctx, b.op("find"), resp, err)
	}
	var entries []rest.Entry
	for _, p := range pulls {
		if p.GetHead().GetRef() == b.head && p.GetBase().GetRef() == b.base &&
			strings.EqualFold(p.GetHead().GetRepo().GetFullName(), b.repo.String()) {
			entries = append(entries, entry(p))
		}
	}
	return entries, nil
}

// Create implements rest.Book.
func (b *book) Create(ctx context.Context, title, body string) (rest.Entry, error) {
	pull, resp, err := b.forge.api.PullRequests.Create(ctx, b.repo.Owner, b.repo.Name, &api.NewPullRequest{
		Title: &title, Body: &body, Head: &b.head, Base: &b.base,
	})
	if err == nil && pull.GetNumber() == 0 {
		err = errNoNumber
	}
	if err != nil {
		return rest.Entry{}, b.forge.failure(ctx, b.op("open"), resp, err)
	}
	return entry(pull), nil
}

// Update implements rest.Book.
func (b *book) Update(ctx context.Context, number int, title, body string) error {
	_, resp, err := b.forge.api.PullRequests.Edit(ctx, b.repo.Owner, b.repo.Name, number, &api.PullRequest{Title: &title, Body: &body})
	return b.forge.failure(ctx, b.op("update"), resp, err)
}

func entry(p *api.PullRequest) rest.Entry {
	return rest.Entry{
		Number: p.GetNumber(), URL: p.GetHTMLURL(), Title: p.GetTitle(), Body: p.GetBody(),
		Open: p.GetState() == "open", Head: p.GetHead().GetSHA(),
	}
}
