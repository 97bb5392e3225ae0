package yard

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

const enough = 32 << 20

func (f fixture) handInSpec(t testing.TB, dir string) HandInSpec {
	t.Helper()
	spec := HandInSpec{
		Yard: f.yard.Dir(), Dir: dir, Base: f.base, Message: "wip(#1/backend): checkpoint", Identity: testIdentity(),
		Bundle: filepath.Join(folder(t), "work.bundle"), MaxBytes: enough,
	}
	if _, err := os.Stat(indexOf(dir)); err == nil {
		spec.Index = indexOf(dir)
	}
	return spec
}

// roundTrip hands a workspace in, imports it, and returns what arrived.
func (f fixture) roundTrip(t testing.TB, dir string) Imported {
	t.Helper()
	_, imported := f.handIn(t, f.handInSpec(t, dir))
	return imported
}

func (f fixture) handIn(t testing.TB, spec HandInSpec) (HandedIn, Imported) {
	t.Helper()
	handed, err := HandIn(ctx(t), spec)
	must(t, err)
	if handed.Empty {
		t.Fatalf("nothing was handed in: %+v", handed)
	}
	imported, err := f.yard.Import(ctx(t), ImportSpec{Bundle: spec.Bundle, Ref: Attempts + slug(t), Left: Kept + slug(t), Base: f.base, MaxBytes: enough})
	must(t, err)
	equal(t, "commit", imported.Commit, handed.Commit)
	left, err := filepath.Glob(filepath.Join(filepath.Dir(spec.Bundle), ".*"))
	must(t, err)
	equal(t, "scratch files left", len(left), 0)
	return handed, imported
}

// slug makes refs of tests that share a yard distinct.
func slug(t testing.TB) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(t.Name())))
}

// paths lists a commit's tree, sorted, in one line.
func (f fixture) paths(t testing.TB, commit string) string {
	t.Helper()
	files, err := f.yard.Files(ctx(t), commit)
	must(t, err)
	var names []string
	for _, file := range files {
		names = append(names, file.Path)
	}
	return strings.Join(names, " ")
}

const original = ".gitignore README.md src/a.txt"

