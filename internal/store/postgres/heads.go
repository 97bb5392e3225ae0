package postgres

import (
	"context"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/postgres/query"
)

// Heads lists where streams stand.
func (s *Store) Heads(ctx context.Context, after string, limit int) ([]store.StreamHead, error) {
	rows, err := s.q.Heads(ctx, query.HeadsParams{After: after, Most: most(limit)})
	return list("heads of streams", rows, err, func(r query.HeadsRow) store.StreamHead {
		return store.StreamHead{Stream: r.Stream, Head: core.Head{Seq: r.Seq, Hash: r.Hash, At: r.At.UTC()}}
	})
}
