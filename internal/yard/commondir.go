package yard

import (
	"os"
	"path/filepath"
	"strings"
)

// CommonDir is the repository that a folder belongs to, as Locate names it: the git folder that its worktrees share. It is
// empty if there is none or it cannot be read. It starts no git, for callers that cannot wait, and does not recognise a bare
// repository.
func CommonDir(dir string) string {
	top, err := topOf(dir)
	if err != nil {
		return ""
	}
	at := filepath.Join(top, ".git")
	if isFolder(at) {
		return at
	}
	return sharedDir(at)
}

// sharedDir follows the .git file of a linked worktree, or of one with its git folder elsewhere, to the repository.
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
