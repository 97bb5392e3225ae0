package yard

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// settle prepares a work tree for being read by git: folders are opened to their owner, and pipes, sockets
// and devices are removed where git would open them by name and wait for ever.
func (h *handInState) settle(dir string) error {
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			h.note("%q cannot be read: %v", path, err)
			return fs.SkipDir
		}
		if entry.IsDir() {
			return h.settleFolder(dir, path, entry)
		}
		if strings.HasPrefix(entry.Name(), ".git") && isSpecial(entry) {
			h.note("%q was a %s and was removed", path, entry.Type())
			return os.Remove(path)
		}
		return nil
	})
}

func (h *handInState) settleFolder(top, path string, entry fs.DirEntry) error {
	if err := openFolder(path, entry); err != nil {
		h.note("%q cannot be read: %v", path, err)
		return fs.SkipDir
	}
	if entry.Name() != ".git" || path == top {
		return nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		h.note("%q cannot be read: %v", path, err)
		return fs.SkipDir
	}
	for _, e := range entries {
		if isSpecial(e) {
			if err := os.Remove(filepath.Join(path, e.Name())); err != nil {
				return err
			}
		}
	}
	return fs.SkipDir
}

func isSpecial(entry fs.DirEntry) bool {
	return entry.Type()&(fs.ModeNamedPipe|fs.ModeSocket|fs.ModeDevice|fs.ModeCharDevice|fs.ModeIrregular) != 0
}
