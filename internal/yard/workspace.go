package yard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// WorkspaceSpec describes a repository of its own at one commit.
type WorkspaceSpec struct {
	Dir      string // absolute; must be missing or empty
	Commit   string
	Branch   string // short name of the branch that is checked out; empty leaves HEAD detached
	Identity Identity
	// Index gets a copy of the workspace's index, out of the agent's reach, for HandIn; empty for none. A commit with
	// submodules gets none: only who looks path by path leaves them as they were.
	Index string
}

// Workspace creates a repository at Dir with Commit checked out. It borrows the yard's objects and
// has no remote, no hooks and no other refs. Dir appears only when it is complete. The yard's folder must
// be readable, but need not be writable, wherever the workspace is used. Errors: *TooBigError for a tree over the limits.
func (y *Yard) Workspace(ctx context.Context, spec WorkspaceSpec) (err error) {
	defer wrap(&err, "workspace %s", spec.Dir)
	if err := spec.Identity.check(); err != nil {
		return err
	}
	return y.makeWorkspace(ctx, spec)
}

// Checkout is a Workspace without branch and identity: a clean copy of a commit, with a repository
// because tests and builds ask git about the tree they run in.
func (y *Yard) Checkout(ctx context.Context, dir, commit string) (err error) {
	defer wrap(&err, "checkout %s", dir)
	return y.makeWorkspace(ctx, WorkspaceSpec{Dir: dir, Commit: commit})
}

func (y *Yard) makeWorkspace(ctx context.Context, spec WorkspaceSpec) error {
	if !isHash(spec.Commit) {
		return fmt.Errorf("%q is not a full commit hash", spec.Commit)
	}
	if err := y.vet(ctx, spec.Commit); err != nil {
		return commitError(spec.Commit, err)
	}
	return makeFolder(spec.Dir, func(part string) error { return y.fill(ctx, part, spec) })
}

// fill makes the repository, and checks the commit out.
func (y *Yard) fill(ctx context.Context, dir string, spec WorkspaceSpec) error {
	gitDir := filepath.Join(dir, ".git")
	shallow, err := shallowList(y.dir)
	if err != nil {
		return err
	}
	l := layout{
		head:       spec.Commit,
		config:     spec.config(),
		alternates: []string{filepath.Join(y.dir, "objects")},
		shallow:    shallow,
	}
	if spec.Branch != "" {
		l.head = "ref: refs/heads/" + spec.Branch
	}
	if err := layRepository(gitDir, l); err != nil {
		return err
	}
	if err := writeBranch(gitDir, spec); err != nil {
		return err
	}
	size, known := y.size(spec.Commit)
	err = errOdd
	if known && size.byHand(y.byHand) {
		err = y.checkoutByHand(ctx, dir, spec.Commit)
	}
	if errors.Is(err, errOdd) {
		err = checkoutByGit(ctx, dir, spec.Commit)
	}
	if err != nil || spec.Index == "" || !known || size.links {
		return err
	}
	return copyIndex(filepath.Join(gitDir, "index"), spec.Index)
}

// checkoutByGit does in one git process what clone, or worktree add, does in several.
func checkoutByGit(ctx context.Context, dir, commit string) error {
	g := git{dir: dir, env: append(ownEnv(), "GIT_DIR="+filepath.Join(dir, ".git"), "GIT_WORK_TREE="+dir), config: ownConfig()}
	g = g.withConfig("checkout.workers=0") // as many as there are processors
	_, err := g.run(ctx, "read-tree", "-m", "-u", commit)
	return commitError(commit, err)
}

// copyIndex keeps the time of the original: git compares it with those of the files, and reads a file again that could have
// changed unnoticed.
func copyIndex(from, to string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }() // only read from
	info, err := source.Stat()
	if err != nil {
		return err
	}
	target, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	return errors.Join(err, target.Close(), os.Chtimes(to, info.ModTime(), info.ModTime()))
}

func commitError(commit string, err error) error {
	if stderrHas(err, "Not a valid object name", "failed to unpack tree object", "not a tree object") {
		return fmt.Errorf("commit %s: %w: %w", commit, ErrNotFound, err)
	}
	return err
}

func writeBranch(gitDir string, spec WorkspaceSpec) error {
	if spec.Branch == "" {
		return nil
	}
	ref := "refs/heads/" + spec.Branch
	if err := checkRef(ref); err != nil {
		return err
	}
	if clean := filepath.Clean(ref); clean != ref || strings.Contains(ref, "/.") || strings.HasSuffix(ref, ".lock") {
		return fmt.Errorf("%q is not a branch name", spec.Branch)
	}
	return writeRef(gitDir, ref, spec.Commit)
}

func (s WorkspaceSpec) config() string {
	var c strings.Builder
	c.WriteString("[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n")
	if runtime.GOOS == "darwin" {
		c.WriteString("\tignorecase = true\n\tprecomposeunicode = true\n")
	}
	c.WriteString("[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n[commit]\n\tgpgSign = false\n")
	if s.Identity != (Identity{}) {
		fmt.Fprintf(&c, "[user]\n\tname = %s\n\temail = %s\n", configQuote(s.Identity.Name), configQuote(s.Identity.Email))
	}
	return c.String()
}

// configQuote writes a value of a git configuration file.
func configQuote(value string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`
}

// RemoveWorkspace deletes a workspace, folders without permissions included. A missing one is no error.
func RemoveWorkspace(dir string) error {
	if err := os.RemoveAll(dir); err == nil {
		return nil
	}
	closed := OpenFolders(dir)
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("remove workspace: %w", cmp.Or(closed, err))
	}
	return nil
}

// OpenFolders makes every folder below dir readable and writable to its owner, as far as possible. It returns what it met first
// in its way.
func OpenFolders(dir string) error {
	var first error
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			err = openFolder(path, entry)
		}
		first = cmp.Or(first, err)
		return nil
	})
	return first
}

func openFolder(path string, entry fs.DirEntry) error {
	info, err := entry.Info()
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o700 == 0o700 {
		return nil
	}
	if err := os.Chmod(path, info.Mode().Perm()|0o700); err != nil {
		return fmt.Errorf("open folder %s (mode %s): %w", path, strconv.FormatUint(uint64(info.Mode().Perm()), 8), err)
	}
	return nil
}
