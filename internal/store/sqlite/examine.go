package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// Examine looks whether Open could use the database at path, and changes nothing
// of it, so that it can be asked while an engine runs. Errors: fs.ErrNotExist
// if there is no database yet.
func Examine(ctx context.Context, path string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	s := &Store{path: path}
	return s.explain(s.examine(ctx))
}

func (s *Store) examine(ctx context.Context) (err error) {
	info, err := os.Stat(s.path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return notAFile(s.path)
	}
	for _, name := range []string{s.path, filepath.Dir(s.path)} {
		if err := unix.Access(name, unix.R_OK|unix.W_OK); err != nil {
			return err
		}
	}
	db, err := sql.Open("sqlite", dataSource(s.path, time.Second, true))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	_, newest, err := versions(db, migrations())
	if err != nil {
		return err
	}
	current, err := s.schemaVersion(ctx, db)
	if err != nil {
		return err
	}
	if err := s.usable(ctx, db, current, newest); err != nil {
		return err
	}
	return s.admit(ctx, db)
}
