package archive

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// Read unpacks what Write wrote into a folder that is there. Whoever wrote it may be hostile: nothing is made outside of the
// folder, and no link is followed.
func Read(r io.Reader, folder string) (err error) {
	dir, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	for in := tar.NewReader(r); ; {
		header, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = unpack(dir, filepath.FromSlash(path.Clean(header.Name)), header, in)
		}
		if err != nil {
			return fmt.Errorf("unpack a workspace: %w", err)
		}
	}
}

func unpack(dir *os.Root, name string, header *tar.Header, in io.Reader) error {
	const mine = 0o700 // whoever looks through it may do so
	if err := dir.MkdirAll(filepath.Dir(name), mine); err != nil {
		return err
	}
	switch mode := fs.FileMode(header.Mode).Perm(); header.Typeflag {
	case tar.TypeDir:
		return dir.MkdirAll(name, mine)
	case tar.TypeSymlink:
		return dir.Symlink(header.Linkname, name)
	case tar.TypeReg:
		file, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode|0o600)
		if err != nil {
			return err
		}
		_, err = io.Copy(file, in)
		return errors.Join(err, file.Close())
	}
	return nil // nothing else is written
}
