package yard

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Where an agent's repository keeps its objects, and where it says what other stores it borrows from.
const (
	agentsObjects = ".git/objects"
	agentsBorrows = agentsObjects + "/info/alternates"
)

// agentsStore is the agent's store of objects, "" if there is none that git may read. Git follows links, and whatever the store
// borrows from, to wherever they lead. After the agent's end settle sees to both; while it is at work, a store with either is
// left out.
func (s HandInSpec) agentsStore() string {
	for _, folder := range []string{".git", agentsObjects} {
		if info, err := os.Lstat(filepath.Join(s.Dir, folder)); err != nil || !info.IsDir() {
			return ""
		}
	}
	store := filepath.Join(s.Dir, agentsObjects)
	if s.Live && (!plainStore(store) || s.borrowsElsewhere()) {
		return ""
	}
	return store
}

// plainStore reports that a store has nothing but folders and files in it. What goes away meanwhile is no flaw.
func plainStore(dir string) bool {
	errNotPlain := errors.New("not plain")
	return filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && !entry.Type().IsRegular() {
			return errNotPlain
		}
		return nil
	}) == nil
}

// borrowsElsewhere reports that the agent's store names others than the yard's.
func (s HandInSpec) borrowsElsewhere() bool {
	root, err := os.OpenRoot(s.Dir)
	if err != nil {
		return true
	}
	defer func() { _ = root.Close() }() // nothing was written through it
	if _, err := root.Lstat(agentsBorrows); err != nil {
		return false // git cannot read it either
	}
	return readRegular(root, agentsBorrows) != filepath.Join(s.Yard, "objects")+"\n"
}

// borrowFromYard leaves the yard's as the only store that the agent's borrows from, as it was when the workspace was made.
func (h *handInState) borrowFromYard() error {
	if !h.spec.borrowsElsewhere() {
		return nil
	}
	h.note("the workspace's repository borrowed from other object stores, which were left out")
	lines, err := alternateLines([]string{filepath.Join(h.spec.Yard, "objects")})
	if err != nil {
		return err
	}
	file := filepath.Join(h.spec.Dir, agentsBorrows)
	if err := os.RemoveAll(file); err != nil {
		return err
	}
	return writeFile(file, []byte(lines), false)
}
