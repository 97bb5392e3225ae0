package gitea

import (
	"context"
	"strings"

	api "code.gitea.io/sdk/gitea"

	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/forge/rest"
)

// look is one look at one pull request.
type look struct {
	*rest.Look
	api    *api.Client
	index  int64
	people map[string]bool // who may write to the repository, in lower case
}

// Look implements forge.Forge.
func (f *Forge) Look(ctx context.Context, ref forge.Ref) (forge.Seen, error) {
	begun, err := f.client.Look(ref)
	if err != nil {
		return forge.Seen{}, err
	}
	session, err := f.session(ctx)
	if err != nil {
		return forge.Seen{}, err
	}
	l := &look{Look: begun, api: session, index: int64(ref.Number), people: map[string]bool{}}
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
	if err := l.Seen.HandOut(ref.Cursor, notes); err != nil {
		return forge.Seen{}, err
	}
	if err := l.checks(ctx); err != nil {
		return forge.Seen{}, err
	}
	return l.Seen, nil
}

func (l *look) state(ctx context.Context) error {
	pull, resp, err := l.api.GetPullRequest(l.Owner, l.Name, l.index)
	if err == nil && (pull.Index != l.index || pull.Head == nil) {
		err = rest.ErrNoNumber
	}
	if err != nil {
		return l.Failed(ctx, "", answer(resp), err)
	}
	l.Seen.State, l.Seen.URL, l.Seen.Head = forge.Open, pull.HTMLURL, pull.Head.Sha
	switch {
	case pull.HasMerged:
		l.Seen.State = forge.Merged
		if pull.MergedCommitID != nil {
			l.Seen.Merge = *pull.MergedCommitID
		}
	case pull.State == api.StateClosed:
		l.Seen.State = forge.Closed
	}
	return nil
}

// members reads who may be assigned work here: everybody who may write.
func (l *look) members(ctx context.Context) error {
	users, resp, err := l.api.GetAssignees(l.Owner, l.Name)
	if err != nil {
		return l.Unread("members", l.Failed(ctx, "who may write on ", answer(resp), err))
	}
	for _, u := range users {
		l.people[strings.ToLower(u.UserName)] = true
	}
	return nil
}
