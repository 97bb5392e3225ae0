package postgres

import (
	"context"
	"errors"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/pg"
)

// A database that a newer release has migrated is refused, unless the migration said which older schema's program may go on using it.
// It says so in a document of this kind and key, whose data is the number of that schema, as on SQLite:
//
//	INSERT INTO documents (kind, key, version, at, data) VALUES ('schema', 'floor', nextval('document_versions'), clock_timestamp(), '5')
//	ON CONFLICT (kind, key) DO UPDATE SET version = excluded.version, at = excluded.at, data = excluded.data;
//
// Only a migration that merely adds may leave the floor where it is or set it below itself; one that takes something away, a release
// later, raises it to itself.
const (
	floorKind = "schema"
	floorKey  = "floor"
)

// usable refuses a database whose schema is newer than a program that knows the schema up to newest may use.
func usable(ctx context.Context, pool *pgxpool.Pool, current, newest int64) error {
	floor, err := floorOf(ctx, pool, current)
	if err != nil {
		return err
	}
	if floor > newest {
		return newerError(current, newest)
	}
	return nil
}

// floorOf is the oldest schema whose program may use the database.
func floorOf(ctx context.Context, pool *pgxpool.Pool, current int64) (int64, error) {
	var there bool
	if err := pool.QueryRow(ctx, "SELECT to_regclass('documents') IS NOT NULL").Scan(&there); err != nil || !there {
		return current, pg.Explain(err)
	}
	var data []byte
	err := pool.QueryRow(ctx, "SELECT data FROM documents WHERE kind = $1 AND key = $2", floorKind, floorKey).Scan(&data)
	if errors.Is(err, pgx.ErrNoRows) {
		return current, nil
	}
	if err != nil {
		return 0, pg.Explain(err)
	}
	floor, err := strconv.ParseInt(string(data), 10, 64)
	if err != nil {
		return 0, core.Errorf(core.CodeInvalid, "the oldest schema that the database can be used with: %w", err)
	}
	return floor, nil
}
