package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"time"

	_ "modernc.org/sqlite" // registers the "sqlite" driver

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/query"
)

// oldest is the oldest SQLite whose write-ahead log is trusted here.
const oldest = "3.51.3"

// Open opens the database at path, makes it where there is none, and brings
// its schema up to date. The folder must exist.
func Open(ctx context.Context, path string, o Options) (*Store, error) {
	return open(ctx, path, o, migrations())
}

func open(ctx context.Context, path string, o Options, schema fs.FS) (*Store, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("database path: %w", err)
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.BusyTimeout <= 0 {
		o.BusyTimeout = 5 * time.Second
	}
	if o.Readers <= 0 {
		o.Readers = 4
	}
	s := &Store{path: path, clock: o.Clock, signals: make(chan struct{}, 1)}
	if err := s.connect(ctx, o, schema); err != nil {
		return nil, s.explain(err)
	}
	s.signal()
	return s, nil
}

func (s *Store) connect(ctx context.Context, o Options, schema fs.FS) error {
	made, err := ensureFile(s.path)
	if err != nil {
		return err
	}
	if s.file, err = os.Stat(s.path); err != nil {
		return err
	}
	db, err := sql.Open("sqlite", dataSource(s.path, o.BusyTimeout, false))
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	if err := s.prepare(ctx, db, o, schema); err != nil {
		return errors.Join(err, db.Close())
	}
	if made {
		return syncFolder(filepath.Dir(s.path))
	}
	return nil
}

// prepare makes db the writer, after its schema is what this program knows.
func (s *Store) prepare(ctx context.Context, db *sql.DB, o Options, schema fs.FS) error {
	if err := checkVersion(ctx, db); err != nil {
		return err
	}
	if err := s.migrate(ctx, db, schema, o); err != nil {
		return err
	}
	if !o.Closed {
		if err := s.admit(ctx, db); err != nil {
			return err
		}
	}
	readers, err := sql.Open("sqlite", dataSource(s.path, o.BusyTimeout, true))
	if err != nil {
		return err
	}
	readers.SetMaxOpenConns(o.Readers)
	readers.SetMaxIdleConns(o.Readers)
	read, err := query.Prepare(ctx, readers)
	if err != nil {
		return errors.Join(err, readers.Close())
	}
	if s.moves, err = readers.PrepareContext(ctx, selectMoves); err != nil {
		return errors.Join(err, read.Close(), readers.Close())
	}
	w, err := newWriter(ctx, db, o.LazyLooks, s.signal)
	if err != nil {
		return errors.Join(err, read.Close(), s.moves.Close(), readers.Close())
	}
	s.readers, s.read, s.writer = readers, read, w
	return nil
}

// ensureFile makes the database's file readable by its owner alone; the log
// beside it takes over its mode. An existing file is not opened: closing a
// descriptor of it would drop the locks of every connection in this process.
func ensureFile(path string) (made bool, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err == nil {
		return true, f.Close()
	}
	if !errors.Is(err, fs.ErrExist) {
		return false, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return false, err
	}
	if !info.Mode().IsRegular() {
		return false, notAFile(path)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return false, os.Chmod(path, 0o600)
	}
	return false, nil
}

func notAFile(path string) error {
	return core.Errorf(core.CodeUnavailable, "database %s is not a file", path).
		WithHint("move it away, or choose another state folder")
}

func dataSource(path string, busy time.Duration, readOnly bool) string {
	q := url.Values{}
	q.Add("_pragma", fmt.Sprintf("busy_timeout(%d)", busy.Milliseconds()))
	if readOnly {
		q.Set("mode", "ro")
	} else {
		q.Set("_txlock", "immediate")
		q.Add("_pragma", "journal_mode(WAL)")
		q.Add("_pragma", "synchronous(FULL)")
		q.Add("_pragma", "foreign_keys(1)")
		q.Add("_pragma", "journal_size_limit(67108864)")
	}
	u := url.URL{Scheme: "file", Path: path, RawQuery: q.Encode()}
	return u.String()
}

func checkVersion(ctx context.Context, db *sql.DB) error {
	var version string
	if err := db.QueryRowContext(ctx, "SELECT sqlite_version()").Scan(&version); err != nil {
		return err
	}
	have, err := parseVersion(version)
	if err != nil {
		return err
	}
	need, err := parseVersion(oldest)
	if err != nil {
		return err
	}
	if slices.Compare(have, need) < 0 {
		return core.Errorf(core.CodeUnsupported, "SQLite %s is too old, %s or newer is needed", version, oldest).
			WithHint("build stellwerk with the modernc.org/sqlite version of its go.mod")
	}
	return nil
}

func parseVersion(s string) ([]int, error) {
	v := make([]int, 3)
	if _, err := fmt.Sscanf(s, "%d.%d.%d", &v[0], &v[1], &v[2]); err != nil {
		return nil, fmt.Errorf("SQLite version %q: %w", s, err)
	}
	return v, nil
}

func syncFolder(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