// TestHandInSurvives has one bad day per row: what the agent did, and what must arrive all the same.
func TestHandInSurvives(t *testing.T) {
	indexed, plain := newFixture(t), newFixture(t)
	for _, day := range []struct {
		name, script string
		paths        string
		checkpointed bool
		commits      int
		descends     bool
		left         int
		note         string
	}{
		{name: "untracked and ignored files", script: "echo n > new; echo l > a.log; echo m >> README.md", paths: ".gitignore README.md new src/a.txt", checkpointed: true, commits: 1, descends: true},
		{name: "commits and nothing else", script: "echo n > new; git add .; git commit -qm one; git commit -q --allow-empty -m two", paths: ".gitignore README.md new src/a.txt", commits: 2, descends: true},
		{name: "commits and leftovers", script: "echo n > new; git add .; git commit -qm one; rm README.md", paths: ".gitignore new src/a.txt", checkpointed: true, commits: 2, descends: true},
		{name: "staged only", script: "echo n > new; git add new", paths: ".gitignore README.md new src/a.txt", checkpointed: true, commits: 1, descends: true},
		{name: "tracked though ignored", script: "echo n > x.log; git add -f x.log; git commit -qm x; echo m >> x.log", paths: ".gitignore README.md src/a.txt x.log", checkpointed: true, commits: 2, descends: true},
		{name: "hidden by index flags", script: "echo m >> README.md; git update-index --assume-unchanged README.md; git update-index --skip-worktree src/a.txt; rm src/a.txt", paths: ".gitignore README.md", checkpointed: true, commits: 1, descends: true},
		{name: "hidden by info/exclude", script: "mkdir -p .git/info; echo new > .git/info/exclude; echo n > new", paths: ".gitignore README.md new src/a.txt", checkpointed: true, commits: 1, descends: true},
		{name: "broken configuration", script: "echo n > new; echo '[[[' > .git/config", paths: ".gitignore README.md new src/a.txt", checkpointed: true, commits: 1, descends: true},
		{name: "other work tree", script: "echo n > new; git config core.worktree /etc; git config core.bare true", paths: ".gitignore README.md new src/a.txt", checkpointed: true, commits: 1, descends: true},
		{name: "repository is a pipe farm", script: "echo n > new; rm .git/config .git/HEAD; mkfifo .git/config .git/HEAD .git/packed-refs", paths: ".gitignore README.md new src/a.txt", checkpointed: true, commits: 1, descends: true, note: "HEAD"},
		{name: "repository deleted", script: "echo n > new; rm -rf .git", paths: ".gitignore README.md new src/a.txt", checkpointed: true, commits: 1, descends: true, note: "removed or replaced"},
		{name: "repository is a file", script: "echo n > new; rm -rf .git; echo 'gitdir: /etc' > .git", paths: ".gitignore README.md new src/a.txt", checkpointed: true, commits: 1, descends: true, note: "removed or replaced"},
		{name: "repository is a symlink", script: "echo n > new; rm -rf .git; ln -s /etc .git", paths: ".gitignore README.md new src/a.txt", checkpointed: true, commits: 1, descends: true, note: "removed or replaced"},
		{name: "repository started over", script: "rm -rf .git; git init -q; echo n > new; git add .; git commit -qm mine", paths: ".gitignore README.md new src/a.txt", commits: 1},
		{name: "objects deleted", script: "echo deleted > new; git add .; git commit -qm one; rm -rf .git/objects/*", paths: ".gitignore README.md new src/a.txt", checkpointed: true, commits: 1, descends: true, note: "damaged"},
		{name: "objects damaged", script: "echo damaged objects > new; git add .; git commit -qm one; for o in .git/objects/??/*; do chmod +w $o; echo x > $o; done", paths: ".gitignore README.md new src/a.txt", checkpointed: true, commits: 1, descends: true, note: "damaged"},
		{name: "forged commit graph", script: "echo n > new; git add .; git commit -qm one; mkdir -p .git/objects/info; git commit-graph write --reachable; chmod +w .git/objects/info/commit-graph; echo junk > .git/objects/info/commit-graph", paths: ".gitignore README.md new src/a.txt", commits: 1, descends: true},
		{name: "replaced commits", script: "echo n > new; git add .; git commit -qm one; git replace HEAD HEAD~1", paths: ".gitignore README.md new src/a.txt", commits: 1, descends: true},
		{name: "detached HEAD", script: "git checkout -q --detach; echo n > new; git add .; git commit -qm one", paths: ".gitignore README.md new src/a.txt", commits: 1, descends: true},
		{name: "switched branch", script: "git checkout -q -b other/name; echo n > new; git add .; git commit -qm one; git pack-refs --all", paths: ".gitignore README.md new src/a.txt", commits: 1, descends: true},
		{name: "looked at the past", script: "echo n > new; git add .; git commit -qm one; git checkout -q HEAD~1; echo o > other", paths: ".gitignore README.md other src/a.txt", checkpointed: true, commits: 1, descends: true, left: 1},
		{name: "only a stash", script: "echo n > new; git add .; git stash -q; echo o > other", paths: ".gitignore README.md other src/a.txt", checkpointed: true, commits: 1, descends: true, left: 1},
		{name: "set back behind the base", script: "git reset -q --hard HEAD~1; echo n > new", paths: ".gitignore README.md new src/a.txt", checkpointed: true, commits: 1, descends: true, note: "set back"},
		{name: "locks left behind", script: "echo n > new; touch .git/index.lock .git/HEAD.lock .git/config.lock", paths: ".gitignore README.md new src/a.txt", checkpointed: true, commits: 1, descends: true},
		{name: "merge in progress", script: "git checkout -q -b side; echo s > README.md; git commit -qam s; git checkout -q -; echo t > README.md; git commit -qam t; ! git merge -q side >/dev/null", paths: original, checkpointed: true, commits: 2, descends: true, left: 1},
		{name: "rebase in progress", script: "git checkout -q -b side; echo s > README.md; git commit -qam s; git checkout -q -; echo t > README.md; git commit -qam t; ! git rebase -q side >/dev/null 2>&1", paths: original, checkpointed: true, commits: 2, descends: true, left: 1},
		{name: "rewritten history", script: "git commit -q --amend -m mine; echo n > new; git add .; git commit -qm one", paths: ".gitignore README.md new src/a.txt", commits: 2},
		{name: "orphan history", script: "git checkout -q --orphan fresh; git commit -qm fresh", paths: original, commits: 1},
		{name: "nested repository", script: "mkdir in; cd in; git init -q; echo n > f; git add .; git commit -qm in; echo '*.tmp' > .gitignore; echo t > x.tmp", paths: ".gitignore README.md in/.gitignore in/f src/a.txt", checkpointed: true, commits: 1, descends: true, note: "separate repository"},
		{name: "nested repository without commits", script: "mkdir -p in/deeper; cd in; git init -q; echo n > f; cd deeper; git init -q; echo m > g", paths: ".gitignore README.md in/deeper/g in/f src/a.txt", checkpointed: true, commits: 1, descends: true, note: "separate repository"},
		{name: "nested repository committed", script: "mkdir in; cd in; git init -q; echo n > f; git add .; git commit -qm in; cd ..; git add in 2>/dev/null; git commit -qm link", paths: ".gitignore README.md in/f src/a.txt", checkpointed: true, commits: 2, descends: true, note: "separate repository"},
		{name: "repository in a tracked folder", script: "cd src; git init -q; echo n > f; echo m >> a.txt", paths: ".gitignore README.md src/a.txt src/f", checkpointed: true, commits: 1, descends: true},
		{name: "nested repository is a trap", script: "mkdir -p in/.git/objects in/.git/refs; mkfifo in/.git/HEAD in/.git/commondir; echo n > in/f", paths: ".gitignore README.md in/f src/a.txt", checkpointed: true, commits: 1, descends: true},
		{name: "nested repository leads into a trap", script: "mkdir -p in/.git/objects in/.git/refs; echo ref: refs/heads/main > in/.git/HEAD; mkfifo trap; ln -s ../../trap in/.git/commondir; echo n > in/f", paths: ".gitignore README.md in/f src/a.txt", checkpointed: true, commits: 1, descends: true, note: "separate repository"},
		{name: "a store that borrows from a trap outside", script: "echo n > new; mkdir -p ../evil/info; mkfifo ../evil/info/alternates; echo $PWD/../evil >> .git/objects/info/alternates", paths: ".gitignore README.md new src/a.txt", checkpointed: true, commits: 1, descends: true, note: "other object stores"},
		{name: "a store that borrows from a trap inside", script: "echo n > new; mkdir -p evil/info; mkfifo evil/info/alternates; echo $PWD/evil >> .git/objects/info/alternates", paths: ".gitignore README.md new src/a.txt", checkpointed: true, commits: 1, descends: true, note: "other object stores"},
		{name: "a store that borrows from a trap, with commits", script: "echo n > new; git add .; git commit -qm one; mkdir -p ../evil/info; mkfifo ../evil/info/alternates; echo $PWD/../evil > .git/objects/info/alternates", paths: ".gitignore README.md new src/a.txt", commits: 1, descends: true, note: "other object stores"},
		{name: "a repository that is a link to a trap", script: "echo n > new; mv .git ../g; ln -s $PWD/../g .git; rm .git/objects/info/alternates; mkfifo .git/objects/info/alternates", paths: ".gitignore README.md new src/a.txt", checkpointed: true, commits: 1, descends: true, note: "removed or replaced"},
		{name: "a store that is a link to a trap", script: "echo n > new; mv .git/objects ../o; ln -s $PWD/../o .git/objects; rm ../o/info/alternates; mkfifo ../o/info/alternates", paths: ".gitignore README.md new src/a.txt", checkpointed: true, commits: 1, descends: true},
		{name: "a nested repository that is a file and leads into a trap", script: "mkdir -p ../g/objects ../g/refs; mkfifo ../g/HEAD; mkdir sub; echo n > sub/f; echo gitdir: $PWD/../g > sub/.git", paths: ".gitignore README.md src/a.txt sub/f", checkpointed: true, commits: 1, descends: true, note: "sub/.git"},
		{name: "a nested repository that is a file and leads into a trap inside", script: "mkdir -p g/objects g/refs; mkfifo g/HEAD; mkdir sub; echo n > sub/f; echo gitdir: $PWD/g > sub/.git", paths: ".gitignore README.md src/a.txt sub/f", checkpointed: true, commits: 1, descends: true, note: "sub/.git"},
		{name: "a nested repository that is a link to a trap", script: "mkdir -p ../g/objects ../g/refs; mkfifo ../g/HEAD; mkdir sub; echo n > sub/f; ln -s $PWD/../g sub/.git", paths: ".gitignore README.md src/a.txt sub/f", checkpointed: true, commits: 1, descends: true, note: "sub/.git"},
		{name: "a nested repository that shares a trap", script: "mkdir -p sub ../g/objects ../g/refs; mkfifo ../g/packed-refs; cd sub; git init -q; echo n > f; git add .; git commit -qm in; cd ..; git add sub 2>/dev/null; git commit -qm link; echo $PWD/../g > sub/.git/commondir", paths: ".gitignore README.md src/a.txt sub/f", checkpointed: true, commits: 2, descends: true, note: "separate repository"},
		{name: "a worktree inside", script: "git worktree add -q sub 2>/dev/null; rm -r sub/src sub/.gitignore sub/README.md; echo n > sub/f", paths: ".gitignore README.md src/a.txt sub/f", checkpointed: true, commits: 1, descends: true, note: "sub/.git"},
		{name: "pipes", script: "echo n > new; mkfifo pipe src/.gitignore; rm README.md; mkfifo README.md .gitattributes", paths: ".gitignore new src/a.txt", checkpointed: true, commits: 1, descends: true, note: "README.md"},
		{name: "devices", script: "echo n > new; mknod null c 1 3 2>/dev/null || mkfifo null; rm README.md; mknod README.md c 1 3 2>/dev/null || mkfifo README.md", paths: ".gitignore new src/a.txt", checkpointed: true, commits: 1, descends: true, note: "README.md"},
		{name: "folder of folders became a symlink", script: "mkdir src/deep; echo d > src/deep/d; git add -A; git commit -qm deep; mkdir -p ../out/deep; echo secret > ../out/deep/d; echo more > ../out/deep/e; rm -rf src; ln -s ../out src",
			paths: ".gitignore README.md src", checkpointed: true, commits: 2, descends: true},
		{name: "folder became a symlink", script: "mv src other; ln -s other src; ln -s / root", paths: ".gitignore README.md other/a.txt root src", checkpointed: true, commits: 1, descends: true},
		{name: "file became a folder and back", script: "rm README.md; mkdir README.md; echo n > README.md/x; rm -r src; echo n > src", paths: ".gitignore README.md/x src", checkpointed: true, commits: 1, descends: true},
		{name: "strange names", script: `printf n > $'caf\xe9'; printf n > $'line\nbreak'; printf n > '-rf'; printf n > ' '; mkdir .GIT 'git~1'; printf n > .GIT/config; printf n > git~1/x; printf n > ':(top)x'`, paths: "\x20 -rf .gitignore :(top)x README.md caf\xe9 line\nbreak src/a.txt", checkpointed: true, commits: 1, descends: true},
		{name: "everything deleted but the repository", script: "rm -rf src README.md .gitignore", paths: "", checkpointed: true, commits: 1, descends: true},
		{name: "HEAD at a tag", script: "echo n > new; git add .; git commit -qm one; git tag -a -m x x; t=$(git rev-parse x); echo $t > .git/HEAD", paths: ".gitignore README.md new src/a.txt", checkpointed: true, commits: 1, descends: true, left: 1, note: "damaged"},
		{name: "a branch at a tag", script: "echo n > new; git tag -a -m x x; git rev-parse x > .git/refs/heads/tagged", paths: ".gitignore README.md new src/a.txt", checkpointed: true, commits: 1, descends: true, note: "left out"},
		{name: "a branch of an earlier step", script: "echo n > new; git add .; git commit -qm one; git branch old; git commit -q --allow-empty -m two", paths: ".gitignore README.md new src/a.txt", commits: 2, descends: true},
		{name: "branches within each other", script: "echo n > new; git checkout -q -b a; git commit -q --allow-empty -m 1; git branch b; git commit -q --allow-empty -m 2; git checkout -q feature/x-step-1", paths: ".gitignore README.md new src/a.txt", checkpointed: true, commits: 1, descends: true, left: 1},
		{name: "moved on after packing", script: "echo n > new; git add .; git commit -qm one; git pack-refs --all; echo m > more; git add .; git commit -qm two", paths: ".gitignore README.md more new src/a.txt", commits: 2, descends: true},
		{name: "a packed tag", script: "git checkout -q --detach; git commit -q --allow-empty -m x; git tag t; git checkout -q feature/x-step-1; git pack-refs --all; echo n > new", paths: ".gitignore README.md new src/a.txt", checkpointed: true, commits: 1, descends: true},
		{name: "HEAD at no branch's ref", script: "echo n > new; git add .; git commit -qm one; git update-ref refs/wip/x HEAD; git update-ref refs/heads/feature/x-step-1 HEAD~1; echo 'ref: refs/wip/x' > .git/HEAD", paths: ".gitignore README.md new src/a.txt", commits: 1, descends: true},
		{name: "nested repository with nothing in it", script: "echo n > new; mkdir in; cd in; git init -q; echo '*' > .gitignore", paths: ".gitignore README.md new src/a.txt", checkpointed: true, commits: 1, descends: true, note: "separate repository"},
		{name: "nested repository under a name of git's", script: "echo n > new; mkdir git~1; cd git~1; git init -q; echo n > f", paths: ".gitignore README.md new src/a.txt", checkpointed: true, commits: 1, descends: true, note: "was left out"},
		{name: "repositories inside each other", script: "d=.; for i in $(seq 9); do d=$d/r; mkdir $d; git -C $d init -q; echo n > $d/f; done", paths: ".gitignore README.md r/f r/r/f r/r/r/f r/r/r/r/f r/r/r/r/r/f r/r/r/r/r/r/f r/r/r/r/r/r/r/f r/r/r/r/r/r/r/r/f src/a.txt", checkpointed: true, commits: 1, descends: true, note: "more than 8 repositories"},
		{name: "poisoned attributes", script: "echo n > new; echo '* filter=x working-tree-encoding=nonsense-8' > .gitattributes; git config filter.x.clean false; git config filter.x.required true", paths: ".gitattributes .gitignore README.md new src/a.txt", checkpointed: true, commits: 1, descends: true, note: "stored byte for byte"},
		{name: "damaged object for a file that is there", script: "echo damaged > new; git add new; o=$(git rev-parse :new); o=.git/objects/${o:0:2}/${o:2}; chmod +w $o; echo x > $o", paths: ".gitignore README.md new src/a.txt", checkpointed: true, commits: 1, descends: true, note: "without the agent's own"},
	} {
		survive := func(t *testing.T, f fixture, index bool) {
			t.Parallel()
			dir := f.workspace(t)
			sh(t, dir, day.script)
			spec := f.handInSpec(t, dir)
			equal(t, "an index was kept", spec.Index != "", true)
			if !index {
				spec.Index = ""
			}
			handed, imported := f.handIn(t, spec)
			equal(t, "paths", f.paths(t, imported.Commit), day.paths)
			equal(t, "checkpointed", handed.Checkpointed, day.checkpointed)
			equal(t, "commits", handed.Commits, day.commits)
			equal(t, "left over", len(imported.Left), day.left)
			descends, err := f.yard.IsAncestor(ctx(t), f.base, imported.Commit)
			must(t, err)
			equal(t, "descends from base", descends, day.descends)
			if notes := strings.Join(handed.Notes, "\n"); !strings.Contains(notes, day.note) || day.note == "" && notes != "" && !strings.Contains(notes, "was removed") {
				t.Errorf("notes: %s", notes)
			}
		}
		t.Run(day.name, func(t *testing.T) { survive(t, indexed, true) })
		t.Run(day.name+", without an index", func(t *testing.T) { survive(t, plain, false) })
	}
}

