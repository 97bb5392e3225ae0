package hook

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// resolve follows the links of a path as far as it exists. A relative path is relative
// to dir.
func resolve(path, dir string) (string, error) {
	switch {
	case path == "":
		return "", errors.New("the call names no file")
	case strings.HasPrefix(path, "~") || strings.ContainsRune(path, 0):
		return "", fmt.Errorf("%q is not a plain path; name the file by an absolute one", path)
	case !filepath.IsAbs(path):
		path = filepath.Join(dir, path)
	}
	path = filepath.Clean(path)
	rest := ""
	for at := path; ; at = filepath.Dir(at) {
		real, err := filepath.EvalSymlinks(at)
		if err == nil {
			return filepath.Join(real, rest), nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("%s cannot be examined: %w", at, err)
		}
		if _, err := os.Lstat(at); err == nil {
			return "", fmt.Errorf("%s is a link that leads nowhere", at)
		}
		if at == filepath.Dir(at) {
			return path, nil
		}
		rest = filepath.Join(filepath.Base(at), rest)
	}
}

// within says why a resolved path is outside of all roots, or must not be written.
// Roots may be files.
func within(at string, roots []string, write bool) error {
	for _, root := range roots {
		real, err := filepath.EvalSymlinks(root)
		if err != nil {
			continue // a root that does not exist has nothing inside
		}
		if !inside(at, real) {
			continue
		}
		if write && ofGit(strings.TrimPrefix(at, real)) {
			return fmt.Errorf("%s belongs to git; change it with git", at)
		}
		return nil
	}
	return fmt.Errorf("%s is outside of this agent's workspace %s", at, roots[0])
}

func inside(path, root string) bool {
	return path == root || strings.HasPrefix(path, strings.TrimSuffix(root, string(filepath.Separator))+string(filepath.Separator))
}

// ofGit reports a path inside a repository's .git folder, in any spelling that a file
// system might accept for it.
func ofGit(path string) bool {
	for part := range strings.SplitSeq(path, string(filepath.Separator)) {
		if strings.EqualFold(part, ".git") {
			return true
		}
	}
	return false
}
