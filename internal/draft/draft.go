// Package draft keeps what people wrote about lines of a run's changes until they
// send it: in files of the state folder, so that an engine that ends loses none of
// their words. It must not know what becomes of a comment, nor who may write one.
package draft

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Bounds of what is kept until it is sent.
const (
	maxComments = 100       // of one person on one run
	maxBytes    = 512 << 10 // of them, as they are written down
	maxReviews  = 500       // of all people on all runs
	maxTotal    = 32 << 20  // bytes of those
)

// Folder is the name of the folder of unsent comments in the state folder. Those on
// a run are in a folder of the run's id, which goes with the run.
const Folder = "drafts"

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

// Book holds the comments of all people on all runs. One process writes it; its
// methods are safe for concurrent use. A nil Book is empty and keeps nothing.
type Book struct {
	dir string
	mu  sync.Mutex
}

// Open is the book in a folder, which is made when something is to be kept.
func Open(dir string) *Book { return &Book{dir: dir} }

// Of are a person's comments on a run, in the order of their places.
func (b *Book) Of(run, person string) ([]Comment, error) {
	if b == nil {
		return nil, nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.read(run, person)
}

// Put keeps a comment in the place of one on the same line; one without words is
// taken away. If there are too many it is refused, and none is given up for it.
func (b *Book) Put(run, person string, c Comment) error {
	if b == nil {
		return core.Errorf(core.CodeUnsupported, "comments are not kept here").WithHint("say it in words on the whole")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	list, err := b.read(run, person)
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(have Comment) bool { return have.Key == c.Key })
	if c.Text != "" {
		list = append(list, c)
	}
	if len(list) > maxComments {
		return core.Errorf(core.CodeInvalid, "there are %d comments already", maxComments).WithHint("send them, then go on")
	}
	slices.SortFunc(list, func(a, b Comment) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line))
	})
	return b.write(run, person, list)
}

// Clear forgets those of a person's comments on a run that were sent. What was
// written or changed meanwhile stays.
func (b *Book) Clear(run, person string, sent []Comment) error {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	list, err := b.read(run, person)
	if err == nil {
		err = b.write(run, person, slices.DeleteFunc(list, func(c Comment) bool { return slices.Contains(sent, c) }))
	}
	if err != nil {
		return core.Wrap(core.CodeUnavailable, err, "your words were sent, and are still among those to be sent", "remove the comments there")
	}
	return nil
}
