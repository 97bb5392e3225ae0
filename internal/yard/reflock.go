package yard

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const (
	// lockTime is how long a ref that another process holds is waited for, as git does.
	lockTime = 5 * time.Second
	lockLook = 5 * time.Millisecond
)

// refLock is a ref that only this process may change: the file that git itself takes for that.
type refLock struct {
	ref, file string
	lock      *os.File // nil when the ref has its new value
}

// lockRef takes the lock of a ref.
func (y *Yard) lockRef(ctx context.Context, ref string) (*refLock, error) {
	file := filepath.Join(y.dir, filepath.FromSlash(ref))
	for deadline := time.Now().Add(lockTime); ; {
		// Git removes folders of refs that are empty, so one that was there a moment ago may be gone.
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return nil, err
		}
		lock, err := os.OpenFile(file+".lock", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err == nil {
			return &refLock{ref: ref, file: file, lock: lock}, nil
		}
		if !errors.Is(err, fs.ErrExist) && !errors.Is(err, fs.ErrNotExist) || time.Now().After(deadline) {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(lockLook):
		}
	}
}

// write makes the new value durable, beside the old one.
func (l *refLock) write(commit string) error {
	_, err := l.lock.WriteString(commit + "\n")
	return errors.Join(err, l.lock.Sync())
}

// commit gives the ref the value that was written.
func (l *refLock) commit() error {
	err := l.lock.Close()
	if err == nil {
		// A folder in its place has no refs in it: git leaves those behind.
		err = removeEmpty(l.file)
	}
	if err == nil {
		err = os.Rename(l.lock.Name(), l.file)
	}
	if err != nil {
		return errors.Join(err, os.Remove(l.lock.Name()))
	}
	l.lock = nil
	return syncDir(filepath.Dir(l.file))
}

// replace gives a locked file of refs a new content.
func (l *refLock) replace(content string) error {
	_, err := l.lock.WriteString(content)
	if err = errors.Join(err, l.lock.Sync()); err != nil {
		return err
	}
	return l.commit()
}

// release gives the lock back, unless the ref has its new value.
func (l *refLock) release() error {
	if l.lock == nil {
		return nil
	}
	if err := l.lock.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return err
	}
	if err := os.Remove(l.lock.Name()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// removeEmpty removes a folder of nothing but folders; anything else it leaves, and a file is no error.
func removeEmpty(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() {
		return nil //nolint:nilerr // nothing is in the way
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if entry.IsDir() {
			if err := removeEmpty(filepath.Join(dir, entry.Name())); err != nil {
				return err
			}
		}
	}
	return os.Remove(dir)
}

// current is the value of a ref that is locked, "" if there is no such ref. A ref below or above it is an error: there
// cannot be both.
func (y *Yard) current(ref string) (string, error) {
	packed, err := os.ReadFile(filepath.Join(y.dir, "packed-refs"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	have := ""
	for line := range bytes.Lines(packed) {
		hash, name, _ := strings.Cut(strings.TrimSuffix(string(line), "\n"), " ")
		switch {
		case !isHash(hash):
		case name == ref:
			have = hash
		case strings.HasPrefix(name, ref+"/") || strings.HasPrefix(ref, name+"/"):
			return "", fmt.Errorf("%s stands in the way of %s", name, ref)
		}
	}
	loose, err := os.ReadFile(filepath.Join(y.dir, filepath.FromSlash(ref)))
	switch value := strings.TrimSpace(string(loose)); {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.EISDIR):
		return have, nil
	case err != nil:
		return "", err
	case !isHash(value):
		return "", fmt.Errorf("%s holds %.100q, which is no commit", ref, value)
	default:
		return value, nil
	}
}
