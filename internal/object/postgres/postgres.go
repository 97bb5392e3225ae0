// Package postgres keeps objects in the database of the store, as rows of a mebibyte each: a team needs no other component. It must not
// change a row that it has written, and does not know what the bytes mean.
package postgres

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
	"github.com/stellwerk-dev/stellwerk/internal/object/indexed"
	"github.com/stellwerk-dev/stellwerk/internal/object/postgres/query"
	"github.com/stellwerk-dev/stellwerk/internal/pg"
)

//go:generate go run github.com/sqlc-dev/sqlc/cmd/sqlc@v1.31.1 generate

// chunk is how many bytes a row holds. Rows that are stored keep it: it never changes.
const chunk = 1 << 20

// Objects implements object.Objects.
type Objects struct {
	*indexed.Objects
	q *query.Queries
}

// New makes objects in a database that a store has opened. A Put gathers what does not fit into memory in the folder spool, "" for the
// system's.
func New(pool *pgxpool.Pool, spool string) *Objects {
	q := query.New(pool)
	return &Objects{Objects: indexed.New(pool, "", spool, chunks{q}), q: q}
}

// Put implements object.Objects. What fits into one row takes one statement.
func (o *Objects) Put(ctx context.Context, r io.Reader, max int64) (digest string, size int64, err error) {
	c, err := o.Gather(ctx, r, max)
	if err != nil {
		return "", 0, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	if data, small := c.Small(); small && len(data) <= chunk {
		err = o.q.PutSmall(ctx, query.PutSmallParams{Digest: c.Digest, Upload: uuid.NewString(), Data: append([]byte{}, data...)})
	} else {
		err = o.Keep(ctx, c)
	}
	if err != nil {
		return "", 0, pg.Explain(fmt.Errorf("object %s: %w", c.Digest, err))
	}
	return c.Digest, c.Size, nil
}

// chunks implements indexed.Bytes.
type chunks struct{ q *query.Queries }

// Write commits row by row, so that no transaction lasts. Rows that a server has acknowledged may be missing after another has taken
// its place, so they are counted at the end.
func (c chunks) Write(ctx context.Context, u indexed.Upload, r *io.SectionReader) error {
	data := make([]byte, chunk)
	for n := int32(0); int64(n)*chunk < u.Size; n++ {
		part := data[:min(chunk, u.Size-int64(n)*chunk)]
		if _, err := io.ReadFull(r, part); err != nil {
			return err
		}
		if err := c.q.AddChunk(ctx, query.AddChunkParams{Upload: u.ID, N: n, Data: part}); err != nil {
			return err
		}
	}
	stored, err := c.q.Stored(ctx, u.ID)
	if err == nil && stored.Size != u.Size {
		err = core.Errorf(core.CodeUnavailable, "the database has lost rows that it acknowledged: %d of %d bytes are there", stored.Size, u.Size).
			WithHint("look whether another server has taken its place; store the object again")
	}
	return err
}

// removal is for how long the database may say nothing while it removes an upload, which has a thousand rows for each gibibyte.
const removal = 10 * time.Minute

// Remove implements indexed.Bytes.
func (c chunks) Remove(ctx context.Context, u indexed.Upload) error {
	return c.q.RemoveChunks(pg.Patient(ctx, removal), u.ID)
}

// Open implements indexed.Bytes.
func (c chunks) Open(ctx context.Context, u indexed.Upload) (io.ReadSeekCloser, error) {
	return reader{io.NewSectionReader(&rows{ctx: ctx, q: c.q, upload: u, n: -1}, 0, u.Size)}, nil
}

type reader struct{ *io.SectionReader }

func (reader) Close() error { return nil }

// rows reads an upload, one row at a time.
type rows struct {
	ctx    context.Context // of Open
	q      *query.Queries
	upload indexed.Upload
	n      int64 // which row data is
	data   []byte
}

// ReadAt implements io.ReaderAt for one reader, which asks for nothing past the end.
func (r *rows) ReadAt(b []byte, at int64) (done int, err error) {
	for done < len(b) {
		if n := (at + int64(done)) / chunk; n != r.n {
			if err := r.load(n); err != nil {
				return done, err
			}
		}
		done += copy(b[done:], r.data[(at+int64(done))%chunk:])
	}
	return done, nil
}

func (r *rows) load(n int64) error {
	r.n = -1
	data, err := r.q.Chunk(r.ctx, query.ChunkParams{Upload: r.upload.ID, N: int32(n)})
	if errors.Is(err, pgx.ErrNoRows) || err == nil && int64(len(data)) != min(chunk, r.upload.Size-n*chunk) {
		return indexed.Missing(r.upload, "the database")
	}
	if err != nil {
		return pg.Explain(fmt.Errorf("read object %s: %w", r.upload.Digest, err))
	}
	r.n, r.data = n, data
	return nil
}
