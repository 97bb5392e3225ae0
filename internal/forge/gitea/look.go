package gitea

import (
	"context"
	"errors"
	"fmt"
	"strings"

	api "code.gitea.io/sdk/gitea"

	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/forge/rest"
)

// look is one look at one pull request.
type look struct {
	*Forge
	api    *api.Client
	repo   rest.Repository
	number int64
	seen   forge.Seen
	people map[string]bool // who may write to the repository, in lower case
}

// Look implements forge.Forge.
func (f *Forge) Look(ctx context.Context, ref forge.Ref) (forge.Seen, error) {
	repo, err := f.repository(ref.Remote)
	if err != nil {
		return forge.Seen{}, err
	}
	session, err := f.session(ctx)
	if err != nil {
		return forge.Seen{}, err
	}
	l := &look{Forge: f, api: session, repo: repo, number: int64(ref.Number), people: map[string]bool{}}
	if err := l.state(ctx); err != nil {
		return forge.Seen{}, err
	}
	if err := l.members(ctx); err != nil {
		return forge.Seen{}, err
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
	return l.seen, nil
}

func (l *look) state(ctx context.Context) error {
	pull, resp, err := l.api.GetPullRequest(l.repo.Owner, l.repo.Name, l.number)
	if err == nil && (pull.Index != l.number || pull.Head == nil) {
		err = errNoNumber
	}
	if err != nil {
		return l.failed(ctx, "", resp, err)
	}
	l.seen.State, l.seen.URL, l.seen.Head = forge.Open, pull.HTMLURL, pull.Head.Sha
	switch {
	case pull.HasMerged:
		l.seen.State = forge.Merged
		if pull.MergedCommitID != nil {
			l.seen.Merge = *pull.MergedCommitID
		}
	case pull.State == api.StateClosed:
		l.seen.State = forge.Closed
	}
	return nil
}

// members reads who may be assigned work here: everybody who may write.
func (l *look) members(ctx context.Context) error {
	users, resp, err := l.api.GetAssignees(l.repo.Owner, l.repo.Name)
	if err != nil {
		return l.unread("members", l.failed(ctx, "who may write on ", resp, err))
	}
	for _, u := range users {
		l.people[strings.ToLower(u.UserName)] = true
	}
	return nil
}

func (l *look) failed(ctx context.Context, what string, resp *api.Response, err error) error {
	return l.failure(ctx, fmt.Sprintf("read %spull request %d of %s", what, l.number, l.repo), resp, err)
}

// unread notes what this token may not see instead of failing the whole look.
func (l *look) unread(what string, err error) error {
	if errors.Is(err, forge.ErrForbidden) || errors.Is(err, forge.ErrNotFound) {
		l.seen.Unread = append(l.seen.Unread, what)
		return nil
	}
	return err
}

func (l *look) whole(whole bool, what string) {
	if !whole {
		l.seen.Unread = append(l.seen.Unread, what+" beyond the first 2000")
	}
}
