package yard

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// CommonDir is the repository that a folder belongs to, as Locate names it: the git folder that its worktrees share. It is
// empty where there is none or it cannot be read. Git is not started for it, and a bare repository is not recognised: it is
// for who cannot wait.
func CommonDir(dir string) string {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return ""
	}
	for {
		at := filepath.Join(dir, ".git")
		info, err := os.Lstat(at)
		switch {
		case err == nil && info.IsDir():
			return at
		case err == nil:
			return sharedDir(at)
		case !errors.Is(err, fs.ErrNotExist) || filepath.Dir(dir) == dir:
			return ""
		}
		dir = filepath.Dir(dir)
	}
}

// sharedDir follows the file by which a linked worktree, or one with its git folder elsewhere, names its repository.
func sharedDir(file string) string {
	data, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	private, found := strings.CutPrefix(strings.TrimSpace(string(data)), "gitdir: ")
	if !found {
		return ""
	}
	if !filepath.IsAbs(private) {
		private = filepath.Join(filepath.Dir(file), private)
	}
	common, err := os.ReadFile(filepath.Join(private, "commondir"))
	if err != nil {
		return private // a repository whose git folder is elsewhere
	}
	shared := strings.TrimSpace(string(common))
	if !filepath.IsAbs(shared) {
		shared = filepath.Join(private, shared)
	}
	if real, err := filepath.EvalSymlinks(shared); err == nil {
		return real
	}
	return filepath.Clean(shared)
}
