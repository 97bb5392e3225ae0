package yard

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestAPersonsGcKeepsWhatNoRefHolds: events name commits that no ref holds, such as a merge that was granted.
func TestAPersonsGcKeepsWhatNoRefHolds(t *testing.T) {
	f := newFixture(t)
	tree := sh(t, f.yard.Dir(), "git mktree </dev/null")
	commit := sh(t, f.yard.Dir(), "GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@example.org git commit-tree -m loose "+tree)
	long := time.Now().Add(-time.Hour * 24 * 365)
	must(t, filepath.WalkDir(filepath.Join(f.yard.Dir(), "objects"), func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chtimes(path, long, long)
	}))
	sh(t, f.yard.Dir(), "git gc -q")
	if kept, err := f.yard.Exists(ctx(t), commit); err != nil || !kept {
		t.Errorf("%s is kept: %v, %v", commit, kept, err)
	}
}
