package courier

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/stellwerk-dev/stellwerk/internal/exchange/wire"
)

// packWorkspace makes an archive of a workspace that could not be bundled, and names what could not be read.
func packWorkspace(root string) (left []string, err error) {
	work := filepath.Join(root, wire.WorkName)
	if err := open(work); err != nil && !errors.Is(err, fs.ErrPermission) { // which the archive finds, too
		return nil, err
	}
	file, err := os.OpenFile(filepath.Join(root, wire.FileWorkspace), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return wire.Archive(file, work)
}

// removeAll removes a folder, folders without permissions included.
func removeAll(dir string) error {
	if err := os.RemoveAll(dir); err == nil {
		return nil
	}
	return errors.Join(open(dir), os.RemoveAll(dir))
}

// open gives this user back the permissions for folders and files below dir that an agent took away.
func open(dir string) error {
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		switch {
		case entry.IsDir():
			return os.Chmod(path, 0o700)
		case entry.Type().IsRegular():
			info, err := entry.Info()
			if err == nil && info.Mode().Perm()&0o400 == 0 {
				err = os.Chmod(path, info.Mode().Perm()|0o400)
			}
			return err
		}
		return nil
	})
}
