package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"strconv"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// A database that a newer version has migrated is refused, unless the migration
// said which older schema's program may go on using it. It says so in a document
// of this kind and key, whose data is the number of that schema:
//
//	INSERT INTO documents (kind, key, version, at, data) VALUES ('schema', 'floor', 0, 0, CAST('20' AS BLOB))
//	ON CONFLICT (kind, key) DO UPDATE SET data = excluded.data;
//
// Only a migration that merely adds may leave the floor where it is or set it below
// itself; one that takes something away, a release later, raises it to itself.
const (
	floorKind = "schema"
	floorKey  = "floor"
)

// usable reports whether a program that knows the schema up to newest may use a
// database whose schema is current. It changes nothing.
func (s *Store) usable(ctx context.Context, db *sql.DB, current, newest int64) error {
	if current <= newest {
		return nil
	}
	floor, err := s.floor(ctx, db, current)
	if err != nil {
		return err
	}
	if floor > newest {
		return newerError(s.path, current, newest)
	}
	return nil
}

// floor is the oldest schema whose program may use the database.
func (s *Store) floor(ctx context.Context, db *sql.DB, current int64) (int64, error) {
	var tables int
	err := db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'documents'").Scan(&tables)
	if err != nil || tables == 0 {
		return current, err
	}
	var data []byte
	err = db.QueryRowContext(ctx, "SELECT data FROM documents WHERE kind = ? AND key = ?", floorKind, floorKey).Scan(&data)
	if errors.Is(err, sql.ErrNoRows) {
		return current, nil
	}
	if err != nil {
		return 0, err
	}
	floor, err := strconv.ParseInt(string(data), 10, 64)
	if err != nil {
		return 0, core.Errorf(core.CodeInvalid, "%s: the oldest schema that it can be used with: %w", s.path, err)
	}
	return floor, nil
}
