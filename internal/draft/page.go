package draft

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"path"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/document"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/strictjson"
)

// kind is that of the book's documents.
const kind = "draft"

// page is a document of the book: what one person wrote about one run.
type page struct {
	Person   string    `json:"person"`
	Comments []Comment `json:"comments"`
}

// key is by what a person's comments on a run are known. A person's name can be
// anything.
func key(run, person string) (string, error) {
	if run == "" || strings.Contains(run, "/") {
		return "", core.Errorf(core.CodeInvalid, "%.80q is no run", run)
	}
	sum := sha256.Sum256([]byte(person))
	return run + "/" + hex.EncodeToString(sum[:16]), nil
}

func (b *Book) read(ctx context.Context, key string) (document.Kept[page], error) {
	k, err := document.Read[page](ctx, b.docs, kind, key)
	if errors.Is(err, store.ErrNotFound) {
		return document.Kept[page]{Key: key}, nil
	}
	if err != nil {
		return k, core.Wrap(core.CodeUnavailable, err, "your comments that are not sent yet cannot be read", "try again; the engine's log says what is wrong with its database")
	}
	return k, nil
}

// change alters a person's comments on a run. If they write in two places at once,
// it begins again with what is there.
func (b *Book) change(ctx context.Context, run, person string, alter func([]Comment) ([]Comment, error)) error {
	key, err := key(run, person)
	if err != nil {
		return err
	}
	for {
		k, err := b.read(ctx, key)
		if err != nil {
			return err
		}
		k.Value.Person = person
		if k.Value.Comments, err = alter(k.Value.Comments); err != nil {
			return err
		}
		if err = b.write(ctx, k); !errors.Is(err, store.ErrStale) {
			return err
		}
	}
}

// write replaces a page whole, or removes it if nothing is left to keep.
func (b *Book) write(ctx context.Context, k document.Kept[page]) error {
	if len(k.Value.Comments) == 0 {
		if k.Version == 0 {
			return nil
		}
		return kept(b.docs.DeleteDocument(ctx, kind, k.Key, k.Version))
	}
	d, err := document.Make(kind, k.Key, k.Version, k.Value)
	if err != nil {
		return kept(err)
	}
	if len(d.Data) > maxBytes {
		return core.Errorf(core.CodeInvalid, "the comments have %d kB, and the limit is %d", len(d.Data)>>10, maxBytes>>10).WithHint("send them, then go on")
	}
	if err := b.room(ctx, d); err != nil {
		return err
	}
	_, err = b.docs.PutDocument(ctx, d)
	return kept(err)
}

// room refuses a page if there are too many, or they are too large: of what people
// wrote, nothing makes way for something else.
func (b *Book) room(ctx context.Context, d store.Document) error {
	pages, err := b.docs.Documents(ctx, kind, "", "", 0)
	if err != nil {
		return kept(err)
	}
	others, total := 0, len(d.Data)
	for _, p := range pages {
		if p.Key != d.Key {
			others, total = others+1, total+len(p.Data)
		}
	}
	if others >= maxReviews || total > maxTotal {
		return core.Errorf(core.CodeUnavailable, "comments on %d runs wait to be sent already, %d kB of them", others, total>>10).
			WithHint("send or remove those on another run first")
	}
	return nil
}

// kept says that words could not be kept. That they were changed elsewhere is for
// who writes them to see to.
func kept(err error) error {
	if err == nil || errors.Is(err, store.ErrStale) {
		return err
	}
	return core.Wrap(core.CodeUnavailable, err, "the comment cannot be kept", "try again; the engine's log says what is wrong with its database")
}

// Old turns a file drafts/RUN/PERSON.json, in which versions before documents kept a
// person's comments on a run, into the document that replaces it.
func Old(run, file string, data []byte) (store.Document, error) {
	var p page
	if err := strictjson.Unmarshal(data, &p); err != nil {
		return store.Document{}, err
	}
	return document.Make(kind, run+"/"+strings.TrimSuffix(path.Base(file), ".json"), 0, p)
}
