package yard

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/usertest"
)

func (f fixture) workspace(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(folder(t), "workspace")
	must(t, f.yard.Workspace(ctx(t), WorkspaceSpec{Dir: dir, Commit: f.base, Branch: "feature/x-step-1", Identity: testIdentity(), Index: indexOf(dir)}))
	return dir
}

// indexOf is where a workspace's index is kept.
func indexOf(dir string) string { return dir + ".index" }

func TestWorkspaceIsAnOrdinaryRepository(t *testing.T) {
	f := newFixture(t)
	dir := f.workspace(t)
	equal(t, "status", sh(t, dir, "git status --porcelain"), "")
	equal(t, "branch", sh(t, dir, "git symbolic-ref --short HEAD"), "feature/x-step-1")
	equal(t, "head", sh(t, dir, "git rev-parse HEAD"), f.base)
	equal(t, "all refs", sh(t, dir, "git for-each-ref --format='%(refname)'"), "refs/heads/feature/x-step-1")
	equal(t, "remotes", sh(t, dir, "git remote"), "")
	equal(t, "identity", sh(t, dir, "git config user.name; git config user.email"), "Ada Agent\nada@example.org")
	equal(t, "history", sh(t, dir, "git log --oneline | wc -l"), "2")
	sh(t, dir, "git fsck && echo x > x && git add x && git commit -qm x && git stash list")
	if _, err := os.Stat(filepath.Join(dir, ".git/hooks")); err == nil {
		t.Error("hooks were copied")
	}
}

func TestWorkspaceStaysApartFromTheYard(t *testing.T) {
	f := newFixture(t)
	dir := f.workspace(t)
	before, err := f.yard.Refs(ctx(t), "refs/")
	must(t, err)
	config, err := os.ReadFile(filepath.Join(f.yard.Dir(), "config"))
	must(t, err)
	sh(t, dir, `git config core.hooksPath /evil; git branch -f main HEAD~1; git update-ref refs/upstream/heads/main HEAD~1; git tag t; git gc -q --prune=now; ! git push 2>/dev/null`)
	after, err := f.yard.Refs(ctx(t), "refs/")
	must(t, err)
	equal(t, "refs of the yard", fmt.Sprint(after), fmt.Sprint(before))
	now, err := os.ReadFile(filepath.Join(f.yard.Dir(), "config"))
	must(t, err)
	equal(t, "configuration of the yard", string(now), string(config))
}

