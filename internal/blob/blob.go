// Package blob keeps files by the hash of their content. The bytes behind a digest
// that Put has returned survive a crash of the machine, so an event may name it.
// The package must not change what it keeps, deletes a blob only if its caller
// says that nothing names it, and does not know what the bytes mean.
package blob

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TooLarge says that content exceeds the limit given to Put.
type TooLarge struct{ Max int64 }

func (e *TooLarge) Error() string { return fmt.Sprintf("larger than the limit of %d bytes", e.Max) }

// Folder is a folder of blobs: <first two hex digits of the digest>/<the rest>.
// All methods are safe for concurrent use, by several processes too.
type Folder struct {
	path string
	disk disk

	placing sync.RWMutex // held alone while a blob is discarded

	mu      sync.Mutex
	durable map[string]bool // guarded by mu: shards whose own name is known to be on disk
}

// Open opens a folder of blobs, and creates it if it is missing.
func Open(path string) (*Folder, error) { return open(path, realDisk{}) }

func open(path string, d disk) (*Folder, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, explain(err, "folder of blobs "+path)
	}
	if err := syncFolder(d, filepath.Dir(path)); err != nil {
		return nil, explain(err, "folder of blobs "+path)
	}
	return &Folder{path: path, disk: d, durable: map[string]bool{}}, nil
}

// Put keeps what r yields, at most max bytes (0 for no limit), and returns its
// hex SHA-256. If the content is there already, Put checks it and repairs it if it
// is damaged.
func (f *Folder) Put(ctx context.Context, r io.Reader, max int64) (digest string, size int64, err error) {
	tmp, err := f.disk.createTemp(f.path)
	if err != nil {
		return "", 0, explain(err, "new blob in "+f.path)
	}
	placed := false
	defer func() {
		if !placed {
			err = errors.Join(err, f.disk.remove(tmp.Name()))
		}
	}()
	digest, size, err = f.fill(ctx, tmp, r, max)
	if err != nil {
		return "", 0, explain(err, "new blob in "+f.path)
	}
	placed, err = f.place(ctx, tmp.Name(), digest)
	if err != nil {
		return "", 0, explain(err, "blob "+digest)
	}
	return digest, size, nil
}

// fill writes r to tmp, makes it durable, and closes it.
func (f *Folder) fill(ctx context.Context, tmp *os.File, r io.Reader, max int64) (digest string, size int64, err error) {
	defer func() { err = errors.Join(err, tmp.Close()) }()
	if max > 0 {
		r = io.LimitReader(r, max+1)
	}
	hash := sha256.New()
	size, err = io.Copy(io.MultiWriter(tmp, hash), cancellable{ctx, r})
	if err != nil {
		return "", 0, err
	}
	if max > 0 && size > max {
		return "", 0, &TooLarge{Max: max}
	}
	if err := f.disk.syncFile(tmp); err != nil {
		return "", 0, err
	}
	return hex.EncodeToString(hash.Sum(nil)), size, nil
}

// place gives a finished file its name and makes the name durable. Another writer
// may have named the same blob without having made that durable yet, so place does
// it for both.
func (f *Folder) place(ctx context.Context, tmp, digest string) (renamed bool, err error) {
	path := f.at(digest)
	shard := filepath.Dir(path)
	if err := f.ensureShard(shard); err != nil {
		return false, err
	}
	f.placing.RLock()
	defer f.placing.RUnlock()
	if f.Verify(ctx, digest) == nil {
		if err := f.disk.touch(path); err != nil { // it is as young as one that is new, for Discard
			return false, err
		}
	} else {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if err := f.disk.rename(tmp, path); err != nil {
			return false, err
		}
		renamed = true
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

// Open opens a blob for reading. The caller closes it.
func (f *Folder) Open(digest string) (*os.File, error) {
	path, err := f.Path(digest)
	if err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, explain(err, "blob "+digest)
	}
	return file, nil
}

// Path is the file of a blob, whether it exists or not.
func (f *Folder) Path(digest string) (string, error) {
	if raw, err := hex.DecodeString(digest); err != nil || len(raw) != sha256.Size || hex.EncodeToString(raw) != digest {
		return "", core.Errorf(core.CodeInvalid, "%.80q is not the digest of a blob", digest)
	}
	return f.at(digest), nil
}

func (f *Folder) at(digest string) string { return filepath.Join(f.path, digest[:2], digest[2:]) }

// Verify reads a blob and fails if it is missing or its content does not match the
// digest.
func (f *Folder) Verify(ctx context.Context, digest string) (err error) {
	file, err := f.Open(digest)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, explain(file.Close(), "blob "+digest)) }()
	hash := sha256.New()
	if _, err := io.Copy(hash, cancellable{ctx, file}); err != nil {
		return explain(err, "blob "+digest)
	}
	if got := hex.EncodeToString(hash.Sum(nil)); got != digest {
		return core.Errorf(core.CodeUnavailable, "blob %s is damaged: its content has the hash %s", digest, got).
			WithHint("restore the blobs folder from a backup; storing the same content again repairs it")
	}
	return nil
}

// cancellable reads until its context ends.
type cancellable struct {
	ctx context.Context
	r   io.Reader
}

func (c cancellable) Read(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(b)
}

func explain(err error, what string) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return core.Wrap(core.CodeUnavailable, err, what+": the disk is full", "free some space and try again")
	case errors.Is(err, fs.ErrNotExist):
		return core.Wrap(core.CodeNotFound, err, what+" is missing", "restore the blobs folder from a backup")
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS), errors.Is(err, syscall.ENOTDIR):
		return core.Wrap(core.CodeUnavailable, err, what+" cannot be written or read",
			"make the state folder writable for you, or choose another with --state")
	}
	return fmt.Errorf("%s: %w", what, err)
}
