package yard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Repository is a person's repository as their own git sees it.
type Repository struct {
	Top        string // root of the work tree, symlinks resolved; empty for a bare repository
	CommonDir  string // the repository itself, symlinks resolved: the same for all its worktrees
	Branch     string // short name, also while the branch has no commits; empty if Detached
	Detached   bool
	Head       string // commit; empty without commits
	HasCommits bool
	Dirty      int               // paths that differ from HEAD, untracked ones included
	Identity   Identity          // as configured; fields may be empty
	Remotes    map[string]string // name to fetch address, without credentials
	Submodules bool
	LFS        bool
	Shallow    bool
}

// Locate looks at the repository that holds dir. It only reads: neither index nor refs nor work tree
// change, and no hook or monitor runs. Errors: ErrNotRepository; ErrNoCommits, with everything
// that is known nevertheless filled in.
func Locate(ctx context.Context, dir string) (Repository, error) {
	g := personGit(dir)
	repo, err := g.locate(ctx)
	if err != nil {
		return repo, fmt.Errorf("look at %s: %w", dir, err)
	}
	return repo, nil
}

// RemoteURL is the address of one of the repository's remotes, credentials included: to be used, not shown or stored.
func RemoteURL(ctx context.Context, dir, name string) (string, error) {
	remotes, err := personGit(dir).remotes(ctx)
	if err != nil {
		return "", fmt.Errorf("remotes of %s: %w", dir, err)
	}
	address, ok := remotes[name]
	if !ok {
		return "", fmt.Errorf("remote %q of %s: %w", name, dir, ErrNotFound)
	}
	return address, nil
}

func personGit(dir string) git {
	return git{dir: dir, env: personEnv(), config: []string{
		"core.hooksPath=/dev/null", "core.fsmonitor=false", "core.untrackedCache=false",
		"gc.auto=0", "maintenance.auto=false", "status.renames=false", "submodule.recurse=false",
	}}
}

func (g git) locate(ctx context.Context) (Repository, error) {
	var repo Repository
	if err := g.place(ctx, &repo); err != nil {
		return Repository{}, err
	}
	var err error
	if repo.Identity, err = g.identity(ctx); err != nil {
		return Repository{}, err
	}
	if repo.Remotes, err = g.remotes(ctx); err != nil {
		return Repository{}, err
	}
	for name, address := range repo.Remotes {
		repo.Remotes[name] = redactAddress(address)
	}
	if err := g.head(ctx, &repo); err != nil {
		return Repository{}, err
	}
	if repo.Top != "" {
		if repo.Dirty, err = g.dirty(ctx); err != nil {
			return Repository{}, err
		}
	}
	if !repo.HasCommits {
		return repo, ErrNoCommits
	}
	repo.Submodules, repo.LFS, err = g.special(ctx, repo.Head)
	return repo, err
}

// place finds the folders.
func (g git) place(ctx context.Context, repo *Repository) error {
	if info, err := os.Stat(g.dir); err != nil || !info.IsDir() {
		return fmt.Errorf("%w: there is no such folder", ErrNotRepository)
	}
	out, err := g.line(ctx, "rev-parse", "--path-format=absolute", "--is-inside-work-tree", "--is-shallow-repository", "--git-common-dir")
	if stderrHas(err, "not a git repository") {
		return fmt.Errorf("%w: create one with git init, or go to one", ErrNotRepository)
	}
	if err != nil {
		return err
	}
	fields := strings.SplitN(out, "\n", 3)
	if len(fields) != 3 {
		return fmt.Errorf("unexpected output of git rev-parse: %q", out)
	}
	repo.Shallow = fields[1] == "true"
	if repo.CommonDir, err = filepath.EvalSymlinks(fields[2]); err != nil {
		return err
	}
	if fields[0] != "true" {
		return nil
	}
	top, err := g.line(ctx, "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	repo.Top, err = filepath.EvalSymlinks(top)
	return err
}

func (g git) head(ctx context.Context, repo *Repository) error {
	branch, err := g.line(ctx, "symbolic-ref", "--quiet", "--short", "HEAD")
	switch {
	case err == nil:
		repo.Branch = branch
	case exitCode(err) == 1:
		repo.Detached = true
	default:
		return err
	}
	repo.Head, err = g.object(ctx, "HEAD", "commit")
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	repo.HasCommits = err == nil
	return err
}

func (g git) dirty(ctx context.Context) (int, error) {
	out, err := g.run(ctx, "status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=normal", "--ignore-submodules=dirty")
	if err != nil {
		return 0, err
	}
	count := 0
	for range records(out) {
		count++
	}
	return count, nil
}

// identity is the configured one; git's guess from login and host name is nobody's wish.
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

// remotes maps names to fetch addresses with the person's address rewrites applied.
func (g git) remotes(ctx context.Context) (map[string]string, error) {
	out, err := g.run(ctx, "remote", "--verbose")
	if err != nil {
		return nil, err
	}
	remotes := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if end := strings.LastIndex(rest, " (fetch)"); end >= 0 {
			remotes[name] = rest[:end]
		}
	}
	return remotes, nil
}

// redactAddress keeps the user of an ssh address, which is part of the address, and drops everything else before the @.
func redactAddress(address string) string {
	if rest, ok := strings.CutPrefix(address, "ssh://"); ok {
		user, host, found := strings.Cut(rest, "@")
		if user, _, _ = strings.Cut(user, ":"); found {
			return "ssh://" + user + "@" + host
		}
		return address
	}
	return redactURLs(address)
}