func TestWorkspaceRefusals(t *testing.T) {
	f := newFixture(t)
	taken := folder(t)
	must(t, os.WriteFile(filepath.Join(taken, "x"), nil, 0o644))
	free := filepath.Join(folder(t), "w")
	unknown := strings.Repeat("1", 40)
	for name, spec := range map[string]WorkspaceSpec{
		"taken":       {Dir: taken, Commit: f.base, Branch: "b", Identity: testIdentity()},
		"relative":    {Dir: "w", Commit: f.base, Branch: "b", Identity: testIdentity()},
		"revision":    {Dir: free, Commit: "main", Branch: "b", Identity: testIdentity()},
		"bad branch":  {Dir: free, Commit: f.base, Branch: "../../config", Identity: testIdentity()},
		"no identity": {Dir: free, Commit: f.base, Branch: "b"},
		"injection":   {Dir: free, Commit: f.base, Branch: "b", Identity: Identity{Name: "a\n[core]\nfsmonitor=x", Email: "e"}},
		"unknown":     {Dir: free, Commit: unknown, Branch: "b", Identity: testIdentity()},
	} {
		if err := f.yard.Workspace(ctx(t), spec); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if err := f.yard.Checkout(ctx(t), free, unknown); !errors.Is(err, ErrNotFound) {
		t.Errorf("got %v", err)
	}
	left, err := filepath.Glob(free + "*")
	must(t, err)
	equal(t, "left behind", len(left), 0)
}

func TestCheckoutIsCleanAndDetached(t *testing.T) {
	f := newFixture(t)
	canary := filepath.Join(folder(t), "canary")
	head := f.commit(t, "topic", "echo '* filter=evil' > .gitattributes; git config filter.evil.smudge 'touch "+canary+"; cat'; git config filter.evil.clean cat; ln -s /etc/passwd link")
	must(t, errors.Join(os.RemoveAll(canary)))
	dir := filepath.Join(folder(t), "c")
	must(t, os.Mkdir(dir, 0o755)) // an empty folder is as good as none
	must(t, os.WriteFile(dir+".part", nil, 0o644))
	must(t, f.yard.Checkout(ctx(t), dir, head))
	equal(t, "status", sh(t, dir, "git status --porcelain"), "")
	equal(t, "head", sh(t, dir, "cat .git/HEAD"), head)
	if _, err := os.Stat(canary); err == nil {
		t.Error("a filter ran")
	}
}

func TestRemoveWorkspaceWithClosedFolders(t *testing.T) {
	dir := filepath.Join(folder(t), "w")
	must(t, os.MkdirAll(filepath.Join(dir, "a/b"), 0o755))
	must(t, os.WriteFile(filepath.Join(dir, "a/b/c"), nil, 0))
	must(t, os.Chmod(filepath.Join(dir, "a"), 0))
	must(t, OpenFolders(dir))
	info, err := os.Stat(filepath.Join(dir, "a"))
	must(t, err)
	equal(t, "mode", info.Mode().Perm(), fs.FileMode(0o700))
	must(t, os.Chmod(filepath.Join(dir, "a"), 0))
	must(t, RemoveWorkspace(dir))
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	must(t, RemoveWorkspace(dir))
}

// TestRemoveWorkspaceAsAPlainUser: for root, no folder is closed.
func TestRemoveWorkspaceAsAPlainUser(t *testing.T) {
	usertest.Again(t, nil, "TestRemoveWorkspaceWithClosedFolders")
}

// BenchmarkWorkspace makes a workspace and, in turn, what git itself offers for the same commit of 2,000
// files, so that a busy machine slows both. It reports medians and their ratio.
func BenchmarkWorkspace(b *testing.B) {
	repo := filepath.Join(folder(b), "big")
	must(b, os.Mkdir(repo, 0o755))
	sh(b, repo, `git init -q; for d in $(seq 1 40); do mkdir d$d; for i in $(seq 1 50); do seq $d $((i+d+40)) > d$d/f$i.txt; done; done; git add .; git commit -qm big`)
	y := openYard(b)
	must(b, y.Fetch(ctx(b), repo))
	base, err := y.Resolve(ctx(b), UpstreamHeads+"main")
	must(b, err)
	git := git{dir: y.Dir(), env: ownEnv()}
	work := folder(b)
	var ours, theirs []time.Duration
	for i := 0; b.Loop(); i++ {
		dir := filepath.Join(work, fmt.Sprintf("workspace-%d", i))
		ours = append(ours, timed(func() {
			must(b, y.Workspace(b.Context(), WorkspaceSpec{Dir: dir, Commit: base, Branch: "b", Identity: testIdentity()}))
		}))
		tree := filepath.Join(work, fmt.Sprintf("worktree-%d", i))
		theirs = append(theirs, timed(func() {
			_, err := git.run(b.Context(), "worktree", "add", "-q", "--detach", tree, base)
			must(b, err)
		}))
		must(b, errors.Join(RemoveWorkspace(dir), RemoveWorkspace(tree)))
	}
	b.ReportMetric(median(ours).Seconds()*1000, "workspace-ms")
	b.ReportMetric(median(theirs).Seconds()*1000, "worktree-add-ms")
	b.ReportMetric(median(ours).Seconds()/median(theirs).Seconds(), "ratio")
}

func timed(act func()) time.Duration {
	start := time.Now()
	act()
	return time.Since(start)
}

func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}
