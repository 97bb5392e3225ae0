package postgres

import (
	"context"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Backup is refused: a server has tools of its own for that, which know its log.
func (s *Store) Backup(ctx context.Context, _ string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return core.Errorf(core.CodeUnsupported, "a PostgreSQL database is not backed up by Stellwerk").
		WithHint("use the server's own tools: pg_basebackup and its write-ahead log, or pg_dump")
}
