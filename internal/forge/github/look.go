package github

import (
	"context"

	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/forge/rest"
)

// look is one look at one pull request.
type look struct {
	*rest.Look
	*Forge
}

// Look implements forge.Forge.
func (f *Forge) Look(ctx context.Context, ref forge.Ref) (forge.Seen, error) {
	begun, err := f.client.Look(ref)
	if err != nil {
		return forge.Seen{}, err
	}
	l := look{begun, f}
	pull, resp, err := f.api.PullRequests.Get(ctx, l.Owner, l.Name, l.Number)
	if err == nil && pull.GetNumber() != ref.Number {
		err = rest.ErrNoNumber
	}
	if err != nil {
		return forge.Seen{}, l.Failed(ctx, "", answer(resp), err)
	}
	l.Seen.State, l.Seen.URL, l.Seen.Head = forge.Open, pull.GetHTMLURL(), pull.GetHead().GetSHA()
	switch {
	case pull.GetMerged():
		// Before that it is the commit of a trial merge.
		l.Seen.State, l.Seen.Merge = forge.Merged, pull.GetMergeCommitSHA()
	case pull.GetState() == "closed":
		l.Seen.State = forge.Closed
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
	if err := l.preview(ctx); err != nil {
		return forge.Seen{}, err
	}
	return l.Seen, nil
}
