package yard

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// maxNesting bounds how deep repositories inside repositories are followed.
const maxNesting = 8

// stageEach makes an index of everything in dir that is not ignored, path by path, and reports whether it may differ from
// start's. start is the commit whose files count as tracked, "" for none. Repositories inside dir that are not submodules of
// start become plain folders, because a reference to a commit would lose their files.
func (h *handInState) stageEach(ctx context.Context, dir, start string, depth int) (_ git, differs bool, err error) {
	g := h.worktree(dir, h.newIndex())
	if start == "" {
		start = "--empty"
	}
	if _, err := g.run(ctx, "read-tree", start); err != nil {
		return git{}, false, err
	}
	found, err := h.compare(ctx, g, dir)
	if err != nil {
		return git{}, false, err
	}
	if err := h.stage(ctx, g, found); err != nil {
		return git{}, false, err
	}
	for _, nested := range found.nested {
		if err := h.embed(ctx, g, dir, nested, depth+1); err != nil {
			return git{}, false, err
		}
	}
	return g, len(found.add)+len(found.remove)+len(found.nested) > 0, nil
}

// newIndex names an index file that is not there yet.
func (h *handInState) newIndex() string {
	h.indexes++
	return filepath.Join(h.private, fmt.Sprintf("index-%d", h.indexes))
}

// worktree is git with a work tree and an index.
func (h *handInState) worktree(dir, index string) git {
	g := h.git.with("GIT_WORK_TREE="+dir, "GIT_INDEX_FILE="+index)
	g.dir = dir
	return g
}

// embed puts the files of a nested repository into the index of the outer one.
func (h *handInState) embed(ctx context.Context, g git, dir, nested string, depth int) error {
	if depth > maxNesting {
		h.note("%q was left out: more than %d repositories inside each other", nested, maxNesting)
		return nil
	}
	inner, _, err := h.stageEach(ctx, filepath.Join(dir, nested), "", depth)
	if err != nil {
		return err
	}
	tree, err := inner.line(ctx, "write-tree")
	if err != nil {
		return err
	}
	h.note("%q is a separate repository; its files were handed in as plain files", nested)
	if tree == emptyTree {
		return nil
	}
	if _, err := g.run(ctx, "read-tree", "--prefix="+nested+"/", tree); err != nil && ctx.Err() == nil {
		h.note("%q was left out: git accepts no folder of that name: %v", nested, err)
	}
	return ctx.Err()
}

// differences is what has to happen to an index to match the work tree.
type differences struct {
	add, remove, nested []string
}

func (h *handInState) compare(ctx context.Context, g git, dir string) (differences, error) {
	// Exit code 1 says that files differ.
	if _, err := g.run(ctx, "update-index", "-q", "--really-refresh"); err != nil && exitCode(err) != 1 {
		return differences{}, err
	}
	links, err := h.gitlinks(ctx, g)
	if err != nil {
		return differences{}, err
	}
	out, err := g.run(ctx, "ls-files", "-z", "--modified", "--others", "--exclude-standard")
	if err != nil {
		return differences{}, err
	}
	var found differences
	for link, keep := range links {
		if !keep {
			found.remove = append(found.remove, link)
			if isFolder(filepath.Join(dir, link)) {
				found.nested = append(found.nested, link)
			}
		}
	}
	parents := map[string]bool{}
	for path := range records(out) {
		if nested, ok := strings.CutSuffix(path, "/"); ok {
			found.nested = append(found.nested, nested)
		} else if _, link := links[path]; !link {
			h.sort(&found, dir, path, parents)
		}
	}
	return found, nil
}

// gitlinks are the submodule entries in the index, and whether they stay: those that Base has do.
func (h *handInState) gitlinks(ctx context.Context, g git) (map[string]bool, error) {
	out, err := g.run(ctx, "ls-files", "-z", "--stage")
	if err != nil {
		return nil, err
	}
	links := map[string]bool{}
	for record := range records(out) {
		meta, path, _ := strings.Cut(record, "\t")
		if strings.HasPrefix(meta, "160000 ") {
			links[path] = false
		}
	}
	if len(links) == 0 {
		return links, nil
	}
	files, err := h.git.listTree(ctx, h.spec.Base, defaultExtent())
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if _, ok := links[f.Path]; ok && f.Kind == Submodule {
			links[f.Path] = true
		}
	}
	return links, nil
}

