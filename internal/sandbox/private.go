package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
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
		found = append(found, inspection{folder, look}.all()...)
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

// looked is an entry of a folder: its mode, or why nobody could look at it.
type looked struct {
	name string
	mode fs.FileMode
	err  error
}

// look lists a folder. It looks at each entry from within the folder: for tens of thousands of files, finding the way to each
// of them from the root takes twice as long.
func look(folder string) ([]looked, error) {
	dir, err := os.Open(folder)
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }() // only read from
	entries, err := dir.ReadDir(-1)
	if err != nil {
		return nil, err
	}
	all := make([]looked, len(entries))
	for i, e := range entries {
		all[i] = looked{name: e.Name(), mode: e.Type()}
		if e.Type()&fs.ModeSymlink != 0 {
			continue
		}
		var stat unix.Stat_t
		all[i].err = unix.Fstatat(int(dir.Fd()), e.Name(), &stat, unix.AT_SYMLINK_NOFOLLOW)
		all[i].mode |= fs.FileMode(stat.Mode).Perm()
	}
	return all, nil
}

// inspection looks for what is private below a folder.
type inspection struct {
	root string
	look func(folder string) ([]looked, error)
}

// all lists the files below the root that others may not read, and the folders that they may not enter, the root among them.
// It also lists what it cannot look at, such as another user's mount.
func (s inspection) all() []string {
	info, err := os.Stat(s.root)
	if err != nil {
		return s.folder(s.root, looked{err: err})
	}
	return s.folder(s.root, looked{mode: info.Mode()})
}

func (s inspection) folder(path string, itself looked) []string {
	if itself.err == nil && itself.mode.Perm()&0o001 == 0 {
		return []string{path}
	}
	entries, err := s.look(path)
	switch err = cmp.Or(itself.err, err); {
	case errors.Is(err, fs.ErrNotExist): // removed since the folder above was read
		return nil
	case err != nil:
		return []string{path}
	}
	var found, files []string
	for _, e := range entries {
		switch below := path + "/" + e.name; {
		case e.mode&fs.ModeSymlink != 0 || errors.Is(e.err, fs.ErrNotExist):
		case e.mode.IsDir():
			found = append(found, s.folder(below, e)...)
		case e.err != nil:
			found = append(found, below)
		case e.mode.Perm()&0o004 == 0:
			files = append(files, below)
		}
	}
	if len(files) > crowded && path != s.root {
		files = []string{path}
	}
	return append(found, files...)
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
