package store

import (
	"context"
	"errors"
	"time"
)

// MaxDocument is the most bytes a document's data may have.
const MaxDocument = 1 << 20

// MaxDocumentName is the most bytes a document's kind or key may have.
const MaxDocumentName = 512

// ErrUnfit means that no store keeps such a document: its kind or key is empty,
// too long, or not UTF-8 without a zero byte, or its data are too large.
var ErrUnfit = errors.New("not a document that can be kept")

// Document is something small that every engine on the store must know and that
// is no event: who may sign in, a key, what was told to whom.
type Document struct {
	Kind, Key string
	Version   int64
	At        time.Time // when it was put last, by the database's clock
	Data      []byte
}

// Documents keeps documents, each known by kind and key. Whoever changes one
// names the version that they read, so of several who change the same version,
// one succeeds. That is judged in the transaction, for all engines on the store.
type Documents interface {
	// Document reads one; ErrNotFound if there is none.
	Document(ctx context.Context, kind, key string) (Document, error)
	// Documents lists those of a kind whose keys begin with prefix and come
	// after `after`, by the order of the keys' bytes; all of them if limit is 0.
	Documents(ctx context.Context, kind, prefix, after string, limit int) ([]Document, error)
	// PutDocument makes a document if d.Version is 0, and otherwise replaces the
	// one of that version. It returns what it kept: the new version and the
	// database's time, whatever d.At says. ErrStale if the document is another
	// version, exists although it must not, or is gone; ErrUnfit if it cannot be
	// kept. A version is above zero and never comes back, not even when a deleted
	// document is made again.
	PutDocument(ctx context.Context, d Document) (Document, error)
	// PutDocuments puts several in one transaction, each as PutDocument does: if
	// one is refused, none is put.
	PutDocuments(ctx context.Context, all []Document) ([]Document, error)
	// DeleteDocument removes the document of that version; ErrStale if it is
	// another or gone.
	DeleteDocument(ctx context.Context, kind, key string, version int64) error
}
