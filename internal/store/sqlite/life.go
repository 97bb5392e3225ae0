package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/query"
)

// livesKind has a document for each engine, of a new version with each of its lives.
const livesKind = "engine-life"

// begin begins a life of an engine.
func (s *Store) begin(ctx context.Context, tx *txn, engine string) (life int64, err error) {
	was, err := tx.Document(ctx, query.DocumentParams{Kind: livesKind, Key: engine})
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return 0, fmt.Errorf("life of %s: %w", engine, err)
	}
	now, err := put(ctx, tx, store.Document{Kind: livesKind, Key: engine, Version: was.Version}, s.now())
	return now.Version, err
}

// alive refuses what an engine does that enlisted here, if it has begun another life since.
func (s *Store) alive(ctx context.Context, tx *txn, engine string) error {
	life, enlisted := s.lives.Load(engine)
	if !enlisted {
		return nil
	}
	now, err := tx.Document(ctx, query.DocumentParams{Kind: livesKind, Key: engine})
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("life of %s: %w", engine, err)
	}
	if now.Version != life { // 0 if the engine was forgotten
		return fmt.Errorf("engine %s has begun another life: %w", engine, store.ErrFenced)
	}
	return nil
}
