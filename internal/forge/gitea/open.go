package gitea

import (
	"context"
	"net/http"
	"strings"

	api "code.gitea.io/sdk/gitea"

	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/forge/rest"
)

// Open implements forge.Forge.
func (f *Forge) Open(ctx context.Context, req forge.PullRequest) (url string, number int, err error) {
	repo, err := f.client.Repository(req.Remote)
	if err != nil {
		return "", 0, err
	}
	session, err := f.session(ctx)
	if err != nil {
		return "", 0, err
	}
	return f.client.Open(ctx, &book{api: session, repo: repo, head: req.Head, base: req.Base}, req, repo)
}

// book is a Gitea's list of the pull requests of one branch into another.
type book struct {
	api        *api.Client
	repo       rest.Repository
	head, base string
	asked      bool
}

// List implements rest.Book. A Gitea can quickly find one pull request of two
// branches, in any state; List reads the whole list only if there is one. It asks
// the quick question once: a server that is too old for it answers 404, and then
// refuses the creation that follows.
func (b *book) List(context.Context) ([]rest.Entry, *rest.Answer, error) {
	if !b.asked {
		b.asked = true
		pull, resp, err := b.api.GetPullRequestByBaseHead(b.repo.Owner, b.repo.Name, b.base, b.head)
		answered := answer(resp)
		switch {
		case err != nil && answered != nil && (answered.Status == http.StatusNotFound || answered.Status == http.StatusGone):
			return nil, nil, nil
		case err != nil:
			return nil, answered, err
		case b.mine(pull) && pull.State == api.StateOpen:
			return []rest.Entry{entry(pull)}, nil, nil
		}
	}
	pulls, _, resp, err := rest.Pages(paged(func(o api.ListOptions) ([]*api.PullRequest, *api.Response, error) {
		return b.api.ListRepoPullRequests(b.repo.Owner, b.repo.Name, api.ListPullRequestsOptions{
			ListOptions: o, State: api.StateAll, Sort: "recentupdate",
		})
	}))
	var entries []rest.Entry
	for _, p := range pulls {
		if b.mine(p) {
			entries = append(entries, entry(p))
		}
	}
	return entries, resp, err
}

// mine reports a pull request of these branches of this repository. The head of
// one whose branch was deleted is known by Name alone.
func (b *book) mine(p *api.PullRequest) bool {
	return p.Head != nil && p.Base != nil && p.Base.Ref == b.base && (p.Head.Ref == b.head || p.Head.Name == b.head) &&
		p.Head.Repository != nil && strings.EqualFold(p.Head.Repository.FullName, b.repo.String())
}

// Create implements rest.Book.
func (b *book) Create(_ context.Context, title, body string) (rest.Entry, *rest.Answer, error) {
	pull, resp, err := b.api.CreatePullRequest(b.repo.Owner, b.repo.Name, api.CreatePullRequestOption{
		Head: b.head, Base: b.base, Title: title, Body: body,
	})
	if err != nil {
		return rest.Entry{}, answer(resp), err
	}
	return entry(pull), answer(resp), nil
}

// Update implements rest.Book.
func (b *book) Update(_ context.Context, number int, title, body string) (*rest.Answer, error) {
	_, resp, err := b.api.EditPullRequest(b.repo.Owner, b.repo.Name, int64(number), api.EditPullRequestOption{Title: title, Body: &body})
	return answer(resp), err
}

func entry(p *api.PullRequest) rest.Entry {
	e := rest.Entry{Number: int(p.Index), URL: p.HTMLURL, Title: p.Title, Body: p.Body, Open: p.State == api.StateOpen}
	if p.Head != nil {
		e.Head = p.Head.Sha
	}
	return e
}
