package yard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// defaultByHand bounds the trees that are checked out without git. One thread writes up to there no slower than a git process
// and its workers do.
func defaultByHand() extent { return extent{entries: 1000, bytes: 8 << 20} }

// byHand reports a tree that is small enough to be checked out without git, by what is known of its size. Whether it is plain
// enough shows when it is read.
func (s treeSize) byHand(most extent) bool {
	const deep = 512 // bytes of a path: each folder on the way is open while what is below it is written
	return canStat && s.entries > 0 && s.entries <= most.entries && s.bytes <= most.bytes && s.path <= deep && !s.links
}

// checkoutByHand writes the files of a commit and the index, as git read-tree does, without a process. errOdd means that git has
// to do it, and that nothing was written or is left.
func (y *Yard) checkoutByHand(ctx context.Context, dir, commit string) (err error) {
	tree, err := y.treeOf(ctx, commit)
	if err != nil {
		return err
	}
	top, err := y.loadTree(ctx, tree)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	var files index
	files.cache, err = files.checkout(ctx, root, "", top)
	if errors.Is(err, fs.ErrExist) { // two names that are one to this file system, which ignores case or normalizes names
		return cmp.Or(removeEntries(root, top), errOdd)
	}
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(dir, ".git", "index"), files.encode(), false)
}

// treeOf is the tree that a commit itself names.
func (y *Yard) treeOf(ctx context.Context, commit string) (string, error) {
	id, err := parseID(commit)
	if err != nil {
		return "", err
	}
	raw, err := y.contents(ctx, "commit", 1, func(int) objectID { return id })
	if err != nil {
		return "", err
	}
	first, _, _ := strings.Cut(string(raw[0]), "\n")
	return strings.TrimPrefix(first, "tree "), nil
}

func removeEntries(root *os.Root, top *plainTree) error {
	for _, e := range top.entries {
		if err := root.RemoveAll(e.Path); err != nil {
			return fmt.Errorf("make room for git: %w", err)
		}
	}
	return nil
}

// checkout writes what a folder holds, and enters it in the index. Nothing that was written is followed: root is opened anew
// for each folder.
func (x *index) checkout(ctx context.Context, root *os.Root, prefix string, f *plainTree) (cachedTree, error) {
	cached := cachedTree{name: f.name, hash: f.hash}
	before := len(x.entries)
	for _, e := range f.entries {
		if err := ctx.Err(); err != nil {
			return cachedTree{}, err
		}
		if e.Kind == subtree {
			below, err := x.descend(ctx, root, prefix, e.below)
			if err != nil {
				return cachedTree{}, err
			}
			cached.below = append(cached.below, below)
			continue
		}
		info, err := writeNew(root, e.Path, e.Kind, e.content)
		if err != nil {
			return cachedTree{}, fmt.Errorf("write %q: %w", prefix+e.Path, err)
		}
		x.entries = append(x.entries, indexEntry{path: prefix + e.Path, mode: indexMode(e.Kind), hash: e.id, stat: statOf(info)})
	}
	cached.entries = len(x.entries) - before
	return cached, nil
}

func (x *index) descend(ctx context.Context, root *os.Root, prefix string, f *plainTree) (cached cachedTree, err error) {
	if err := root.Mkdir(f.name, 0o777); err != nil {
		return cachedTree{}, fmt.Errorf("make the folder %q: %w", prefix+f.name, err)
	}
	inside, err := root.OpenRoot(f.name)
	if err != nil {
		return cachedTree{}, err
	}
	defer func() { err = errors.Join(err, inside.Close()) }()
	return x.checkout(ctx, inside, prefix+f.name+"/", f)
}
