package gitea

import (
	"context"
	"strings"

	api "code.gitea.io/sdk/gitea"

	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/forge/rest"
)

// notes reads everything that was written on the pull request. Comments on
// lines are listed by review.
func (l *look) notes(ctx context.Context) ([]forge.Note, error) {
	reviews, err := rest.List(ctx, l.Look, "reviews", paged(func(o api.ListOptions) ([]*api.PullReview, *api.Response, error) {
		return l.api.ListPullReviews(l.Owner, l.Name, l.index, api.ListPullReviewsOptions{ListOptions: o})
	}))
	if err != nil {
		return nil, err
	}
	var notes []forge.Note
	for _, r := range reviews {
		if r.State == api.ReviewStatePending {
			continue
		}
		if kind, ok := verdict(r); ok {
			notes = append(notes, l.note(forge.SeriesReview, r.ID, r.Reviewer, forge.Note{
				Kind: kind, Body: r.Body, URL: r.HTMLURL, At: r.Submitted.UTC(),
			}))
		}
		lines, err := l.lines(ctx, r)
		if err != nil {
			return nil, err
		}
		notes = append(notes, lines...)
	}
	comments, err := rest.List(ctx, l.Look, "comments", paged(func(o api.ListOptions) ([]*api.Comment, *api.Response, error) {
		return l.api.ListIssueComments(l.Owner, l.Name, l.index, api.ListIssueCommentOptions{ListOptions: o})
	}))
	for _, c := range comments {
		notes = append(notes, l.note(forge.SeriesComment, c.ID, c.Poster, forge.Note{
			Kind: forge.NoteComment, Body: c.Body, URL: c.HTMLURL, At: c.Created.UTC(),
		}))
	}
	return notes, err
}

func (l *look) lines(ctx context.Context, r *api.PullReview) ([]forge.Note, error) {
	if r.CodeCommentsCount == 0 {
		return nil, nil
	}
	comments, resp, err := l.api.ListPullReviewComments(l.Owner, l.Name, l.index, r.ID)
	if err != nil {
		return nil, l.Failed(ctx, "the review comments of ", answer(resp), err)
	}
	var notes []forge.Note
	for _, c := range comments {
		line := c.LineNum
		if line == 0 {
			line = c.OldLineNum
		}
		notes = append(notes, l.note(forge.SeriesLine, c.ID, c.Reviewer, forge.Note{
			Kind: forge.NoteLine, Body: c.Body, File: c.Path, Line: int(line), Review: forge.NoteID(forge.SeriesReview, r.ID),
			URL: c.HTMLURL, At: c.Created.UTC(),
		}))
	}
	return notes, nil
}

func (l *look) note(series string, id int64, by *api.User, n forge.Note) forge.Note {
	n.ID, n.Author = forge.NoteID(series, id), "ghost"
	if by != nil && by.UserName != "" {
		n.Author, n.Member = by.UserName, l.people[strings.ToLower(by.UserName)]
	}
	return n
}

// verdict reports a review that says something by itself. One without verdict
// and text only groups comments on lines, and a dismissed one no longer counts.
func verdict(r *api.PullReview) (forge.NoteKind, bool) {
	switch {
	case r.Dismissed:
		return "", false
	case r.State == api.ReviewStateRequestChanges:
		return forge.NoteChanges, true
	case r.State == api.ReviewStateApproved:
		return forge.NoteApproval, true
	case r.State == api.ReviewStateComment:
		return forge.NoteComment, r.Body != ""
	default: // somebody was asked for a review
		return "", false
	}
}
