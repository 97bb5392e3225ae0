package yard

import (
	"os"
	"path/filepath"
	"testing"
)

// TestCommonDirIsWhatGitSays: in a folder of a work tree, in a linked one, and where the git folder is elsewhere.
func TestCommonDirIsWhatGitSays(t *testing.T) {
	top := folder(t)
	sh(t, top, `git init -q main && cd main && git commit -q --allow-empty -m first && mkdir -p a/b && git worktree add -q ../linked &&
cd .. && git init -q --separate-git-dir elsewhere apart && ln -s main/a link`)
	for _, dir := range []string{"main", "main/a/b", "linked", "apart", "link"} {
		repo, err := Locate(ctx(t), filepath.Join(top, dir))
		if dir != "apart" { // which has no commits
			must(t, err)
		}
		equal(t, dir, CommonDir(filepath.Join(top, dir)), repo.CommonDir)
	}
	must(t, os.WriteFile(filepath.Join(top, ".git"), []byte("nonsense"), 0o600))
	for _, dir := range []string{top, filepath.Join(top, "missing")} {
		equal(t, dir, CommonDir(dir), "")
	}
}
