package courier

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/stellwerk-dev/stellwerk/internal/exchange/archive"
	"github.com/stellwerk-dev/stellwerk/internal/exchange/wire"
)

// hasWorkspace reports that the attempt's workspace is still a folder: an agent may have removed it, or put a link in its place.
func hasWorkspace(root string) bool {
	info, err := os.Lstat(filepath.Join(root, wire.WorkName))
	return err == nil && info.IsDir()
}

// packWorkspace makes an archive of a workspace that could not be bundled, and names what could not be read.
func packWorkspace(root string) (left []string, err error) {
	file, err := os.OpenFile(filepath.Join(root, wire.FileWorkspace), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return archive.Write(file, filepath.Join(root, wire.WorkName))
}

// removeAll removes a folder, folders without permissions included.
func removeAll(dir string) error {
	if err := os.RemoveAll(dir); err == nil {
		return nil
	}
	return errors.Join(open(dir), os.RemoveAll(dir))
}

// open gives this user back the permissions for folders and files below dir that an agent took away, as far as it may.
func open(dir string) (err error) {
	walkErr := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, entryErr error) error {
		if entryErr == nil {
			entryErr = openEntry(path, entry)
		}
		err = errors.Join(err, entryErr)
		return nil
	})
	return errors.Join(err, walkErr)
}

func openEntry(path string, entry fs.DirEntry) error {
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
}
