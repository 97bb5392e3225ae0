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

// Bounds are what an archive may hold. An empty file takes room as well.
type Bounds struct{ Entries, Bytes int64 }

// Read unpacks what Write wrote into a folder that is there. Whoever wrote it may be hostile:
// nothing is made outside of the folder, no link is followed, and an archive that is over the bounds is refused before the entry
// that exceeds them. The caller removes what was unpacked before an error.
func Read(r io.Reader, folder string, left Bounds) (err error) {
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
			err = left.take(header)
		}
		if err == nil {
			err = unpack(dir, filepath.FromSlash(path.Clean(header.Name)), header, in)
		}
		if err != nil {
			return fmt.Errorf("unpack a workspace: %w", err)
		}
	}
}

// take counts an entry by the size that its header claims, which for a sparse file is more than the archive holds.
func (b *Bounds) take(header *tar.Header) error {
	if b.Entries--; b.Entries < 0 {
		return errors.New("it has too many entries")
	}
	if header.Size > b.Bytes {
		return errors.New("its files are too large")
	}
	b.Bytes -= header.Size
	return nil
}

// unpack makes one entry. The folder around it has an entry of its own that came before: a long name makes no folders that
// nobody counts.
func unpack(dir *os.Root, name string, header *tar.Header, in io.Reader) error {
	const mine = 0o700 // whoever looks through it may do so
	switch mode := fs.FileMode(header.Mode).Perm(); header.Typeflag {
	case tar.TypeDir:
		if name == "." {
			return nil
		}
		return dir.Mkdir(name, mine)
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
