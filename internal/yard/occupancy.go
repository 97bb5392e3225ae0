package yard

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

const occupancyFile = "stellwerk.lock"

// occupy takes a shared lock on the yard. Every git process inherits it, so the lock outlives
// a killed engine for exactly as long as a git process of that engine still writes. A process that gets
// the lock exclusively knows that nobody is writing, and that every lock file is left over from a dead process. That holds
// on one machine, and a yard is only ever used on one: each engine has yards of its own, in its state folder.
func occupy(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, occupancyFile), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	err = flock(f, syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case err == nil:
		err = sweep(dir)
	case errors.Is(err, syscall.EWOULDBLOCK):
		err = nil
	}
	if err == nil {
		err = flock(f, syscall.LOCK_SH)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func flock(f *os.File, how int) error {
	for {
		if err := syscall.Flock(int(f.Fd()), how); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// sweep removes what dead git processes left: lock files, half-written objects, copies of bundles, half-written bases.
func sweep(dir string) error {
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err == nil && entry.IsDir() {
			if filepath.Dir(rel) != incomingDir {
				return nil
			}
			if err := os.RemoveAll(path); err != nil {
				return err
			}
			return fs.SkipDir
		}
		if err != nil || !isLeftover(rel) {
			return err
		}
		return os.Remove(path)
	})
}

func isLeftover(rel string) bool {
	top, _, nested := strings.Cut(rel, string(filepath.Separator))
	name := filepath.Base(rel)
	switch top {
	case "objects":
		return strings.HasPrefix(name, "tmp_")
	case incomingDir:
		return nested
	default:
		return strings.HasSuffix(name, ".lock") && rel != occupancyFile
	}
}
