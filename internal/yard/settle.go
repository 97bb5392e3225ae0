package yard

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// settle prepares a work tree for git to read. It opens folders to their owner, and removes pipes, sockets and devices that
// git would open by name and wait for, for ever. It notices what has to be looked at path by path: repositories inside the
// work tree, files that are none, and files over the limit.
func (h *handInState) settle(dir string) error {
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			h.note("%q cannot be read: %v", path, err)
			h.odd = true
			return fs.SkipDir
		}
		if entry.IsDir() {
			return h.settleFolder(dir, path, entry)
		}
		h.odd = h.odd || h.isOdd(dir, path, entry)
		return h.settleFile(dir, path, entry)
	})
}

// settleFile removes what git would wait for. That goes for a repository in the work tree that is a file or a link, too: git would
// follow it to wherever it leads. Without it, the files beside it are plain ones.
func (h *handInState) settleFile(top, path string, entry fs.DirEntry) error {
	leads := entry.Name() == ".git" && filepath.Dir(path) != top
	waits := strings.HasPrefix(entry.Name(), ".git") && isSpecial(entry)
	if h.spec.Live || !leads && !waits {
		return nil
	}
	what := "file that leads to a repository elsewhere"
	if !entry.Type().IsRegular() {
		what = entry.Type().String()
	}
	h.note("%q was a %s and was removed", path, what)
	return os.Remove(path)
}

func (h *handInState) settleFolder(top, path string, entry fs.DirEntry) error {
	if !h.spec.Live {
		if err := openFolder(path, entry); err != nil {
			h.note("%q cannot be read: %v", path, err)
			h.odd = true
			return fs.SkipDir
		}
	}
	if entry.Name() != ".git" || path == top {
		return nil
	}
	nested := filepath.Dir(path) != top
	h.odd = h.odd || nested
	if h.spec.Live {
		return fs.SkipDir
	}
	if err := h.clearSpecials(path); err != nil {
		return err
	}
	if nested {
		return cmp.Or(dropCommonDir(path), fs.SkipDir)
	}
	return cmp.Or(h.borrowFromYard(), fs.SkipDir)
}

// dropCommonDir removes the file by which a repository shares the refs of another. Git writes it for worktrees alone, whose
// repositories are not at .git.
func dropCommonDir(repository string) error {
	return os.RemoveAll(filepath.Join(repository, "commondir"))
}

// isOdd reports an entry, not a folder, that git would not take as it is.
func (h *handInState) isOdd(top, path string, entry fs.DirEntry) bool {
	switch {
	case entry.Name() == ".git":
		return filepath.Dir(path) != top
	case entry.Type() == fs.ModeSymlink:
		return false
	case !entry.Type().IsRegular():
		return true
	}
	info, err := entry.Info()
	return err != nil || info.Size() > h.spec.MaxBytes
}

// clearSpecials removes from a repository the pipes and devices that git would wait for, and links, which may lead to one.
// Git itself creates none there.
func (h *handInState) clearSpecials(repository string) error {
	return filepath.WalkDir(repository, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			h.note("%q cannot be read: %v", path, err)
			return fs.SkipDir
		}
		if entry.IsDir() {
			return openFolder(path, entry)
		}
		if isSpecial(entry) || entry.Type()&fs.ModeSymlink != 0 {
			return os.Remove(path)
		}
		return nil
	})
}

func isSpecial(entry fs.DirEntry) bool {
	return entry.Type()&(fs.ModeNamedPipe|fs.ModeSocket|fs.ModeDevice|fs.ModeCharDevice|fs.ModeIrregular) != 0
}
