package yard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Repository is a person's repository as their own git sees it.
type Repository struct {
	Top       string // the folder that has the .git, symlinks resolved; empty for a bare repository
	CommonDir string // the repository itself, symlinks resolved: the same for all its worktrees
	Branch    string // short name, also while the branch has no commits; empty if Detached
	Detached  bool
	Head      string   // commit; empty without commits
	Dirty     int      // paths that differ from HEAD, untracked ones included
	Identity  Identity // as configured; fields may be empty
}

// Locate looks at the repository that holds dir. It only reads: neither index nor refs nor work tree
// change, and no program that the repository's configuration names runs. Errors: ErrNotRepository; ErrNoCommits, with
// everything else filled in.
func Locate(ctx context.Context, dir string) (repo Repository, err error) {
	defer wrap(&err, "look at %s", dir)
	g := personGit(dir)
	repo, gitDir, err := g.place(ctx)
	if err != nil {
		return Repository{}, err
	}
	if repo.Identity, err = g.identity(ctx); err != nil {
		return Repository{}, err
	}
	ref, err := g.head(ctx, &repo)
	if err != nil {
		return Repository{}, err
	}
	if repo.Top != "" {
		if repo.Dirty, err = g.dirty(ctx, repo, gitDir, ref); err != nil {
			return Repository{}, err
		}
	}
	if repo.Head == "" {
		return repo, ErrNoCommits
	}
	return repo, nil
}

// WorkFiles lists the files of the work tree that holds dir as paths below its top, sorted: those git tracks and those it
// does not ignore. Errors: ErrNotRepository, also for a bare one.
func WorkFiles(ctx context.Context, dir string) (files []string, err error) {
	defer wrap(&err, "list the files of %s", dir)
	g := personGit(dir)
	repo, gitDir, err := g.place(ctx)
	if err != nil {
		return nil, err
	}
	if repo.Top == "" {
		return nil, fmt.Errorf("%w with a work tree", ErrNotRepository)
	}
	lens, err := newLens(ctx, g, repo, gitDir, "")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, lens.Close()) }()
	out, err := lens.run(ctx, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
	if err != nil {
		return nil, err
	}
	return slices.Sorted(records(out)), nil
}

// personGit is for commands that read refs and configuration of a person's repository but never its files: such commands run
// no program that the configuration names. Everything else goes through a lens.
func personGit(dir string) git {
	return git{dir: dir, env: personEnv(), config: quietConfig()}
}

// quietConfig overrides settings that would run programs beside any command.
func quietConfig() []string {
	return []string{
		"core.hooksPath=/dev/null", "core.fsmonitor=false", "core.untrackedCache=false",
		"gc.auto=0", "maintenance.auto=false", "submodule.recurse=false",
	}
}

// place finds the folders; gitDir is that of the worktree.
func (g git) place(ctx context.Context) (repo Repository, gitDir string, err error) {
	if info, err := os.Stat(g.dir); err != nil || !info.IsDir() {
		return repo, "", fmt.Errorf("%w: there is no such folder", ErrNotRepository)
	}
	out, err := g.line(ctx, "rev-parse", "--is-bare-repository", "--is-inside-git-dir", "--absolute-git-dir")
	if stderrHas(err, "not a git repository") {
		return repo, "", fmt.Errorf("%w: create one with git init, or go to one", ErrNotRepository)
	}
	if err != nil {
		return repo, "", err
	}
	fields := strings.SplitN(out, "\n", 3)
	if len(fields) != 3 {
		return repo, "", fmt.Errorf("unexpected output of git rev-parse: %q", out)
	}
	common, err := g.line(ctx, "rev-parse", "--path-format=absolute", "--git-common-dir")
	if err != nil {
		return repo, "", err
	}
	if repo.CommonDir, err = filepath.EvalSymlinks(common); err != nil {
		return repo, "", err
	}
	if fields[0] == "false" && fields[1] == "false" {
		repo.Top, err = topOf(g.dir)
	}
	return repo, fields[2], err
}

// topOf is the nearest folder with a .git. Git itself would follow core.worktree, by which the repository's author could
// choose any folder of the machine.
func topOf(dir string) (string, error) {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", err
	}
	for ; ; dir = filepath.Dir(dir) {
		_, err := os.Lstat(filepath.Join(dir, ".git"))
		if err == nil {
			return dir, nil
		}
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			return "", err // it may be one, so that no folder further up counts
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("%w: no folder above has a .git", ErrNotRepository)
		}
	}
}

// head fills in branch and commit, and returns the full name of the ref that HEAD stands for, if any.
func (g git) head(ctx context.Context, repo *Repository) (ref string, err error) {
	ref, err = g.line(ctx, "symbolic-ref", "--quiet", "HEAD")
	switch {
	case err == nil:
		repo.Branch = strings.TrimPrefix(ref, "refs/heads/")
	case exitCode(err) == 1:
		repo.Detached = true
	default:
		return "", err
	}
	repo.Head, err = g.object(ctx, "HEAD", "commit")
	if errors.Is(err, ErrNotFound) {
		return ref, nil
	}
	return ref, err
}

func (g git) dirty(ctx context.Context, repo Repository, gitDir, ref string) (count int, err error) {
	lens, err := newLens(ctx, g, repo, gitDir, ref)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, lens.Close()) }()
	out, err := lens.run(ctx, "status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=normal", "--ignore-submodules=dirty")
	if err != nil {
		return 0, err
	}
	for range records(out) {
		count++
	}
	return count, nil
}

// identity is the configured one. Git's guess from login and host name does not count: nobody chose it.
func (g git) identity(ctx context.Context) (Identity, error) {
	values := map[string]string{}
	out, err := g.run(ctx, "config", "--null", "--get-regexp", `^(user|author)\.(name|email)$`)
	if err != nil && exitCode(err) != 1 {
		return Identity{}, err
	}
	for record := range records(out) {
		key, value, _ := strings.Cut(record, "\n")
		values[key] = value
	}
	return Identity{
		Name:  cmp.Or(os.Getenv("GIT_AUTHOR_NAME"), values["author.name"], values["user.name"]),
		Email: cmp.Or(os.Getenv("GIT_AUTHOR_EMAIL"), values["author.email"], values["user.email"]),
	}, nil
}
