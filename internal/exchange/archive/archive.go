// Package archive makes one file of a workspace that could not be handed in as commits, and a folder of such a file. Workers and
// engines pack, and engines unpack what a worker sent. It must not follow links.
package archive

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Write writes a folder as a tar archive. It opens nothing outside of the folder: an agent may have put links there, or one in
// the place of the folder. What cannot be read is left out and named.
func Write(w io.Writer, folder string) (left []string, err error) {
	dir, err := openFolder(folder)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	out := tar.NewWriter(w)
	err = fs.WalkDir(dir.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		var e archived
		if err == nil {
			e, err = readEntry(dir, name, entry)
		}
		if err != nil {
			left = append(left, name)
			return nil //nolint:nilerr // it is named
		}
		return e.write(out)
	})
	return left, errors.Join(err, out.Close())
}

// openFolder opens a folder, and not one that a link leads to.
func openFolder(folder string) (*os.Root, error) {
	named, err := os.Lstat(folder)
	if err != nil {
		return nil, err
	}
	dir, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	opened, err := dir.Stat(".")
	if err == nil && !os.SameFile(named, opened) {
		err = fmt.Errorf("%s is not a folder", folder)
	}
	if err != nil {
		return nil, errors.Join(err, dir.Close())
	}
	return dir, nil
}

// archived is an entry of a folder that can be read. The file is nil unless the entry is one, the header if there is nothing to archive.
type archived struct {
	header *tar.Header
	file   *os.File
}

func readEntry(dir *os.Root, name string, entry fs.DirEntry) (e archived, err error) {
	info, err := entry.Info()
	if err != nil {
		return e, err
	}
	link := ""
	switch mode := info.Mode(); {
	case mode&fs.ModeSymlink != 0:
		link, err = dir.Readlink(name)
	case mode.IsRegular():
		e.file, err = dir.Open(name)
	case !mode.IsDir():
		return e, nil // a socket or pipe has nothing in it
	}
	if err == nil {
		e.header, err = tar.FileInfoHeader(info, link)
	}
	if err != nil {
		return e, errors.Join(err, e.close())
	}
	e.header.Name = name
	return e, nil
}

func (e archived) write(out *tar.Writer) (err error) {
	defer func() { err = errors.Join(err, e.close()) }()
	if e.header == nil {
		return nil
	}
	if err := out.WriteHeader(e.header); err != nil || e.file == nil {
		return err
	}
	_, err = io.CopyN(out, e.file, e.header.Size)
	return err
}

func (e archived) close() error {
	if e.file == nil {
		return nil
	}
	return e.file.Close()
}
