package postgres

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/pg"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

//go:generate go run github.com/sqlc-dev/sqlc/cmd/sqlc@v1.31.1 generate

//go:embed migrations/*.sql
var embedded embed.FS

// migrations are those of this release.
func migrations() fs.FS {
	sub, err := fs.Sub(embedded, "migrations")
	if err != nil {
		panic(err) // the name is valid and embedded
	}
	return sub
}

const (
	oneMigration  = time.Hour        // at most: an index on a large table takes long, and the server says nothing meanwhile
	untilUnlocked = time.Minute      // is waited for a table that somebody else uses
	deadMigrator  = 10 * time.Second // after so long another engine goes on with what one has left
)

// migrate brings the database to the newest schema. Of several engines that start at once, one does. A database of another program
// is left untouched, and so is one of a newer schema, which is used only if the newer release allowed it, and with asIs one of an older.
func migrate(ctx context.Context, pool *pgxpool.Pool, schema fs.FS, asIs bool) (did store.Schema, err error) {
	current, err := schemaVersion(ctx, pool)
	if err != nil {
		return did, err
	}
	// A lock in a table is one that a pooler does not strand. It is the database's clock that ends it.
	locker, err := lock.NewPostgresTableLocker(lock.WithTableLeaseDuration(deadMigrator), lock.WithTableHeartbeatInterval(deadMigrator/5),
		lock.WithTableLockTimeout(200*time.Millisecond, uint64(oneMigration/(200*time.Millisecond))), lock.WithTableUnlockTimeout(200*time.Millisecond, 10),
		lock.WithTableRetryPolicy(func(err error) bool { return pg.Code(err) == "" && !pg.Passing(err) })) // another has it
	if err != nil {
		return did, fmt.Errorf("migrations: %w", err)
	}
	db := stdlib.OpenDBFromPool(pool)
	defer func() { err = errors.Join(err, db.Close()) }()
	provider, err := goose.NewProvider(goose.DialectPostgres, db, schema, goose.WithDisableGlobalRegistry(true), goose.WithLocker(locker))
	if err != nil {
		return did, fmt.Errorf("migrations: %w", err)
	}
	sources := provider.ListSources()
	newest := sources[len(sources)-1].Version
	did = store.Schema{From: current, To: current, Newest: newest}
	switch {
	case current == newest:
		return did, nil
	case current > newest:
		return did, usable(ctx, pool, current, newest)
	case asIs:
		return did, store.Older("the database", current, newest)
	}
	if err := up(pg.Patient(ctx, oneMigration), provider); err != nil {
		return did, migrationError(current, newest, err)
	}
	did.To = newest
	return did, nil
}

// up applies what is to be applied. A table may be in use by a backup, or by an engine that stopped in the middle of a migration until
// the server ends its transaction.
func up(ctx context.Context, provider *goose.Provider) error {
	until := time.Now().Add(untilUnlocked)
	for {
		_, err := provider.Up(ctx)
		if pg.Code(err) != codeLocked || time.Now().After(until) {
			return err
		}
	}
}

// schemaVersion reads the newest applied migration without changing anything; 0 for an empty database.
func schemaVersion(ctx context.Context, pool *pgxpool.Pool) (version int64, err error) {
	var tables, ours int
	err = pool.QueryRow(ctx, `SELECT count(*), count(*) FILTER (WHERE tablename = 'goose_db_version')
		FROM pg_tables WHERE schemaname = current_schema() AND tablename <> 'goose_lock'`).Scan(&tables, &ours) // which is made first
	if err != nil || tables == 0 {
		return 0, pg.Explain(err)
	}
	if ours == 0 {
		return 0, core.Errorf(core.CodeInvalid, "the database has tables of some other program").WithHint("make a database for Stellwerk alone: createdb stellwerk")
	}
	err = pool.QueryRow(ctx, "SELECT coalesce(max(version_id), 0) FROM goose_db_version WHERE is_applied").Scan(&version)
	return version, pg.Explain(err)
}

func newerError(current, newest int64) error {
	return core.Wrap(core.CodeUnsupported, store.ErrNewer, fmt.Sprintf("the database has schema version %d, this stellwerk knows up to %d", current, newest),
		"use the newer stellwerk that wrote it")
}

func migrationError(current, newest int64, err error) error {
	var partial *goose.PartialError
	if errors.As(err, &partial) {
		err = partial.Err
	}
	if explained, known := errors.AsType[*core.Error](pg.Explain(err)); known {
		return explained
	}
	return core.Wrap(core.CodeUnavailable, err, fmt.Sprintf("the database could not be brought from schema version %d to %d", current, newest),
		"nothing was lost: it stands at the last version that was applied whole")
}
