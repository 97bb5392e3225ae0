package yard

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// portion bounds what Extract takes: it is for the few files beside the code.
func portion() extent { return extent{entries: 2000, bytes: 32 << 20} }

// Extract writes the files that a commit has below one folder into dir, an absolute path, as plain files under their names
// below that folder; dir must be missing or empty, and appears only when it is complete. Symlinks and submodules are left
// out, and there is no repository. Errors: ErrNotFound where the commit has no such folder, ErrPath, *TooBigError.
func (y *Yard) Extract(ctx context.Context, commit, folder, dir string) error {
	if err := y.extract(ctx, commit, folder, dir); err != nil {
		return fmt.Errorf("extract %q of %s: %w", folder, commit, err)
	}
	return nil
}

func (y *Yard) extract(ctx context.Context, commit, folder, dir string) error {
	if !filepath.IsAbs(dir) {
		return fmt.Errorf("the path %s must be absolute", dir)
	}
	if err := checkPath(folder); err != nil {
		return err
	}
	found, err := y.entry(ctx, commit, folder)
	if err != nil {
		return err
	}
	if found.Kind != subtree {
		return ErrNotFound
	}
	files := &portionReader{yard: y, left: portion()}
	if err := files.add(ctx, found.Hash, ""); err != nil {
		return err
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the destination exists already: %w", err)
	}
	part := dir + ".part"
	if err := RemoveWorkspace(part); err != nil {
		return fmt.Errorf("remove the remains of an earlier try: %w", err)
	}
	if err := writeFiles(part, files.found); err != nil {
		return errors.Join(err, RemoveWorkspace(part))
	}
	return os.Rename(part, dir)
}

// portionReader reads a tree with all that is in it, up to a limit.
type portionReader struct {
	yard  *Yard
	left  extent
	found []portionFile
}

type portionFile struct {
	File
	content []byte
}

func (r *portionReader) add(ctx context.Context, tree, prefix string) error {
	entries, err := r.yard.entries(ctx, tree)
	if err != nil {
		return err
	}
	for _, f := range entries {
		f.Path = prefix + f.Path
		if r.left.entries--; r.left.entries < 0 {
			return &TooBigError{What: "the folder", Unit: "entries", Limit: int64(portion().entries)}
		}
		if err := checkPath(f.Path); err != nil {
			return err
		}
		switch f.Kind {
		case subtree:
			err = r.add(ctx, f.Hash, f.Path+"/")
		case Regular, Executable:
			err = r.read(ctx, f)
		case Symlink, Submodule:
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *portionReader) read(ctx context.Context, f File) error {
	found, content, err := r.yard.reader.read(ctx, f.Hash, r.left.bytes)
	if err != nil {
		return err
	}
	r.left.bytes -= found.size
	r.found = append(r.found, portionFile{f, content})
	return nil
}

func writeFiles(dir string, files []portionFile) (err error) {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	for _, f := range files {
		if err := writeNew(root, f); err != nil {
			return err
		}
	}
	return nil
}

// writeNew never writes over a file: where names that git tells apart are the same to the file system, that is an error.
func writeNew(root *os.Root, f portionFile) (err error) {
	if strings.Contains(f.Path, "/") {
		if err := root.MkdirAll(path.Dir(f.Path), 0o755); err != nil {
			return err
		}
	}
	mode := fs.FileMode(0o644)
	if f.Kind == Executable {
		mode = 0o755
	}
	file, err := root.OpenFile(f.Path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	_, err = file.Write(f.content)
	return err
}
