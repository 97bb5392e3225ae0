package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	// crowded is how many private files a folder may hold before it is hidden as a whole.
	crowded = 64
	// mostPrivate bounds how much is hidden piece by piece: each piece is a mount and three arguments.
	mostPrivate = 4000
)

// hidePrivate hides what not everybody on the machine may read in those system folders that administrators fill by hand. A
// sandbox of root runs as root, the owner of all of it, and mode 0600 holds no owner back. What somebody listed is left
// as they want it.
func (p *plan) hidePrivate(folders []string, spec Spec) error {
	found, listed := map[string]bool{}, slices.Concat(spec.ReadOnly, spec.Writable, spec.Masked)
	for _, folder := range folders {
		if slices.ContainsFunc(listed, func(path string) bool { return within(folder, path) }) {
			continue
		}
		if err := findPrivate(folder, listed, found); err != nil {
			return fmt.Errorf("sandbox: look for private files: %w", err)
		}
	}
	if len(found) > mostPrivate {
		return fmt.Errorf("sandbox: %d files and folders below %s are private to root, too many to hide each; run Stellwerk as an ordinary user, or make them readable",
			len(found), strings.Join(folders, ", "))
	}
	// A system folder that is private as a whole is not shown in the first place.
	p.mounts = slices.DeleteFunc(p.mounts, func(m mount) bool { return found[m.path] })
	for _, path := range slices.Sorted(maps.Keys(found)) {
		p.mounts = append(p.mounts, mount{path, hidden})
	}
	p.order()
	return nil
}

// findPrivate adds the files below root that others may not read, and the folders that they may not enter.
func findPrivate(root string, listed []string, found map[string]bool) error {
	files := map[string][]string{} // by folder
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // removed since its folder was read
		}
		if err != nil {
			return err
		}
		if slices.Contains(listed, path) {
			return skip(entry)
		}
		if entry.Type()&fs.ModeSymlink != 0 {
			return nil
		}
		info, err := entry.Info()
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case entry.IsDir() && info.Mode().Perm()&0o001 == 0:
			found[path] = true
			return fs.SkipDir
		case !entry.IsDir() && info.Mode().Perm()&0o004 == 0:
			files[filepath.Dir(path)] = append(files[filepath.Dir(path)], path)
		}
		return nil
	})
	for folder, list := range files {
		if len(list) > crowded && folder != root {
			found[folder] = true
			continue
		}
		for _, file := range list {
			found[file] = true
		}
	}
	return err
}

func skip(entry fs.DirEntry) error {
	if entry.IsDir() {
		return fs.SkipDir
	}
	return nil
}

// handFilled are the folders among paths that administrators fill. What packages bring below /usr is public.
func handFilled(paths []string) []string {
	var out []string
	for _, path := range append(slices.Clone(paths), "/usr/local") {
		info, err := os.Lstat(path)
		if err == nil && info.IsDir() && (path == "/opt" || path == "/usr/local" || strings.HasPrefix(path, "/etc/")) {
			out = append(out, path)
		}
	}
	return out
}
