package sqlite

import (
	"context"
	"fmt"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/query"
)

// Document reads a document.
func (s *Store) Document(ctx context.Context, kind, key string) (store.Document, error) {
	row, err := s.read.Document(ctx, query.DocumentParams{Kind: kind, Key: key})
	if err != nil {
		return store.Document{}, s.missing(err, kind+" "+key)
	}
	return store.Document{Kind: kind, Key: key, Version: row.Version, At: fromMicros(row.At), Data: row.Data}, nil
}

// Documents lists those of a kind.
func (s *Store) Documents(ctx context.Context, kind, prefix, after string, limit int) ([]store.Document, error) {
	rows, err := s.read.Documents(ctx, query.DocumentsParams{
		Kind: kind, Least: prefix, After: after,
		Beyond: prefix + "\xff", // no key has this byte: they are UTF-8
		Most:   sqlLimit(limit),
	})
	return list(s, rows, err, func(r query.DocumentsRow) store.Document {
		return store.Document{Kind: kind, Key: r.Key, Version: r.Version, At: fromMicros(r.At), Data: r.Data}
	})
}

// PutDocument makes a document or replaces the version that was read.
func (s *Store) PutDocument(ctx context.Context, d store.Document) (store.Document, error) {
	kept, err := s.PutDocuments(ctx, []store.Document{d})
	if err != nil {
		return store.Document{}, err
	}
	return kept[0], nil
}

// PutDocuments puts all or none.
func (s *Store) PutDocuments(ctx context.Context, all []store.Document) ([]store.Document, error) {
	for _, d := range all {
		if err := d.Fits(); err != nil {
			return nil, err
		}
	}
	var kept []store.Document
	err := s.writer.commit(ctx, func(ctx context.Context, tx *txn) error {
		kept = make([]store.Document, 0, len(all))
		for _, d := range all {
			next, err := put(ctx, tx, d, s.now())
			if err != nil {
				return err
			}
			kept = append(kept, next)
		}
		return nil
	})
	if err != nil {
		return nil, s.explain(err)
	}
	return kept, nil
}

func put(ctx context.Context, tx *txn, d store.Document, now time.Time) (store.Document, error) {
	next, rows := d, int64(0)
	next.At, next.Data = now, append([]byte{}, d.Data...)
	var err error
	if next.Version, err = tx.NextDocumentVersion(ctx); err != nil {
		return next, fmt.Errorf("version of %s %s: %w", d.Kind, d.Key, err)
	}
	if d.Version == 0 {
		rows, err = tx.MakeDocument(ctx, query.MakeDocumentParams{
			Kind: d.Kind, Key: d.Key, Version: next.Version, At: micros(now), Data: next.Data,
		})
	} else {
		rows, err = tx.ReplaceDocument(ctx, query.ReplaceDocumentParams{
			Kind: d.Kind, Key: d.Key, Version: next.Version, At: micros(now), Data: next.Data, Seen: d.Version,
		})
	}
	if err != nil {
		return next, fmt.Errorf("put %s %s: %w", d.Kind, d.Key, err)
	}
	return next, moved(rows, d.Kind, d.Key, d.Version)
}

// DeleteDocument removes the version that was read.
func (s *Store) DeleteDocument(ctx context.Context, kind, key string, version int64) error {
	return s.explain(s.writer.commit(ctx, func(ctx context.Context, tx *txn) error {
		n, err := tx.DeleteDocument(ctx, query.DeleteDocumentParams{Kind: kind, Key: key, Version: version})
		if err != nil {
			return fmt.Errorf("delete %s %s: %w", kind, key, err)
		}
		return moved(n, kind, key, version)
	}))
}

// moved refuses a change that met no document of the version it was made for.
func moved(rows int64, kind, key string, version int64) error {
	if rows == 1 {
		return nil
	}
	return fmt.Errorf("%s %s is no longer version %d: %w", kind, key, version, store.ErrStale)
}
