// Package draft keeps what people wrote about lines of a run's changes until they
// send it: in documents of the store, so that no engine that ends loses any of
// their words. It must not know what becomes of a comment, nor who may write one.
package draft

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/document"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// Bounds of what is kept until it is sent.
const (
	maxComments = 100       // of one person on one run
	maxBytes    = 512 << 10 // of them, as they are written down
	maxReviews  = 500       // of all people on all runs
	maxTotal    = 32 << 20  // bytes of those
)

// Comment is what somebody wrote about a line.
type Comment struct {
	Key    string `json:"key"` // of the place
	Path   string `json:"path"`
	Line   int    `json:"line"`
	Gone   bool   `json:"gone,omitempty"` // the line is one that was taken away
	Quote  string `json:"quote"`
	Text   string `json:"text"`
	Commit string `json:"commit"` // that it was written about
}

// Place is how a change request names the line.
func (c Comment) Place() string {
	if c.Gone {
		return fmt.Sprintf("%s:%d (as it was before)", c.Path, c.Line)
	}
	return fmt.Sprintf("%s:%d", c.Path, c.Line)
}

// Book holds the comments of all people on all runs. Its methods are safe for
// concurrent use, by several engines. A nil Book is empty and keeps nothing.
type Book struct{ docs store.Documents }

// Open is the book in a store.
func Open(docs store.Documents) *Book { return &Book{docs} }

// Of are a person's comments on a run, in the order of their places.
func (b *Book) Of(ctx context.Context, run, person string) ([]Comment, error) {
	if b == nil {
		return nil, nil
	}
	key, err := key(run, person)
	if err != nil {
		return nil, err
	}
	k, err := b.read(ctx, key)
	return k.Value.Comments, err
}

// Put keeps a comment in the place of one on the same line; one without words is
// taken away. If there are too many it is refused, and none is given up for it.
func (b *Book) Put(ctx context.Context, run, person string, c Comment) error {
	if b == nil {
		return core.Errorf(core.CodeUnsupported, "comments are not kept here").WithHint("say it in words on the whole")
	}
	return b.change(ctx, run, person, func(list []Comment) ([]Comment, error) {
		list = slices.DeleteFunc(list, func(have Comment) bool { return have.Key == c.Key })
		if c.Text != "" {
			list = append(list, c)
		}
		if len(list) > maxComments {
			return nil, core.Errorf(core.CodeInvalid, "there are %d comments already", maxComments).WithHint("send them, then go on")
		}
		slices.SortFunc(list, func(a, b Comment) int {
			return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line))
		})
		return list, nil
	})
}

// Clear forgets those of a person's comments on a run that were sent. What was
// written or changed meanwhile stays.
func (b *Book) Clear(ctx context.Context, run, person string, sent []Comment) error {
	if b == nil {
		return nil
	}
	err := b.change(ctx, run, person, func(list []Comment) ([]Comment, error) {
		return slices.DeleteFunc(list, func(c Comment) bool { return slices.Contains(sent, c) }), nil
	})
	if err != nil {
		return core.Wrap(core.CodeUnavailable, err, "your words were sent, and are still among those to be sent", "remove the comments there")
	}
	return nil
}

// Size is how many bytes people's comments on a run have.
func (b *Book) Size(ctx context.Context, run string) (int64, error) {
	pages, err := b.docs.Documents(ctx, kind, run+"/", "", 0)
	size := int64(0)
	for _, p := range pages {
		size += int64(len(p.Data))
	}
	return size, err
}

// Forget removes all comments on a run, which is over: nobody can send them.
func (b *Book) Forget(ctx context.Context, run string) error {
	pages, err := b.docs.Documents(ctx, kind, run+"/", "", 0)
	for _, p := range pages {
		err = errors.Join(err, document.Remove(ctx, b.docs, kind, p.Key, p.Version))
	}
	return err
}