func TestHandInNothing(t *testing.T) {
	f := newFixture(t)
	for name, script := range map[string]string{
		"untouched":         "true",
		"only ignored":      "echo x > x.log",
		"touched":           "touch README.md; git checkout -q -b other",
		"empty folder":      "mkdir empty",
		"workspace deleted": "rm -rf ../workspace",
		"workspace emptied": "find . -mindepth 1 -delete",
		"workspace a link":  "rm -rf ../workspace; ln -s /etc ../workspace",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := f.workspace(t)
			sh(t, dir, script)
			spec := f.handInSpec(t, dir)
			spec.Mark = true // of what is not there
			handed, err := HandIn(ctx(t), spec)
			must(t, err)
			if !handed.Empty || handed.Marked || handed.Commit != f.base || handed.Commits != 0 {
				t.Fatalf("got %+v", handed)
			}
			if strings.HasPrefix(name, "workspace") != (handed.Gone != "") || len(handed.Notes) > 0 {
				t.Errorf("gone: %q, notes: %v", handed.Gone, handed.Notes)
			}
			if _, err := os.Stat(spec.Bundle); err == nil {
				t.Error("a bundle was written")
			}
		})
	}
}

func TestHandInRunsNothingPlanted(t *testing.T) {
	f := newFixture(t)
	dir := f.workspace(t)
	canary := filepath.Join(folder(t), "canary")
	plantHooks(t, filepath.Join(dir, ".git"), canary)
	sh(t, dir, strings.ReplaceAll(`
		g="git -c core.hooksPath=/dev/null -c core.fsmonitor=false config"
		$g filter.evil.clean "touch CANARY; cat"; $g filter.evil.smudge "touch CANARY; cat"; $g filter.evil.process "touch CANARY"
		$g diff.external "touch CANARY"; $g core.sshCommand "touch CANARY"; $g core.pager "touch CANARY"; $g core.editor "touch CANARY"
		$g alias.add "!touch CANARY"; $g alias.read-tree "!touch CANARY"; $g core.hooksPath "$PWD/.git/hooks"; $g uploadpack.packObjectsHook "touch CANARY"
		printf '[core]\n\tfsmonitor = touch CANARY\n' > .git/evil; $g include.path "$PWD/.git/evil"
		mkdir -p .git/info; echo '* filter=evil diff=evil merge=evil' > .git/info/attributes; cp .git/info/attributes .gitattributes
		echo n > new; rm -f CANARY`, "CANARY", canary))
	imported := f.roundTrip(t, dir)
	equal(t, "paths", f.paths(t, imported.Commit), ".gitattributes .gitignore README.md new src/a.txt")
	work := filepath.Join(folder(t), "check")
	must(t, f.yard.Checkout(ctx(t), work, imported.Commit))
	if _, err := f.yard.Diff(ctx(t), io.Discard, f.base, imported.Commit, DiffOptions{MaxBytes: 1}); err != nil {
		t.Fatal(err)
	}
	if traces, err := os.ReadFile(canary); err == nil {
		t.Fatalf("a planted program ran: %s", traces)
	}
}

