// Package backup copies a state folder while an engine works on it, and puts such a copy
// back. It must not change what it copies, nor overwrite anything.
package backup

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/statefolder"
)

// database is the store of the engine that is backed up.
type database interface {
	// Backup writes a copy of everything that is committed to a new file.
	Backup(ctx context.Context, path string) error
}

// Write writes the state to a new folder, while in use: the database, then the objects, so that whatever the database speaks
// of is there, and what is gained meanwhile does no harm. Everything else in a state folder is made again from these. Attempts
// under way are left out: after a restore they are tried again, and not counted. The seal comes last: a backup that was cut
// short has none.
func Write(ctx context.Context, from statefolder.Folder, db database, path, version string) error {
	if err := os.Mkdir(path, 0o700); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return core.Errorf(core.CodeConflict, "%s exists already", path).WithHint("a backup is a new folder: choose another name")
		}
		return core.Wrap(core.CodeUnavailable, err, "the backup's folder cannot be made", "check the folder above it")
	}
	if err := db.Backup(ctx, filepath.Join(path, filepath.Base(from.Database()))); err != nil {
		return err
	}
	if err := copyKept(ctx, from.Dir, path, "blobs"); err != nil {
		return err
	}
	return seal(path, version)
}

// Restore puts a backup in the place of a state folder that is new or empty, and
// keeps engines off it meanwhile.
func Restore(ctx context.Context, state, backup string) (err error) {
	if err := checkSeal(backup); err != nil {
		return err
	}
	to := statefolder.Folder{Dir: state}
	entries, err := os.ReadDir(state)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return core.Wrap(core.CodeUnavailable, err, "the state folder cannot be read", "choose another").Offer(core.Choice{Verb: core.VerbStateFolder})
	}
	if len(entries) > 0 {
		return occupied(to)
	}
	if err := os.MkdirAll(state, 0o700); err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the state folder cannot be made", "choose another").Offer(core.Choice{Verb: core.VerbStateFolder})
	}
	lock, err := statefolder.Acquire(to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	// Backups of earlier versions have more than objects.
	if err := copyKept(ctx, backup, state, "runs", "blobs", "yards"); err != nil {
		return err
	}
	// The database comes last: a restore that was cut short leaves none, and
	// nothing that looks complete.
	return copyAll(ctx, statefolder.Folder{Dir: backup}.Database(), to.Database(), halfPut)
}

// occupied says why a state folder is not restored over.
func occupied(state statefolder.Folder) error {
	if state.Held() {
		return core.Errorf(core.CodeConflict, "an engine runs on %s, and nothing is overwritten", state.Dir).
			WithHint("end it (`systemctl stop stellwerk` if it is a service) and move the folder away, then restore; or restore elsewhere").Offer(core.Choice{Verb: core.VerbStateFolder})
	}
	return core.Errorf(core.CodeConflict, "%s is not empty, and nothing is overwritten", state.Dir).
		WithHint("move it away, or restore elsewhere").Offer(core.Choice{Verb: core.VerbStateFolder})
}

func copyKept(ctx context.Context, from, to string, names ...string) error {
	for _, name := range names {
		source := filepath.Join(from, name)
		if _, err := os.Stat(source); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := copyAll(ctx, source, filepath.Join(to, name), halfPut); err != nil {
			return err
		}
	}
	return nil
}

// copyAll copies a file or a folder with everything in it but what is passing. What
// vanishes meanwhile was temporary: what events name is never removed.
func copyAll(ctx context.Context, from, to string, passing passing) error {
	err := filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			err = copyOne(path, filepath.Join(to, strings.TrimPrefix(path, from)), entry, passing)
		}
		if errors.Is(err, fs.ErrNotExist) && path != from {
			return nil
		}
		return err
	})
	if err != nil && ctx.Err() == nil {
		return core.Wrap(core.CodeUnavailable, err, from+" cannot be copied", "check the space and permissions of "+filepath.Dir(to))
	}
	return err
}

// passing knows the names of files that somebody is about to rename or remove. What
// they are depends on the folder: elsewhere, a document or a branch may be called so.
type passing func(name string) bool

func halfPut(name string) bool { return strings.HasPrefix(name, ".new-") } // blobs

func copyOne(from, to string, entry fs.DirEntry, passing passing) error {
	switch {
	case entry.IsDir():
		return os.Mkdir(to, 0o700)
	case !entry.Type().IsRegular() || passing(entry.Name()):
		return nil // sockets and locks are made anew
	}
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }() // only read from
	target, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	if err == nil {
		err = target.Sync()
	}
	return errors.Join(err, target.Close())
}
