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

// extractLimit bounds what Extract takes: it is meant for the few files beside the code.
func extractLimit() extent { return extent{entries: 2000, bytes: 32 << 20} }

// Extract writes the files that a commit has below a folder into dir, an absolute path, without a repository. It leaves out
// symlinks and submodules. dir must be missing or empty, and appears only when it is complete. Errors: ErrNotFound if the
// commit has no such folder, ErrPath, *TooBigError.
func (y *Yard) Extract(ctx context.Context, commit, folder, dir string) (err error) {
	defer wrap(&err, "extract %q of %s", folder, commit)
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
	files, err := y.filesBelow(ctx, found.Hash, "", extractLimit().counter("the tree of "+found.Hash))
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := checkPath(f.Path); err != nil {
			return err
		}
	}
	return makeFolder(dir, func(part string) error {
		return writeFiles(part, files, func(f File) ([]byte, error) {
			_, content, err := y.reader.read(ctx, f.Hash, f.Size)
			return content, err
		})
	})
}

// filesBelow lists the files of a tree that holds few of them, with the process that looks objects up: to start another takes
// longer. count refuses what is too much.
func (y *Yard) filesBelow(ctx context.Context, tree, prefix string, count func(File) error) (files []File, err error) {
	entries, err := y.entries(ctx, tree)
	if err != nil {
		return nil, err
	}
	for _, f := range entries {
		f.Path = prefix + f.Path
		if f.Kind.IsFile() {
			found, err := y.reader.look(ctx, f.Hash)
			if errors.Is(err, ErrNotFound) {
				return nil, fmt.Errorf("the yard lacks the file %q: it is damaged", f.Path)
			}
			if err != nil {
				return nil, err
			}
			f.Size = found.size
			files = append(files, f)
		}
		if err := count(f); err != nil {
			return nil, err
		}
		if f.Kind == subtree {
			below, err := y.filesBelow(ctx, f.Hash, f.Path+"/", count)
			if err != nil {
				return nil, err
			}
			files = append(files, below...)
		}
	}
	return files, nil
}

// makeFolder fills a folder beside its place and renames it, so that it appears only when it is complete. dir is absolute, and
// must be missing or empty.
func makeFolder(dir string, fill func(part string) error) error {
	if !filepath.IsAbs(dir) {
		return fmt.Errorf("the path %s must be absolute", dir)
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the destination exists already: %w", err)
	}
	part := dir + ".part"
	if err := RemoveWorkspace(part); err != nil {
		return fmt.Errorf("remove the remains of an earlier try: %w", err)
	}
	if err := fill(part); err != nil {
		return errors.Join(err, RemoveWorkspace(part))
	}
	return os.Rename(part, dir)
}

func writeFiles(dir string, files []File, read func(File) ([]byte, error)) (err error) {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	for _, f := range files {
		content, err := read(f)
		if err != nil {
			return err
		}
		if strings.Contains(f.Path, "/") {
			if err := root.MkdirAll(path.Dir(f.Path), 0o755); err != nil {
				return err
			}
		}
		if _, err := writeNew(root, f.Path, f.Kind, content); err != nil {
			return err
		}
	}
	return nil
}

// writeNew writes a file or a symlink as git does, and says how it stands on the disk. It never overwrites: two names that git
// distinguishes and the file system does not are an error.
func writeNew(root *os.Root, name string, kind Kind, content []byte) (info fs.FileInfo, err error) {
	mode := fs.FileMode(0o666)
	switch kind {
	case Symlink:
		if err := root.Symlink(string(content), name); err != nil {
			return nil, err
		}
		return root.Lstat(name)
	case Executable:
		mode = 0o777
	default:
	}
	file, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if _, err := file.Write(content); err != nil {
		return nil, err
	}
	return file.Stat()
}
