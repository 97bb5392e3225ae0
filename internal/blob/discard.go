package blob

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Young is how long a blob is kept in any case after it was put, or put again: time
// enough for the event that names it.
const Young = 24 * time.Hour

// Each calls fn with every blob: its digest, its size and when it was put last. It
// skips files that are not named like a blob.
func (f *Folder) Each(fn func(digest string, size int64, at time.Time) error) error {
	err := filepath.WalkDir(f.path, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		digest := filepath.Base(filepath.Dir(path)) + entry.Name()
		if at, err := f.Path(digest); err != nil || at != path {
			return nil //nolint:nilerr // it is no blob
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		return fn(digest, info.Size(), info.ModTime())
	})
	return explain(err, "folder of blobs "+f.path)
}

// Discard removes a blob that nothing names, unless it was put after before or is
// young. It reports whether the blob is gone; repeating it is harmless.
func (f *Folder) Discard(digest string, before time.Time) (bool, error) {
	path, err := f.Path(digest)
	if err != nil {
		return false, err
	}
	f.placing.Lock()
	defer f.placing.Unlock()
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, explain(err, "blob "+digest)
	}
	if at := info.ModTime(); !at.Before(before) || time.Since(at) < Young {
		return false, nil
	}
	err = f.disk.remove(path)
	return err == nil, explain(err, "blob "+digest)
}

// Touch makes a blob young for a caller that is about to name it, and reports
// whether it is there.
func (f *Folder) Touch(digest string) (bool, error) {
	path, err := f.Path(digest)
	if err != nil {
		return false, err
	}
	f.placing.RLock()
	defer f.placing.RUnlock()
	err = f.disk.touch(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, explain(err, "blob "+digest)
}
