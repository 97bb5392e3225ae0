package yard

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// carried makes a yard of a base, as another machine would.
func carried(t *testing.T, from *Yard, commits ...string) *Yard {
	t.Helper()
	var base bytes.Buffer
	must(t, from.WriteBase(ctx(t), commits, &base))
	shallow, err := from.Shallow()
	must(t, err)
	y, err := OpenBase(ctx(t), filepath.Join(folder(t), "yard"), commits[0], shallow, &base)
	must(t, err)
	t.Cleanup(func() { must(t, y.Close()) })
	return y
}

// TestBase: a yard that was carried has the commits with their history, and workspaces and hand-ins are made of it as of the
// yard that they came from.
func TestBase(t *testing.T) {
	f := newFixture(t)
	far := fixture{yard: carried(t, f.yard, f.base), base: f.base}
	dir := far.workspace(t)
	equal(t, "head", sh(t, dir, "git rev-parse HEAD"), f.base)
	equal(t, "history", sh(t, dir, "git log --oneline | wc -l"), "2")
	equal(t, "check", sh(t, dir, "git fsck --strict && git status --porcelain"), "")
	if _, err := os.Stat(indexOf(dir)); err != nil {
		t.Error("no index is kept of a tree without submodules:", err)
	}
	if left, err := os.ReadDir(filepath.Join(f.yard.Dir(), incomingDir)); err != nil || len(left) > 0 {
		t.Errorf("in the yard that it came from is left %v, %v", left, err)
	}
}

// TestBaseOfAShallowRepository says where the history is cut off.
func TestBaseOfAShallowRepository(t *testing.T) {
	f := newFixture(t)
	must(t, os.WriteFile(filepath.Join(f.yard.Dir(), "shallow"), []byte(f.base+"\n"), 0o600))
	far := fixture{yard: carried(t, f.yard, f.base), base: f.base}
	dir := far.workspace(t)
	equal(t, "history", sh(t, dir, "git log --oneline | wc -l"), "1")
	equal(t, "check", sh(t, dir, "git fsck --strict && git status --porcelain"), "")
}

// TestBaseWithSubmodules keeps no index: only who looks path by path leaves them as they were.
func TestBaseWithSubmodules(t *testing.T) {
	f := newFixture(t)
	dir := f.workspace(t)
	commit := sh(t, dir, "git update-index --add --cacheinfo 160000,"+f.base+",sub && git commit -qm sub && git rev-parse HEAD")
	sh(t, dir, "git push -q "+f.yard.Dir()+" HEAD:refs/heads/sub")
	far := fixture{yard: carried(t, f.yard, commit), base: commit}
	if _, err := os.Stat(indexOf(far.workspace(t))); err == nil {
		t.Error("an index is kept")
	}
}

// TestBaseThatIsNone is refused, on both sides.
func TestBaseThatIsNone(t *testing.T) {
	f := newFixture(t)
	for _, commit := range []string{"main", strings.Repeat("0", 40)} {
		if err := f.yard.WriteBase(ctx(t), []string{commit}, &bytes.Buffer{}); err == nil {
			t.Errorf("%s is written", commit)
		}
	}
	for _, base := range []string{"", "no header", "{}x\n", strings.Repeat("x", 2*maxBaseHeader) + "\n"} {
		if _, err := OpenBase(ctx(t), filepath.Join(folder(t), "yard"), f.base, nil, strings.NewReader(base)); err == nil {
			t.Errorf("%.20q is read", base)
		}
	}
}