func TestHandInKeepsWhatFits(t *testing.T) {
	f := newFixture(t)
	dir := f.workspace(t)
	sh(t, dir, "echo n > new; truncate -s 2M huge; truncate -s 2M README.md")
	spec := f.handInSpec(t, dir)
	spec.MaxBytes = 1 << 20
	handed, imported := f.handIn(t, spec)
	equal(t, "paths", f.paths(t, imported.Commit), ".gitignore README.md new src/a.txt")
	readme, err := f.yard.Show(ctx(t), imported.Commit, "README.md", 100)
	must(t, err)
	equal(t, "file that grew too big", string(readme), "hello\n")
	if !slices.ContainsFunc(handed.Notes, func(n string) bool { return strings.Contains(n, "huge") }) {
		t.Errorf("notes: %v", handed.Notes)
	}
}

func TestHandInRefusesABundleOverTheLimit(t *testing.T) {
	f := newFixture(t)
	dir := f.workspace(t)
	sh(t, dir, "for i in 1 2 3 4; do head -c 400000 /dev/urandom > f$i; done")
	spec := f.handInSpec(t, dir)
	spec.MaxBytes = 1 << 20
	if _, ok := errors.AsType[*TooBigError](second(HandIn(ctx(t), spec))); !ok {
		t.Fatal("accepted")
	}
	left, err := os.ReadDir(filepath.Dir(spec.Bundle))
	must(t, err)
	equal(t, "files left", len(left), 0)
}

