// Package indexed keeps objects whose index is in PostgreSQL and whose bytes are somewhere else: each Put writes an upload of its own,
// which is never written again, and the row that says which upload is the object comes last. So nothing depends on how soon or how
// reliably a place of bytes lists, overwrites or deletes. The package must not know where the bytes lie: its callers do, in Bytes.
package indexed

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/object"
	"github.com/stellwerk-dev/stellwerk/internal/object/indexed/query"
	"github.com/stellwerk-dev/stellwerk/internal/pg"
)

// Upload is the bytes of one Put.
type Upload struct {
	ID     string
	Digest string
	Size   int64
}

// Bytes is a place that keeps the bytes of uploads. Its methods are safe for concurrent use.
type Bytes interface {
	// Write keeps what r yields, u.Size bytes. When it has returned, they survive a crash of the machine, and a look has
	// shown that all of them are there.
	Write(ctx context.Context, u Upload, r *io.SectionReader) error
	// Open opens an upload for reading, until ctx ends. Missing is the error if its bytes are not there, at the latest when they are read.
	Open(ctx context.Context, u Upload) (io.ReadSeekCloser, error)
	// Remove removes an upload, and what a Write that was broken off has left of it. Nothing being there is no error.
	Remove(ctx context.Context, u Upload) error
}

// Objects implements object.Objects and object.Sweeper.
type Objects struct {
	place string
	spool string
	bytes Bytes
	q     *query.Queries
}

// New makes objects of an index in a database that a store has opened. The place tells the bytes of several Bytes apart; spool is the
// folder in which a Put gathers what does not fit into memory, "" for the system's.
func New(pool *pgxpool.Pool, place, spool string, b Bytes) *Objects {
	return &Objects{place: place, spool: spool, bytes: b, q: query.New(pool)}
}

// Put implements object.Objects.
func (o *Objects) Put(ctx context.Context, r io.Reader, max int64) (digest string, size int64, err error) {
	c, err := o.Gather(ctx, r, max)
	if err != nil {
		return "", 0, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	if err := o.Keep(ctx, c); err != nil {
		return "", 0, err
	}
	return c.Digest, c.Size, nil
}

// Keep keeps gathered content.
func (o *Objects) Keep(ctx context.Context, c *Content) error {
	there, err := o.q.Touch(ctx, query.TouchParams{Place: o.place, Digest: c.Digest})
	switch {
	case err == nil:
		// It is young now, so nobody discards it meanwhile.
		if err := o.verify(ctx, Upload{ID: there.Upload, Digest: c.Digest, Size: there.Size}); err == nil || ctx.Err() != nil {
			return explain(c.Digest, err)
		}
	case !errors.Is(err, pgx.ErrNoRows):
		return explain(c.Digest, err)
	}
	u := Upload{ID: uuid.NewString(), Digest: c.Digest, Size: c.Size}
	if err := o.q.Begin(ctx, query.BeginParams{Upload: u.ID, Place: o.place, Digest: u.Digest, Size: u.Size}); err != nil {
		return explain(c.Digest, err)
	}
	if err := o.bytes.Write(ctx, u, c.Reader()); err != nil {
		// What cannot be removed now is swept later: its row stays, because a write may arrive late.
		late, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanup)
		defer cancel()
		_ = o.bytes.Remove(late, u)
		return explain(c.Digest, err)
	}
	return o.name(ctx, u)
}

// cleanup is for how long a Put that failed tries to remove what it has left.
const cleanup = 10 * time.Second

// name makes an upload the object. If its answer is lost, the upload may have been named: its bytes stay.
func (o *Objects) name(ctx context.Context, u Upload) error {
	n, err := o.q.Name(ctx, u.ID)
	if err != nil || n > 0 {
		return explain(u.Digest, err)
	}
	return core.Errorf(core.CodeUnavailable, "object %s took longer than %s to be stored, and was swept away", u.Digest, object.Young).WithHint("store it again")
}

// Open implements object.Objects. The reader reads until ctx ends.
func (o *Objects) Open(ctx context.Context, digest string) (io.ReadSeekCloser, error) {
	u, err := o.find(ctx, digest)
	if err != nil {
		return nil, err
	}
	r, err := o.bytes.Open(ctx, u)
	return r, explain(digest, err)
}

// Size implements object.Objects.
func (o *Objects) Size(ctx context.Context, digest string) (int64, error) {
	u, err := o.find(ctx, digest)
	return u.Size, err
}

// Verify implements object.Objects.
func (o *Objects) Verify(ctx context.Context, digest string) error {
	u, err := o.find(ctx, digest)
	if err != nil {
		return err
	}
	return explain(digest, o.verify(ctx, u))
}

func (o *Objects) verify(ctx context.Context, u Upload) (err error) {
	r, err := o.bytes.Open(ctx, u)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	return object.Verify(ctx, u.Digest, r)
}

func (o *Objects) find(ctx context.Context, digest string) (Upload, error) {
	if err := object.CheckDigest(digest); err != nil {
		return Upload{}, err
	}
	row, err := o.q.Find(ctx, query.FindParams{Place: o.place, Digest: digest})
	if errors.Is(err, pgx.ErrNoRows) {
		return Upload{}, core.Wrap(core.CodeNotFound, err, "object "+digest+" is missing", "restore the database from a backup")
	}
	return Upload{ID: row.Upload, Digest: digest, Size: row.Size}, explain(digest, err)
}

// Missing says that bytes are not where the index says.
func Missing(u Upload, where string) error {
	return core.Errorf(core.CodeUnavailable, "object %s is damaged: its bytes, upload %s, are missing in %s", u.Digest, u.ID, where).
		WithHint("restore the objects from a backup; storing the same content again repairs it")
}

func explain(digest string, err error) error {
	if err == nil {
		return nil
	}
	return pg.Explain(fmt.Errorf("object %s: %w", digest, err))
}