// sort decides what becomes of one path that differs.
func (h *handInState) sort(found *differences, dir, path string, parents map[string]bool) {
	if !realParents(dir, filepath.Dir(path), parents) {
		found.remove = append(found.remove, path)
		return
	}
	full := filepath.Join(dir, path)
	info, err := os.Lstat(full)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		found.remove = append(found.remove, path)
	case err != nil:
		h.note("%q was left as it was: %v", path, err)
	case info.Mode().Type() == fs.ModeSymlink:
		found.add = append(found.add, path)
	case info.IsDir():
		found.remove = append(found.remove, path) // a file became a folder; its files are listed themselves
	case !info.Mode().IsRegular():
		found.remove = append(found.remove, path)
		h.note("%q is neither file, folder nor symlink and cannot be handed in", path)
	case info.Size() > h.spec.MaxBytes:
		h.note("%q was left as it was: %d bytes, the limit is %d", path, info.Size(), h.spec.MaxBytes)
	default:
		if err := ensureReadable(full, info); err != nil {
			h.note("%q was left as it was: %v", path, err)
			return
		}
		found.add = append(found.add, path)
	}
}

// realParents reports whether every folder down to sub is a folder and not a symlink to one. Known answers are in seen.
func realParents(dir, sub string, seen map[string]bool) bool {
	if sub == "." {
		return true
	}
	if known, ok := seen[sub]; ok {
		return known
	}
	seen[sub] = realParents(dir, filepath.Dir(sub), seen) && isFolder(filepath.Join(dir, sub))
	return seen[sub]
}

func isFolder(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

func ensureReadable(path string, info fs.FileInfo) error {
	readable := func() error {
		f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
		if err != nil {
			return err
		}
		return f.Close()
	}
	err := readable()
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	if err := os.Chmod(path, info.Mode().Perm()|0o400); err != nil {
		return err
	}
	return readable()
}

// stage brings the index to what was found. If git refuses the paths together, they are tried one by
// one, so that a single strange file does not cost the rest.
func (h *handInState) stage(ctx context.Context, g git, found differences) error {
	if len(found.remove) > 0 {
		if _, err := g.feed(ctx, joinRecords(found.remove), "update-index", "--force-remove", "-z", "--stdin"); err != nil {
			return err
		}
	}
	if len(found.add) == 0 {
		return nil
	}
	err := addPaths(ctx, g, found.add...)
	if err == nil || ctx.Err() != nil {
		return err
	}
	for _, path := range found.add {
		if err := addPaths(ctx, g, path); err == nil {
			continue
		}
		if err := h.addRaw(ctx, g, path); err != nil {
			return err
		}
	}
	return nil
}

// addRaw adds a file byte for byte: git cannot convert it as its attributes demand.
func (h *handInState) addRaw(ctx context.Context, g git, path string) error {
	overrule := filepath.Join(h.private, "info", "attributes")
	if err := writeFile(overrule, []byte("* -text -eol -ident -filter -working-tree-encoding\n"), false); err != nil {
		return err
	}
	err := addPaths(ctx, g, path)
	switch {
	case ctx.Err() != nil:
		return err
	case err != nil:
		h.note("%q could not be handed in: %v", path, err)
	default:
		h.note("%q was stored byte for byte: git cannot convert it as its attributes demand", path)
	}
	return os.Remove(overrule)
}

func addPaths(ctx context.Context, g git, paths ...string) error {
	_, err := g.feed(ctx, joinRecords(paths), "update-index", "--add", "--replace", "-z", "--stdin")
	return err
}

func joinRecords(paths []string) []byte {
	var joined bytes.Buffer
	for _, path := range paths {
		joined.WriteString(path)
		joined.WriteByte(0)
	}
	return joined.Bytes()
}