// TestHandInUnreadableFiles runs as an ordinary user, for root can read everything.
func TestHandInUnreadableFiles(t *testing.T) {
	f := newFixture(t)
	dir := f.workspace(t)
	sh(t, dir, "echo n > new; mkdir closed; echo c > closed/c; echo m >> README.md; chmod 0 new closed/c closed README.md")
	spec := f.handInSpec(t, dir)
	encoded, err := json.Marshal(spec)
	must(t, err)
	cmd := exec.CommandContext(ctx(t), os.Args[0])
	cmd.Env = append(os.Environ(), handInHelper+"="+string(encoded))
	if os.Getuid() == 0 {
		const nobody = 65534
		for path := filepath.Dir(dir); path != "/"; path = filepath.Dir(path) {
			openToAll(t, path)
		}
		for path := f.yard.Dir(); path != "/"; path = filepath.Dir(path) {
			openToAll(t, path)
		}
		for path := filepath.Dir(spec.Bundle); path != "/"; path = filepath.Dir(path) {
			openToAll(t, path)
		}
		binary := filepath.Join(folder(t), "yard.test")
		sh(t, "/", "cp "+os.Args[0]+" "+binary+"; chmod 755 "+binary)
		openToAll(t, filepath.Dir(binary))
		sh(t, "/", "chown -R 65534 "+dir+" "+spec.Index+" "+filepath.Dir(spec.Bundle))
		cmd.Path, cmd.Dir = binary, "/"
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	imported, err := f.yard.Import(ctx(t), ImportSpec{Bundle: spec.Bundle, Ref: Attempts + "t/1", Base: f.base, MaxBytes: enough})
	must(t, err)
	equal(t, "paths", f.paths(t, imported.Commit), ".gitignore README.md closed/c new src/a.txt")
}

// openToAll lets others pass through a folder of this test.
func openToAll(t testing.TB, path string) {
	t.Helper()
	info, err := os.Stat(path)
	must(t, err)
	if info.Mode().Perm()&0o005 != 0o005 && strings.HasPrefix(path, os.TempDir()) && path != os.TempDir() {
		must(t, os.Chmod(path, info.Mode().Perm()|0o055))
	}
}

func TestHandInWithASocketInTheTree(t *testing.T) {
	f := newFixture(t)
	dir := f.workspace(t)
	sh(t, dir, "echo n > new")
	socket, err := net.Listen("unix", filepath.Join(dir, "s"))
	must(t, err)
	defer func() { must(t, socket.Close()) }()
	imported := f.roundTrip(t, dir)
	equal(t, "paths", f.paths(t, imported.Commit), ".gitignore README.md new src/a.txt")
}

func TestHandInManyLeftovers(t *testing.T) {
	f := newFixture(t)
	dir := f.workspace(t)
	sh(t, dir, "for i in $(seq 1 20); do git checkout -q -b b$i feature/x-step-1; git commit -q --allow-empty -m $i; done; git checkout -q feature/x-step-1")
	handed, imported := f.handIn(t, f.handInSpec(t, dir))
	equal(t, "commit", handed.Commit, f.base)
	equal(t, "kept", len(imported.Left), 16)
	refs, err := f.yard.Refs(ctx(t), Kept+slug(t)+"/")
	must(t, err)
	equal(t, "refs", len(refs), 16)
	equal(t, "notes", len(handed.Notes), 1)
}

func TestHandInRefusesABadSpec(t *testing.T) {
	f := newFixture(t)
	good := f.handInSpec(t, f.workspace(t))
	for why, spoil := range map[string]func(*HandInSpec){
		`base "main" is not a full commit hash`: func(s *HandInSpec) { s.Base = "main" },
		"no size limit was given":               func(s *HandInSpec) { s.MaxBytes = 0 },
		"identity":                              func(s *HandInSpec) { s.Identity = Identity{} },
		`path "workspace" is not absolute`:      func(s *HandInSpec) { s.Dir = "workspace" },
		`path "yard.git" is not absolute`:       func(s *HandInSpec) { s.Yard = "yard.git" },
		`path "work.bundle" is not absolute`:    func(s *HandInSpec) { s.Bundle = "work.bundle" },
	} {
		spec := good
		spoil(&spec)
		if _, err := HandIn(ctx(t), spec); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("not refused because of %s: %v", why, err)
		}
	}
}

