package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

//go:generate go run github.com/sqlc-dev/sqlc/cmd/sqlc@v1.31.1 generate

//go:embed migrations/*.sql
var embedded embed.FS

func migrations() fs.FS {
	sub, err := fs.Sub(embedded, "migrations")
	if err != nil {
		panic(err) // the name is valid and embedded
	}
	return sub
}

// migrate brings db to the newest schema. A database with content is copied
// first; one of a newer schema, or of something else, is left untouched, and used
// only if a newer version allowed it.
func (s *Store) migrate(ctx context.Context, db *sql.DB, schema fs.FS, o Options) error {
	provider, newest, err := versions(db, schema)
	if err != nil {
		return err
	}
	current, err := s.schemaVersion(ctx, db)
	if err != nil {
		return err
	}
	s.schema = store.Schema{From: current, To: current, Newest: newest}
	switch {
	case current == newest:
		return nil
	case current > newest:
		return s.usable(ctx, db, current, newest)
	case o.AsIs:
		return store.Older("database "+s.path, current, newest)
	}
	done := Migration{From: current, To: newest}
	if current > 0 {
		stamp := s.now().Format("20060102T150405.000000Z")
		done.Backup = fmt.Sprintf("%s.backup-v%d-%s", s.path, current, stamp)
		if err := copyInto(ctx, db, done.Backup); err != nil {
			return fmt.Errorf("copy the database before migrating it: %w", err)
		}
	}
	if _, err := provider.Up(ctx); err != nil {
		return migrationError(s.path, done, err)
	}
	s.schema.To, s.schema.Backup = newest, done.Backup
	if current > 0 && o.OnMigrate != nil {
		o.OnMigrate(done)
	}
	return nil
}

// versions are the migrations for db and the version that the last of them makes.
func versions(db *sql.DB, schema fs.FS) (*goose.Provider, int64, error) {
	provider, err := goose.NewProvider(goose.DialectSQLite3, db, schema, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return nil, 0, fmt.Errorf("migrations: %w", err)
	}
	sources := provider.ListSources()
	return provider, sources[len(sources)-1].Version, nil
}

// schemaVersion reads the newest applied migration without changing anything;
// 0 for an empty database.
func (s *Store) schemaVersion(ctx context.Context, db *sql.DB) (int64, error) {
	var tables, ours int64
	err := db.QueryRowContext(ctx,
		"SELECT count(*), coalesce(sum(name = 'goose_db_version'), 0) FROM sqlite_schema WHERE type = 'table'",
	).Scan(&tables, &ours)
	if err != nil || tables == 0 {
		return 0, err
	}
	if ours == 0 {
		return 0, core.Errorf(core.CodeInvalid, "%s is a database of some other program", s.path).
			WithHint("choose another state folder, or move the file away")
	}
	var version sql.NullInt64
	err = db.QueryRowContext(ctx, "SELECT max(version_id) FROM goose_db_version WHERE is_applied").Scan(&version)
	return version.Int64, err
}

func newerError(path string, current, newest int64) error {
	message := fmt.Sprintf("database %s has schema version %d, this stellwerk knows up to %d", path, current, newest)
	return core.Wrap(core.CodeUnsupported, store.ErrNewer, message,
		"use the newer stellwerk that wrote it, or restore the backup it made before it changed the database")
}

func migrationError(path string, m Migration, err error) error {
	var partial *goose.PartialError
	if errors.As(err, &partial) {
		err = partial.Err
	}
	hint := "nothing was lost: the database stands at the last version that was applied whole"
	if m.Backup != "" {
		hint += "; a copy from before is at " + m.Backup
	}
	message := fmt.Sprintf("database %s could not be brought from schema version %d to %d", path, m.From, m.To)
	return core.Wrap(core.CodeUnavailable, err, message, hint)
}
