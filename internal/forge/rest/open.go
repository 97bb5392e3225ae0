package rest

import (
	"context"
	"errors"

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

// Book is a forge's list of the pull requests of one head into one base.
type Book interface {
	// List returns them in any order. It may have more that are not of that head
	// and base only if it says so itself by leaving them out.
	List(ctx context.Context) ([]Entry, error)
	Create(ctx context.Context, title, body string) (Entry, error)
	Update(ctx context.Context, number int, title, body string) error
}

// Open is forge.Forge's Open over a book. The forge itself refuses a second
// pull request of the same head into the same base, so a creation whose outcome
// is unknown is settled by listing. A Gitea that is asked twice at once does
// not refuse, so one is opened at a time.
func (c *Client) Open(ctx context.Context, book Book, req forge.PullRequest) (Entry, error) {
	select {
	case c.opening <- struct{}{}:
		defer func() { <-c.opening }()
	case <-ctx.Done():
		return Entry{}, ctx.Err()
	}
	title, body := plain.Line(req.Title, maxTitle), plain.Head(req.Body, maxText)
	entry, err := find(ctx, book, req.Commit)
	if err != nil {
		return Entry{}, err
	}
	if entry == nil {
		made, err := book.Create(ctx, title, body)
		if err == nil {
			return made, nil
		}
		if !unsettled(err) {
			return Entry{}, err
		}
		found, lookErr := find(ctx, book, req.Commit)
		if lookErr != nil || found == nil {
			return Entry{}, err
		}
		entry = found
	}
	if entry.Open && (entry.Title != title || entry.Body != body) {
		if err := book.Update(ctx, entry.Number, title, body); err != nil {
			return Entry{}, err
		}
	}
	return *entry, nil
}

// find picks the pull request that is open, else the newest that was decided on
// with this very commit.
func find(ctx context.Context, book Book, commit string) (*Entry, error) {
	entries, err := book.List(ctx)
	if err != nil {
		return nil, err
	}
	var found *Entry
	for i := range entries {
		e := &entries[i]
		switch {
		case e.Open:
			return e, nil
		case e.Head == commit && (found == nil || e.Number > found.Number):
			found = e
		}
	}
	return found, nil
}

// unsettled reports a failed creation after which the pull request may exist:
// an answer that did not arrive, or a refusal because it is there.
func unsettled(err error) bool {
	return errors.Is(err, forge.ErrUnavailable) || errors.Is(err, forge.ErrRefused)
}
