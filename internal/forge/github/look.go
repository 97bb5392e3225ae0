package github

import (
	"context"
	"errors"
	"fmt"

	api "github.com/google/go-github/v88/github"

	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/forge/rest"
)

var errNoNumber = errors.New("the answer names no pull request")

// look is one look at one pull request.
type look struct {
	*Forge
	repo   rest.Repository
	number int
	seen   forge.Seen
}

// Look implements forge.Forge.
func (f *Forge) Look(ctx context.Context, ref forge.Ref) (forge.Seen, error) {
	repo, err := f.repository(ref.Remote)
	if err != nil {
		return forge.Seen{}, err
	}
	l := &look{Forge: f, repo: repo, number: ref.Number}
	pull, resp, err := f.api.PullRequests.Get(ctx, repo.Owner, repo.Name, ref.Number)
	if err == nil && pull.GetNumber() != ref.Number {
		err = errNoNumber
	}
	if err != nil {
		return forge.Seen{}, l.failed(ctx, "", resp, err)
	}
	l.seen.State, l.seen.URL, l.seen.Head = forge.Open, pull.GetHTMLURL(), pull.GetHead().GetSHA()
	switch {
	case pull.GetMerged():
		// Before that it is the commit of a trial merge.
		l.seen.State, l.seen.Merge = forge.Merged, pull.GetMergeCommitSHA()
	case pull.GetState() == "closed":
		l.seen.State = forge.Closed
	}
	notes, err := l.notes(ctx)
	if err != nil {
		return forge.Seen{}, err
	}
	if err := l.seen.HandOut(ref.Cursor, notes); err != nil {
		return forge.Seen{}, err
	}
	if err := l.checks(ctx); err != nil {
		return forge.Seen{}, err
	}
	if err := l.preview(ctx); err != nil {
		return forge.Seen{}, err
	}
	return l.seen, nil
}

func (l *look) failed(ctx context.Context, what string, resp *api.Response, err error) error {
	return l.failure(ctx, fmt.Sprintf("read %spull request %d of %s", what, l.number, l.repo), resp, err)
}

// unread notes what this token may not see instead of failing the whole look:
// tokens of the fine-grained kind are often made without those permissions.
func (l *look) unread(what string, err error) error {
	if errors.Is(err, forge.ErrForbidden) || errors.Is(err, forge.ErrNotFound) {
		l.seen.Unread = append(l.seen.Unread, what)
		return nil
	}
	return err
}
