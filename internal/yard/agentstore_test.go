package yard

import (
	"os"
	"path/filepath"
	"testing"
)

// TestCheckpointOfAnAgentsStore: the agent's commits are in it, unless git could be led elsewhere. Nothing of the agent's is changed.
func TestCheckpointOfAnAgentsStore(t *testing.T) {
	const trap = "mkdir -p ../evil/info; mkfifo ../evil/info/alternates; "
	for name, c := range map[string]struct {
		script  string
		commits int
	}{
		"as it was made":                     {"", 2},
		"packed":                             {"git gc -q", 2},
		"it borrows from nowhere":            {"rm .git/objects/info/alternates", 2},
		"it borrows from a trap, too":        {trap + "echo $PWD/../evil >> .git/objects/info/alternates", 1},
		"it borrows by way of a pipe":        {"rm .git/objects/info/alternates; mkfifo .git/objects/info/alternates", 1},
		"a pack's index is a pipe":           {"mkdir -p .git/objects/pack; mkfifo .git/objects/pack/pack-1.idx; touch .git/objects/pack/pack-1.pack", 1},
		"it is a link":                       {"mv .git/objects ../o; ln -s $PWD/../o .git/objects", 1},
		"a link leads from it to a trap":     {trap + "mv .git/objects/info ../i; ln -s $PWD/../evil/info .git/objects/info", 1},
		"the repository is a link to a trap": {trap + "mv .git ../g; ln -s $PWD/../g .git; echo $PWD/../evil >> ../g/objects/info/alternates", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t) // one yard each: in a shared one, another case's import of the same commit would show it to git
			dir := f.workspace(t)
			sh(t, dir, "echo n > new; git add .; git commit -qm one; echo m > more; "+c.script)
			const listing = "find . ../evil -printf '%p %y %s %T@\\n' 2>/dev/null | sort"
			before := sh(t, dir, listing+"; true")
			spec := f.handInSpec(t, dir)
			spec.Live = true
			handed, imported := f.handIn(t, spec)
			equal(t, "commits", handed.Commits, c.commits)
			equal(t, "paths", f.paths(t, imported.Commit), ".gitignore README.md more new src/a.txt")
			equal(t, "workspace", sh(t, dir, listing+"; true"), before)
		})
	}
}

// TestHandInLeavesTheYardToBorrowFrom: the workspace's repository works as before.
func TestHandInLeavesTheYardToBorrowFrom(t *testing.T) {
	f := newFixture(t)
	dir := f.workspace(t)
	file := filepath.Join(dir, agentsBorrows)
	made, err := os.ReadFile(file)
	must(t, err)
	sh(t, dir, "echo n > new; mkdir -p ../evil/info; mkfifo ../evil/info/alternates; echo $PWD/../evil >> "+agentsBorrows)
	f.roundTrip(t, dir)
	left, err := os.ReadFile(file)
	must(t, err)
	equal(t, "alternates", string(left), string(made))
	sh(t, dir, "git fsck --connectivity-only 2>/dev/null && git log -1 >/dev/null")
}
