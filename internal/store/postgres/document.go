package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/pg"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/postgres/query"
)

// Document reads a document.
func (s *Store) Document(ctx context.Context, kind, key string) (store.Document, error) {
	row, err := s.q.Document(ctx, query.DocumentParams{Kind: kind, Key: key})
	if err != nil {
		return store.Document{}, missing(kind+" "+key, err)
	}
	return store.Document{Kind: kind, Key: key, Version: row.Version, At: row.At.UTC(), Data: row.Data}, nil
}

// Documents lists those of a kind.
func (s *Store) Documents(ctx context.Context, kind, prefix, after string, limit int) ([]store.Document, error) {
	rows, err := s.q.Documents(ctx, query.DocumentsParams{Kind: kind, Prefix: prefix, After: after, Most: most(limit)})
	return list("documents of kind "+kind, rows, err, func(r query.DocumentsRow) store.Document {
		return store.Document{Kind: kind, Key: r.Key, Version: r.Version, At: r.At.UTC(), Data: r.Data}
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
	p := query.PutDocumentsParams{Kinds: []string{}, Keys: []string{}, Seen: []int64{}, Contents: [][]byte{}}
	for _, d := range all {
		if err := d.Fits(); err != nil {
			return nil, err
		}
		p.Kinds, p.Keys, p.Seen, p.Contents = append(p.Kinds, d.Kind), append(p.Keys, d.Key), append(p.Seen, d.Version), append(p.Contents, append([]byte{}, d.Data...))
	}
	answer, err := s.q.PutDocuments(ctx, p)
	if pg.Code(err) == codeStale {
		return nil, fmt.Errorf("%w: %w", store.ErrStale, err)
	}
	if err != nil {
		return nil, explain("put documents", err)
	}
	var said []struct {
		N       int       `json:"n"`
		Version int64     `json:"version"`
		At      time.Time `json:"at"`
	}
	if err := json.Unmarshal([]byte(answer), &said); err != nil {
		return nil, fmt.Errorf("read what was kept: %w", err)
	}
	kept := make([]store.Document, len(all))
	for _, k := range said {
		d := all[k.N-1]
		kept[k.N-1] = store.Document{Kind: d.Kind, Key: d.Key, Version: k.Version, At: k.At.UTC(), Data: p.Contents[k.N-1]}
	}
	return kept, nil
}

// DeleteDocument removes the version that was read.
func (s *Store) DeleteDocument(ctx context.Context, kind, key string, version int64) error {
	n, err := s.q.DeleteDocument(ctx, query.DeleteDocumentParams{Kind: kind, Key: key, Version: version})
	if err == nil && n == 0 {
		return fmt.Errorf("%s %s is no longer version %d: %w", kind, key, version, store.ErrStale)
	}
	return explain("delete "+kind+" "+key, err)
}
