package folder

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/object"
)

// Each implements object.Objects. It skips files that are not named like an object.
func (f *Folder) Each(ctx context.Context, fn func(object.Entry) error) error {
	err := filepath.WalkDir(f.path, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		digest := filepath.Base(filepath.Dir(path)) + entry.Name()
		if object.CheckDigest(digest) != nil || f.at(digest) != path {
			return nil //nolint:nilerr // it is no object
		}
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil // discarded this moment
		}
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		return fn(object.Entry{Digest: digest, Size: info.Size(), At: info.ModTime()})
	})
	return explain(err, "folder of objects "+f.path)
}

// Discard implements object.Objects.
func (f *Folder) Discard(_ context.Context, digest string, before time.Time) (gone bool, err error) {
	if err := object.CheckDigest(digest); err != nil {
		return false, err
	}
	err = f.locked(syscall.LOCK_EX, func() error {
		info, err := os.Stat(f.at(digest))
		if errors.Is(err, fs.ErrNotExist) {
			gone = true
			return nil
		}
		if err != nil {
			return err
		}
		if at := info.ModTime(); !at.Before(before) || time.Since(at) < object.Young {
			return nil
		}
		err = f.disk.remove(f.at(digest))
		gone = err == nil
		return err
	})
	return gone, explain(err, "object "+digest)
}

// Touch implements object.Objects.
func (f *Folder) Touch(_ context.Context, digest string) (there bool, err error) {
	if err := object.CheckDigest(digest); err != nil {
		return false, err
	}
	err = f.locked(syscall.LOCK_SH, func() error { return f.disk.touch(f.at(digest)) })
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, explain(err, "object "+digest)
}

// locked runs fn under a lock of the folder that all processes meet in: whoever discards holds it alone, so an object is
// either found and made young before, or put again after. Each call has a lock of its own, so goroutines meet in it, too.
func (f *Folder) locked(how int, fn func() error) (err error) {
	dir, err := os.Open(f.path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	for {
		err := syscall.Flock(int(dir.Fd()), how)
		if err == nil {
			return fn()
		}
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
