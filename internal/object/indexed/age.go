package indexed

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/object"
	"github.com/stellwerk-dev/stellwerk/internal/object/indexed/query"
	"github.com/stellwerk-dev/stellwerk/internal/pg"
)

// How many rows are asked for at once.
const (
	pageOfObjects = 500
	pageOfSweep   = 100
)

//go:generate go run github.com/sqlc-dev/sqlc/cmd/sqlc@v1.31.1 generate

var young = object.Young.Seconds()

// Each implements object.Objects.
func (o *Objects) Each(ctx context.Context, fn func(object.Entry) error) error {
	for after := ""; ; {
		page, err := o.q.Page(ctx, query.PageParams{Place: o.place, After: after, Most: pageOfObjects})
		if err != nil {
			return pg.Explain(fmt.Errorf("list objects: %w", err))
		}
		for _, row := range page {
			after = row.Digest
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := fn(object.Entry{Digest: row.Digest, Size: row.Size, At: row.Touched.UTC()}); err != nil {
				return err
			}
		}
		if len(page) < pageOfObjects {
			return nil
		}
	}
}

// Discard implements object.Objects, by the database's clock. The bytes stay for readers that have them open, until Sweep.
func (o *Objects) Discard(ctx context.Context, digest string, before time.Time) (gone bool, err error) {
	if err := object.CheckDigest(digest); err != nil {
		return false, err
	}
	gone, err = o.q.Discard(ctx, query.DiscardParams{Place: o.place, Digest: digest, Before: before, Young: young})
	return gone, explain(digest, err)
}

// Touch implements object.Objects.
func (o *Objects) Touch(ctx context.Context, digest string) (there bool, err error) {
	if err := object.CheckDigest(digest); err != nil {
		return false, err
	}
	_, err = o.q.Touch(ctx, query.TouchParams{Place: o.place, Digest: digest})
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	return err == nil, explain(digest, err)
}

// Sweep removes the bytes of uploads that no object names and that none can name any more. An upload is left alone until it is not
// Young. Its row stays for as long again, and its bytes are removed once more before it goes: a write may have arrived late. One that
// cannot be removed keeps nobody from removing the others; it is tried again when its row is. Any engine may sweep at any time.
func (o *Objects) Sweep(ctx context.Context) error {
	var failed []error
	away := 0 // in a row
	for {
		page, err := o.q.Sweep(ctx, query.SweepParams{Place: o.place, Young: young, Most: pageOfSweep})
		if err != nil {
			return errors.Join(append(failed, pg.Explain(fmt.Errorf("sweep uploads of objects: %w", err)))...)
		}
		for _, row := range page {
			err := o.sweep(ctx, Upload{ID: row.Upload, Digest: row.Digest, Size: row.Size})
			if err != nil {
				failed = append(failed, err)
			}
			if errors.Is(err, core.ErrAway) {
				away++
			} else {
				away = 0
			}
			if away == awayForAll || ctx.Err() != nil {
				return errors.Join(failed...)
			}
		}
		if len(page) < pageOfSweep {
			return errors.Join(failed...)
		}
	}
}

// awayForAll is how many uploads in a row have to meet a place that is away for Sweep to leave the others for later.
const awayForAll = 3

func (o *Objects) sweep(ctx context.Context, u Upload) error {
	err := o.bytes.Remove(ctx, u)
	if err == nil {
		err = o.q.Forget(ctx, query.ForgetParams{Upload: u.ID, Young: young})
	}
	if err != nil {
		return explain(u.Digest, fmt.Errorf("remove upload %s: %w", u.ID, err))
	}
	return nil
}
