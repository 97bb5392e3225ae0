package courier

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/stellwerk-dev/stellwerk/internal/exchange/wire"
)

// packWorkspace makes an archive of a workspace that could not be bundled.
func packWorkspace(root string) (err error) {
	file, err := os.OpenFile(filepath.Join(root, wire.FileWorkspace), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return wire.Archive(file, filepath.Join(root, wire.WorkName))
}

// removeAll removes a folder, folders without permissions included.
func removeAll(dir string) error {
	if err := os.RemoveAll(dir); err == nil {
		return nil
	}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			err = os.Chmod(path, 0o700)
		}
		return err
	})
	return errors.Join(err, os.RemoveAll(dir))
}
