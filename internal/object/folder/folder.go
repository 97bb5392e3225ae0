// Package folder keeps objects as files of one folder, for engines on one machine. It must not change what it keeps, and
// does not know what the bytes mean.
package folder

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/object"
)

// Folder is a folder of objects: <first two hex digits of the digest>/<the rest>. It implements object.Objects for all
// processes of one machine.
type Folder struct {
	path string
	disk disk

	mu      sync.Mutex
	durable map[string]bool // guarded by mu: shards whose own name is known to be on disk
}

// Open opens a folder of objects, and creates it if it is missing.
func Open(path string) (*Folder, error) { return open(path, realDisk{}) }

func open(path string, d disk) (*Folder, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, explain(err, "folder of objects "+path)
	}
	if err := syncFolder(d, filepath.Dir(path)); err != nil {
		return nil, explain(err, "folder of objects "+path)
	}
	return &Folder{path: path, disk: d, durable: map[string]bool{}}, nil
}

// Put implements object.Objects.
func (f *Folder) Put(ctx context.Context, r io.Reader, max int64) (digest string, size int64, err error) {
	tmp, err := f.disk.createTemp(f.path)
	if err != nil {
		return "", 0, explain(err, "new object in "+f.path)
	}
	placed := false
	defer func() {
		if !placed {
			err = errors.Join(err, f.disk.remove(tmp.Name()))
		}
	}()
	digest, size, err = f.fill(ctx, tmp, r, max)
	if err != nil {
		return "", 0, explain(err, "new object in "+f.path)
	}
	placed, err = f.place(ctx, tmp.Name(), digest)
	if err != nil {
		return "", 0, explain(err, "object "+digest)
	}
	return digest, size, nil
}

// fill writes r to tmp, makes it durable, and closes it.
func (f *Folder) fill(ctx context.Context, tmp *os.File, r io.Reader, max int64) (digest string, size int64, err error) {
	defer func() { err = errors.Join(err, tmp.Close()) }()
	digest, size, err = object.Copy(ctx, tmp, r, max)
	if err != nil {
		return "", 0, err
	}
	if err := f.disk.syncFile(tmp); err != nil {
		return "", 0, err
	}
	return digest, size, nil
}

// place gives a finished file its name and makes the name durable. Another writer
// may have named the same object without having made that durable yet, so place does
// it for both.
func (f *Folder) place(ctx context.Context, tmp, digest string) (renamed bool, err error) {
	path := f.at(digest)
	shard := filepath.Dir(path)
	if err := f.ensureShard(shard); err != nil {
		return false, err
	}
	err = f.locked(syscall.LOCK_SH, func() error {
		if f.Verify(ctx, digest) == nil {
			return f.disk.touch(path) // it is as young as one that is new, for Discard
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := f.disk.rename(tmp, path); err != nil {
			return err
		}
		renamed = true
		return nil
	})
	if err != nil {
		return renamed, err
	}
	return renamed, syncFolder(f.disk, shard)
}

func (f *Folder) ensureShard(shard string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.durable[shard] {
		return nil
	}
	if err := f.disk.mkdir(shard); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if err := syncFolder(f.disk, f.path); err != nil {
		return err
	}
	f.durable[shard] = true
	return nil
}

// Open implements object.Objects.
func (f *Folder) Open(_ context.Context, digest string) (io.ReadSeekCloser, error) {
	file, err := f.open(digest)
	if err != nil {
		return nil, err
	}
	return file, nil
}

func (f *Folder) open(digest string) (*os.File, error) {
	if err := object.CheckDigest(digest); err != nil {
		return nil, err
	}
	file, err := os.Open(f.at(digest))
	return file, explain(err, "object "+digest)
}

// Link implements object.Linker.
func (f *Folder) Link(digest, path string) error {
	if err := object.CheckDigest(digest); err != nil {
		return err
	}
	return explain(os.Link(f.at(digest), path), "object "+digest)
}

// Size implements object.Objects.
func (f *Folder) Size(_ context.Context, digest string) (int64, error) {
	if err := object.CheckDigest(digest); err != nil {
		return 0, err
	}
	info, err := os.Stat(f.at(digest))
	if err != nil {
		return 0, explain(err, "object "+digest)
	}
	return info.Size(), nil
}

func (f *Folder) at(digest string) string { return filepath.Join(f.path, digest[:2], digest[2:]) }

// Verify implements object.Objects.
func (f *Folder) Verify(ctx context.Context, digest string) (err error) {
	file, err := f.open(digest)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, explain(file.Close(), "object "+digest)) }()
	return explain(object.Verify(ctx, digest, file), "object "+digest)
}

func explain(err error, what string) error {
	var known *core.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known):
		return err
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return core.Wrap(core.CodeUnavailable, err, what+": the disk is full", "free some space and try again")
	case errors.Is(err, fs.ErrNotExist):
		return core.Wrap(core.CodeNotFound, err, what+" is missing", "restore the folder of objects from a backup")
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS), errors.Is(err, syscall.ENOTDIR):
		return core.Wrap(core.CodeUnavailable, err, what+" cannot be written or read",
			"make the state folder writable for you, or choose another with --state")
	}
	return fmt.Errorf("%s: %w", what, err)
}
