package courier

import (
	"archive/tar"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/stellwerk-dev/stellwerk/internal/exchange/wire"
)

// packWorkspace makes an archive of a workspace that could not be bundled. It opens nothing outside of the workspace: the
// agent may have put links there.
func packWorkspace(root string) (err error) {
	dir, err := os.OpenRoot(filepath.Join(root, wire.WorkName))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	file, err := os.OpenFile(filepath.Join(root, wire.FileWorkspace), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	out := tar.NewWriter(file)
	err = fs.WalkDir(dir.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return packEntry(out, dir, name, entry)
	})
	return errors.Join(err, out.Close())
}

func packEntry(out *tar.Writer, dir *os.Root, name string, entry fs.DirEntry) error {
	info, err := entry.Info()
	if err != nil {
		return err
	}
	link := ""
	switch mode := info.Mode(); {
	case mode&fs.ModeSymlink != 0:
		if link, err = dir.Readlink(name); err != nil {
			return err
		}
	case !mode.IsRegular() && !mode.IsDir():
		return nil // a socket or pipe has nothing in it
	}
	header, err := tar.FileInfoHeader(info, link)
	if err != nil {
		return err
	}
	header.Name = name
	if err := out.WriteHeader(header); err != nil || !info.Mode().IsRegular() {
		return err
	}
	file, err := dir.Open(name)
	if err != nil {
		return err
	}
	_, err = io.CopyN(out, file, header.Size)
	return errors.Join(err, file.Close())
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
