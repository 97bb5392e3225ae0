package yard

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// CommitSpec is one exact commit: the same spec always makes the same commit.
type CommitSpec struct {
	Parent   string            // full hash
	Files    map[string][]byte // whole contents by path, with slashes
	Message  string
	Identity Identity
	When     time.Time
}

// Commit replaces or adds files on top of Parent and leaves everything else as it is there. A file stays executable if it
// was; a new one is not. Commit moves no ref, and returns Parent itself if that has the files already. It refuses a path that
// needs a folder where Parent has a file, or the other way round. Errors: ErrNotFound, ErrPath.
func (y *Yard) Commit(ctx context.Context, spec CommitSpec) (_ string, err error) {
	defer wrap(&err, "commit on %s", spec.Parent)
	if err := checkCommit(spec.Message, spec.Identity, spec.When); err != nil {
		return "", err
	}
	for path := range spec.Files {
		if err := checkPath(path); err != nil {
			return "", err
		}
	}
	if err := y.haveAll(ctx, spec.Parent); err != nil {
		return "", err
	}
	tree, err := y.replace(ctx, spec.Parent, spec.Files)
	if err != nil {
		return "", err
	}
	changed, err := y.differences(ctx, spec.Parent, tree)
	if err != nil {
		return "", err
	}
	for path := range changed {
		if _, wanted := spec.Files[path]; !wanted {
			return "", fmt.Errorf("%w: %q is in the way", ErrPath, path)
		}
	}
	if len(changed) == 0 {
		return spec.Parent, nil
	}
	return y.git().commitTree(ctx, tree, spec.Message, spec.Identity, spec.When, spec.Parent)
}

// replace writes the tree of a commit with other contents at some paths. It uses a private index.
func (y *Yard) replace(ctx context.Context, parent string, files map[string][]byte) (tree string, err error) {
	reserved, err := os.CreateTemp(filepath.Join(y.dir, incomingDir), "index-")
	if err != nil {
		return "", err
	}
	index := reserved.Name() + ".index" // git does not take an empty file for an index
	defer func() {
		err = errors.Join(err, reserved.Close(), os.Remove(reserved.Name()), os.RemoveAll(index))
	}()
	g := y.git().with("GIT_INDEX_FILE=" + index)
	if _, err := g.run(ctx, "read-tree", parent); err != nil {
		return "", err
	}
	var script bytes.Buffer
	blobs := map[string]string{}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		mode, err := y.modeFor(ctx, parent, path)
		if err != nil {
			return "", err
		}
		blob, err := g.feed(ctx, files[path], "hash-object", "-w", "--stdin", "--no-filters")
		if err != nil {
			return "", err
		}
		blobs[path] = strings.TrimSpace(string(blob))
		fmt.Fprintf(&script, "%s %s\t%s\x00", mode, blobs[path], path)
	}
	if _, err := g.feed(ctx, script.Bytes(), "update-index", "-z", "--index-info"); err != nil {
		return "", err
	}
	if tree, err = g.line(ctx, "write-tree"); err != nil {
		return "", err
	}
	return tree, y.holds(ctx, tree, blobs)
}

// holds makes sure that a tree has all blobs at their paths: git skips a path that some file system could take for .git, and
// only warns about it.
func (y *Yard) holds(ctx context.Context, tree string, blobs map[string]string) error {
	for path, blob := range blobs {
		found, err := y.entry(ctx, tree, path)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
		if found.Hash != blob {
			return fmt.Errorf("%w: git does not accept %.100q", ErrPath, path)
		}
	}
	return nil
}

func (y *Yard) modeFor(ctx context.Context, parent, path string) (string, error) {
	found, err := y.entry(ctx, parent, path)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return "", err
	}
	if found.Kind == Executable {
		return found.Mode, nil
	}
	return "100644", nil
}

// checkPath refuses a path that is not that of a file inside a repository, or that git keeps for itself.
func checkPath(name string) error {
	if name == "" || name == "." || path.Clean(name) != name || path.IsAbs(name) || strings.ContainsAny(name, "\x00\n") || len(name) > maxPath {
		return fmt.Errorf("%w: %.100q", ErrPath, name)
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == ".." || strings.EqualFold(part, ".git") || len(part) > maxName {
			return fmt.Errorf("%w: %.100q", ErrPath, name)
		}
	}
	return nil
}

// checkCommit refuses an incomplete commit: git would fill in what is missing, and differently each time.
func checkCommit(message string, by Identity, when time.Time) error {
	switch {
	case strings.TrimSpace(message) == "":
		return errors.New("the commit has no message")
	case when.IsZero():
		return errors.New("the commit has no date")
	}
	return by.check()
}

// commitTree makes a commit without a work tree.
func (g git) commitTree(ctx context.Context, tree, message string, by Identity, when time.Time, parents ...string) (string, error) {
	args := []string{"commit-tree", tree, "-F", "-"}
	for _, parent := range parents {
		args = append(args, "-p", parent)
	}
	out, err := g.with(by.env(when)...).feed(ctx, []byte(message+"\n"), args...)
	if err != nil {
		return "", fmt.Errorf("commit tree %s: %w", tree, err)
	}
	if len(out) < 40 {
		return "", fmt.Errorf("commit tree %s: unexpected output %q", tree, out)
	}
	return string(out[:len(out)-1]), nil
}
