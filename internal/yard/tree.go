package yard

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Kind is what a tree entry is.
type Kind string

// The kinds of tree entries.
const (
	Regular    Kind = "file"
	Executable Kind = "executable"
	Symlink    Kind = "symlink"
	Submodule  Kind = "submodule"
	subtree    Kind = "tree"
)

// File is one entry of a commit's tree. Path is bytes as git stores them, with slashes; it need not be UTF-8.
type File struct {
	Path string
	Mode string // git's octal mode, such as 100644
	Kind Kind
	Size int64
	Hash string
}

// Files lists every entry of the commit's tree, sorted by path. A tree over the limits is refused with *TooBigError.
func (y *Yard) Files(ctx context.Context, commit string) ([]File, error) {
	return y.git().listTree(ctx, commit, y.extent)
}

// Show returns the content of one file at a commit: ErrNotFound if there is none,
// *TooBigError if it is larger than limit. Of a symlink it returns the target.
func (y *Yard) Show(ctx context.Context, commit, path string, limit int64) ([]byte, error) {
	return y.content(ctx, commit, path, limit, Regular, Executable, Symlink)
}

// ReadFile is Show for regular files only: anything else, a symlink too, is ErrNotFound.
func (y *Yard) ReadFile(ctx context.Context, commit, path string, limit int64) ([]byte, error) {
	return y.content(ctx, commit, path, limit, Regular, Executable)
}

func (y *Yard) content(ctx context.Context, commit, path string, limit int64, kinds ...Kind) ([]byte, error) {
	path = strings.TrimSuffix(path, "/")
	files, err := y.git().lookUp(ctx, commit, path)
	if err != nil {
		return nil, err
	}
	if len(files) != 1 || files[0].Path != path || !slices.Contains(kinds, files[0].Kind) {
		return nil, fmt.Errorf("file %q at %s: %w", path, commit, ErrNotFound)
	}
	if files[0].Size > limit {
		return nil, &TooBigError{What: fmt.Sprintf("file %q at %s", path, commit), Size: files[0].Size, Limit: limit}
	}
	return y.git().run(ctx, "cat-file", "blob", files[0].Hash)
}

// Special reports what a plain fetch cannot bring along: submodules, and files kept by Git LFS.
func (y *Yard) Special(ctx context.Context, commit string) (submodules, lfs bool, err error) {
	files, err := y.Files(ctx, commit)
	if err != nil {
		return false, false, err
	}
	for _, f := range files {
		submodules = submodules || f.Kind == Submodule
		attributes := f.Path == ".gitattributes" || strings.HasSuffix(f.Path, "/.gitattributes")
		if lfs || !attributes || f.Kind == Symlink || f.Size > 1<<20 {
			continue
		}
		content, err := y.git().run(ctx, "cat-file", "blob", f.Hash)
		if err != nil {
			return false, false, fmt.Errorf("read %q at %s: %w", f.Path, commit, err)
		}
		lfs = usesLFS(string(content))
	}
	return submodules, lfs, nil
}

func usesLFS(attributes string) bool {
	for line := range strings.Lines(attributes) {
		fields := strings.Fields(line)
		for i, field := range fields {
			if i > 0 && field == "filter=lfs" && !strings.HasPrefix(fields[0], "#") {
				return true
			}
		}
	}
	return false
}

// listTree lists all files of a commit.
func (g git) listTree(ctx context.Context, commit string, most extent) ([]File, error) {
	var files []File
	err := g.walkTree(ctx, commit, most, func(f File) {
		if f.Kind != subtree {
			files = append(files, f)
		}
	})
	return files, err
}

// lookUp lists the entry at a path.
func (g git) lookUp(ctx context.Context, commit, path string) ([]File, error) {
	if err := checkRev(commit); err != nil {
		return nil, err
	}
	out, err := g.run(ctx, "ls-tree", "-l", "-z", "--full-tree", commit, "--", path)
	if err != nil {
		return nil, fmt.Errorf("look up %q at %s: %w", path, commit, err)
	}
	var files []File
	for record := range records(out) {
		f, err := parseFile(record)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// parseFile reads one record of git ls-tree -l: "mode type hash size<TAB>path".
func parseFile(record string) (File, error) {
	meta, path, ok := strings.Cut(record, "\t")
	fields := strings.Fields(meta)
	if !ok || len(fields) != 4 {
		return File{}, fmt.Errorf("unexpected line of git ls-tree: %q", record)
	}
	f := File{Path: path, Mode: fields[0], Hash: fields[2], Kind: kindOf(fields[0])}
	if fields[3] != "-" {
		size, err := strconv.ParseInt(fields[3], 10, 64)
		if err != nil {
			return File{}, fmt.Errorf("unexpected size of git ls-tree: %w", err)
		}
		f.Size = size
	}
	return f, nil
}

func kindOf(mode string) Kind {
	switch mode {
	case "100755":
		return Executable
	case "120000":
		return Symlink
	case "160000":
		return Submodule
	case "040000":
		return subtree
	default:
		return Regular
	}
}

// records iterates over NUL-terminated records.
func records(out []byte) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for len(out) > 0 {
			record, rest, _ := bytes.Cut(out, []byte{0})
			if !yield(string(record)) {
				return
			}
			out = rest
		}
	}
}
