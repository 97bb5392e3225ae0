package github

import (
	"context"
	"strings"

	api "github.com/google/go-github/v88/github"

	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/forge/rest"
)

// Open implements forge.Forge.
func (f *Forge) Open(ctx context.Context, req forge.PullRequest) (url string, number int, err error) {
	repo, err := f.client.Repository(req.Remote)
	if err != nil {
		return "", 0, err
	}
	return f.client.Open(ctx, &book{api: f.api.PullRequests, repo: repo, head: req.Head, base: req.Base}, req, repo)
}

// book is GitHub's list of the pull requests of one branch into another.
type book struct {
	api        *api.PullRequestsService
	repo       rest.Repository
	head, base string
}

// List implements rest.Book. GitHub ignores a filter that it does not
// understand, so what it returns is looked at again.
func (b *book) List(ctx context.Context) ([]rest.Entry, *rest.Answer, error) {
	pulls, _, resp, err := rest.Pages(paged(func(o api.ListOptions) ([]*api.PullRequest, *api.Response, error) {
		return b.api.List(ctx, b.repo.Owner, b.repo.Name, &api.PullRequestListOptions{
			State: "all", Head: b.repo.Owner + ":" + b.head, Base: b.base, ListOptions: o,
		})
	}))
	var entries []rest.Entry
	for _, p := range pulls {
		if p.GetHead().GetRef() == b.head && p.GetBase().GetRef() == b.base &&
			strings.EqualFold(p.GetHead().GetRepo().GetFullName(), b.repo.String()) {
			entries = append(entries, entry(p))
		}
	}
	return entries, resp, err
}

// Create implements rest.Book.
func (b *book) Create(ctx context.Context, title, body string) (rest.Entry, *rest.Answer, error) {
	pull, resp, err := b.api.Create(ctx, b.repo.Owner, b.repo.Name, &api.NewPullRequest{
		Title: &title, Body: &body, Head: &b.head, Base: &b.base,
	})
	return entry(pull), answer(resp), err
}

// Update implements rest.Book.
func (b *book) Update(ctx context.Context, number int, title, body string) (*rest.Answer, error) {
	_, resp, err := b.api.Edit(ctx, b.repo.Owner, b.repo.Name, number, &api.PullRequest{Title: &title, Body: &body})
	return answer(resp), err
}

func entry(p *api.PullRequest) rest.Entry {
	return rest.Entry{
		Number: p.GetNumber(), URL: p.GetHTMLURL(), Title: p.GetTitle(), Body: p.GetBody(),
		Open: p.GetState() == "open", Head: p.GetHead().GetSHA(),
	}
}
