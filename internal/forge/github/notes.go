package github

import (
	"context"

	api "github.com/google/go-github/v88/github"

	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/forge/rest"
)

// notes reads everything that was written on the pull request: GitHub keeps
// reviews, comments on lines and plain comments apart.
func (l look) notes(ctx context.Context) ([]forge.Note, error) {
	reviews, err := rest.List(ctx, l.Look, "reviews", paged(func(o api.ListOptions) ([]*api.PullRequestReview, *api.Response, error) {
		return l.api.PullRequests.ListReviews(ctx, l.Owner, l.Name, l.Number, &o)
	}))
	if err != nil {
		return nil, err
	}
	lines, err := rest.List(ctx, l.Look, "review comments", paged(func(o api.ListOptions) ([]*api.PullRequestComment, *api.Response, error) {
		return l.api.PullRequests.ListComments(ctx, l.Owner, l.Name, l.Number, &api.PullRequestListCommentsOptions{ListOptions: o})
	}))
	if err != nil {
		return nil, err
	}
	comments, err := rest.List(ctx, l.Look, "comments", paged(func(o api.ListOptions) ([]*api.IssueComment, *api.Response, error) {
		return l.api.Issues.ListComments(ctx, l.Owner, l.Name, l.Number, &api.IssueListCommentsOptions{ListOptions: o})
	}))
	return collect(reviews, lines, comments), err
}

func collect(reviews []*api.PullRequestReview, lines []*api.PullRequestComment, comments []*api.IssueComment) []forge.Note {
	var notes []forge.Note
	drafts := map[int64]bool{}
	for _, r := range reviews {
		drafts[r.GetID()] = r.GetState() == "PENDING"
		if kind, ok := verdict(r); ok {
			notes = append(notes, forge.Note{
				ID: forge.NoteID(forge.SeriesReview, r.GetID()), Kind: kind, Author: author(r.GetUser()), Member: member(r.GetAuthorAssociation()),
				Body: r.GetBody(), URL: r.GetHTMLURL(), At: r.GetSubmittedAt().UTC(),
			})
		}
	}
	for _, c := range lines {
		if drafts[c.GetPullRequestReviewID()] {
			continue
		}
		n := forge.Note{
			ID: forge.NoteID(forge.SeriesLine, c.GetID()), Kind: forge.NoteLine, Author: author(c.GetUser()), Member: member(c.GetAuthorAssociation()),
			Body: c.GetBody(), File: c.GetPath(), Line: c.GetLine(), URL: c.GetHTMLURL(), At: c.GetCreatedAt().UTC(),
		}
		if n.Line == 0 { // the line is no longer part of the diff
			n.Line = c.GetOriginalLine()
		}
		if id := c.GetPullRequestReviewID(); id != 0 {
			n.Review = forge.NoteID(forge.SeriesReview, id)
		}
		notes = append(notes, n)
	}
	for _, c := range comments {
		notes = append(notes, forge.Note{
			ID: forge.NoteID(forge.SeriesComment, c.GetID()), Kind: forge.NoteComment, Author: author(c.GetUser()), Member: member(c.GetAuthorAssociation()),
			Body: c.GetBody(), URL: c.GetHTMLURL(), At: c.GetCreatedAt().UTC(),
		})
	}
	return notes
}

// verdict reports a review that says something by itself. One without verdict
// and text only groups comments on lines, a pending one is not submitted yet, and
// a dismissed one no longer counts.
func verdict(r *api.PullRequestReview) (forge.NoteKind, bool) {
	switch r.GetState() {
	case "CHANGES_REQUESTED":
		return forge.NoteChanges, true
	case "APPROVED":
		return forge.NoteApproval, true
	case "COMMENTED":
		return forge.NoteComment, r.GetBody() != ""
	default:
		return "", false
	}
}

func member(association string) bool {
	return association == "OWNER" || association == "MEMBER" || association == "COLLABORATOR"
}

func author(u *api.User) string {
	if u.GetLogin() == "" { // GitHub's name for accounts that are gone
		return "ghost"
	}
	return u.GetLogin()
}
