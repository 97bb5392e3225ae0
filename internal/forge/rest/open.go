package rest

import (
	"context"
	"errors"
	"fmt"

	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
)

const (
	maxTitle = 240
	maxText  = 60_000
)

// Entry is a pull request as a forge lists it.
type Entry struct {
	Number      int
	URL         string
	Title, Body string
	Open        bool
	Head        string // commit
}

// Book is a forge's list of the pull requests of one head into one base. A response is nil if none came.
type Book interface {
	// List returns them in any order, and no others.
	List(ctx context.Context) ([]Entry, *Answer, error)
	Create(ctx context.Context, title, body string) (Entry, *Answer, error)
	Update(ctx context.Context, number int, title, body string) (*Answer, error)
}

// ErrNoNumber says that an answer is not about the pull request that was asked for.
var ErrNoNumber = errors.New("the answer names no pull request")

// Open is forge.Forge's Open over a book. The forge itself refuses a second
// pull request of the same head into the same base, so a creation whose outcome
// is unknown is settled by listing. A Gitea that is asked twice at once does
// not refuse, so one is opened at a time.
func (c *Client) Open(ctx context.Context, book Book, req forge.PullRequest, repo Repository) (url string, number int, err error) {
	select {
	case c.opening <- struct{}{}:
		defer func() { <-c.opening }()
	case <-ctx.Done():
		return "", 0, ctx.Err()
	}
	failure := func(verb string, resp *Answer, err error) error {
		return c.Failure(ctx, fmt.Sprintf("%s the pull request of %s into %s at %s", verb, req.Head, req.Base, repo), resp, err)
	}
	find := func() (*Entry, error) {
		entries, resp, err := book.List(ctx)
		return pick(entries, req.Commit), failure("find", resp, err)
	}
	entry, err := find()
	if err != nil {
		return "", 0, err
	}
	title, body := plain.Line(req.Title, maxTitle), plain.Head(req.Body, maxText)
	if entry == nil {
		made, resp, err := book.Create(ctx, title, body)
		if err == nil && made.Number == 0 {
			err = ErrNoNumber
		}
		if err = failure("open", resp, err); err == nil {
			return made.URL, made.Number, nil
		}
		if !unsettled(err) {
			return "", 0, err
		}
		found, lookErr := find()
		if lookErr != nil || found == nil {
			return "", 0, err
		}
		entry = found
	}
	if entry.Open && (entry.Title != title || entry.Body != body) {
		if resp, err := book.Update(ctx, entry.Number, title, body); err != nil {
			return "", 0, failure("update", resp, err)
		}
	}
	return entry.URL, entry.Number, nil
}

// pick chooses the pull request that is open, else the newest that was decided on
// with this very commit.
func pick(entries []Entry, commit string) *Entry {
	var found *Entry
	for i := range entries {
		e := &entries[i]
		switch {
		case e.Open:
			return e
		case e.Head == commit && (found == nil || e.Number > found.Number):
			found = e
		}
	}
	return found
}

// unsettled reports a failed creation after which the pull request may exist:
// an answer that did not arrive, or a refusal because it is there.
func unsettled(err error) bool {
	return errors.Is(err, forge.ErrUnavailable) || errors.Is(err, forge.ErrRefused)
}
