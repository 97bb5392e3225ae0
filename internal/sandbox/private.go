package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

const (
	// crowded is how many private files a folder may hold before it is hidden as a whole.
	crowded = 64
	// mostPrivate bounds how much is hidden piece by piece: each piece is a mount and three arguments.
	mostPrivate = 4000
)

// Private lists the files and folders that only some users may read in the system folders that administrators fill by hand.
// Root's sandbox runs as root, which owns them all, so their modes do not protect them; for everybody else the list is empty.
// The search looks at every file there, so a caller that starts many processes keeps the list for a while and passes it with
// each Spec.
func Private() []string {
	found := []string{}
	if runtime.GOOS != "linux" || os.Geteuid() != 0 {
		return found
	}
	for _, folder := range handFilled(systemPaths("linux")) {
		found = append(found, privateBelow(os.DirFS(folder), folder)...)
	}
	return found
}

// hide masks what Private found, except what the Spec lists itself.
func (p *plan) hide(private []string, spec Spec) error {
	listed := slices.Concat(spec.ReadOnly, spec.Writable, spec.Masked)
	found := map[string]bool{}
	for _, path := range private {
		found[path] = !slices.ContainsFunc(listed, func(dir string) bool { return within(path, dir) })
	}
	maps.DeleteFunc(found, func(_ string, hide bool) bool { return !hide })
	if len(found) > mostPrivate {
		return fmt.Errorf("sandbox: %d files and folders of the system, %s among them, are private to root, too many to hide each; run Stellwerk as an ordinary user, or make them readable",
			len(found), slices.Min(private))
	}
	// A system folder that is private as a whole is not shown in the first place.
	p.mounts = slices.DeleteFunc(p.mounts, func(m mount) bool { return found[m.path] })
	for path := range found {
		p.mounts = append(p.mounts, mount{path, hidden})
	}
	p.order()
	return nil
}

// privateBelow lists the files of a tree, which is the folder root, that others may not read, and the folders that they may
// not enter. It also lists what it cannot look at, such as another user's mount.
func privateBelow(tree fs.FS, root string) []string {
	var found []string
	files := map[string][]string{} // by folder
	_ = fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		path := filepath.Join(root, name)
		if err == nil && entry.Type()&fs.ModeSymlink != 0 {
			return nil
		}
		var info fs.FileInfo
		if err == nil {
			info, err = entry.Info()
		}
		switch {
		case errors.Is(err, fs.ErrNotExist): // removed since its folder was read
		case err != nil:
			found = append(found, path)
			if entry != nil && entry.IsDir() {
				return fs.SkipDir
			}
		case entry.IsDir() && info.Mode().Perm()&0o001 == 0:
			found = append(found, path)
			return fs.SkipDir
		case !entry.IsDir() && info.Mode().Perm()&0o004 == 0:
			files[filepath.Dir(path)] = append(files[filepath.Dir(path)], path)
		}
		return nil
	})
	for folder, list := range files {
		if len(list) > crowded && folder != root {
			list = []string{folder}
		}
		found = append(found, list...)
	}
	return found
}

// handFilled are the folders among paths that administrators fill. Everything that packages put below /usr is public.
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
