package wire

import (
	"archive/tar"
	"errors"
	"io"
	"io/fs"
	"os"
)

// Archive writes a folder as a tar archive. It opens nothing outside of the folder: an agent may have put links there.
func Archive(w io.Writer, folder string) (err error) {
	dir, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	out := tar.NewWriter(w)
	err = fs.WalkDir(dir.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return archiveEntry(out, dir, name, entry)
	})
	return errors.Join(err, out.Close())
}

func archiveEntry(out *tar.Writer, dir *os.Root, name string, entry fs.DirEntry) error {
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
