package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Backup writes a consistent copy of the database to path while it is in use.
// An existing file is never overwritten.
func (s *Store) Backup(ctx context.Context, path string) error {
	if err := copyInto(ctx, s.readers, path); err != nil {
		return s.explain(fmt.Errorf("back up to %s: %w", path, err))
	}
	return nil
}

// copyInto writes a copy that is there whole or not at all.
func copyInto(ctx context.Context, db *sql.DB, path string) error {
	if _, err := os.Lstat(path); err == nil {
		return core.Errorf(core.CodeConflict, "%s exists already", path).WithHint("choose a name that is free")
	} else if !errors.Is(err, fs.ErrNotExist) {
		return core.Wrap(core.CodeUnavailable, err, "backup cannot be written", "choose a folder that exists and is writable")
	}
	folder := filepath.Dir(path)
	part, err := os.CreateTemp(folder, ".backup-*") // mode 0600
	if err != nil {
		return core.Wrap(core.CodeUnavailable, err, "backup cannot be written", "choose a folder that exists and is writable")
	}
	_, err = db.ExecContext(ctx, "VACUUM INTO ?", part.Name())
	if err == nil {
		err = part.Sync()
	}
	err = errors.Join(err, part.Close())
	if err == nil {
		err = os.Rename(part.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(part.Name()))
	}
	return syncFolder(folder)
}