// TestHandInTakesNoTagForACommit: HEAD of the workspace is one, which git would follow to a commit.
func TestHandInTakesNoTagForACommit(t *testing.T) {
	f := newFixture(t)
	dir := f.workspace(t)
	sh(t, dir, "echo m > mine; git add mine; git commit -qm mine; git tag -a -m tag tag; tag=$(git rev-parse tag); echo $tag > .git/HEAD")
	handed, imported := f.handIn(t, f.handInSpec(t, dir))
	equal(t, "paths", f.paths(t, imported.Commit), ".gitignore README.md mine src/a.txt")
	equal(t, "commits", handed.Commits, 1)
	if !strings.Contains(handed.Notes[0], "damaged or incomplete; the files were committed on the base") {
		t.Errorf("notes: %q", handed.Notes)
	}
}

// TestHandInLooksAtSomeBranches has a workspace with more branches than anybody would wait for.
func TestHandInLooksAtSomeBranches(t *testing.T) {
	f := newFixture(t)
	dir := f.workspace(t)
	var refs strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&refs, "%040x refs/heads/b%05d\n", i+1, i)
	}
	must(t, os.WriteFile(dir+"/.git/packed-refs", []byte(refs.String()), 0o600))
	sh(t, dir, "echo n > new")
	handed, imported := f.handIn(t, f.handInSpec(t, dir))
	equal(t, "paths", f.paths(t, imported.Commit), ".gitignore README.md new src/a.txt")
	if !strings.Contains(strings.Join(handed.Notes, "\n"), "10000 branches beside HEAD") {
		t.Errorf("nothing is said about it: %q", handed.Notes)
	}
}
