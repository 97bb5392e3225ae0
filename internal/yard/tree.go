package yard

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
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

// IsFile reports a regular file, executable or not.
func (k Kind) IsFile() bool { return k == Regular || k == Executable }

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
	found, err := y.entry(ctx, commit, path)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(kinds, found.Kind) {
		return nil, fmt.Errorf("file %q at %s: %w", path, commit, ErrNotFound)
	}
	_, content, err := y.reader.read(ctx, found.Hash, limit)
	if big, ok := errors.AsType[*TooBigError](err); ok {
		big.What = fmt.Sprintf("file %q at %s", path, commit)
		return nil, big
	}
	return content, err
}

// entry is what a commit, or a tree, has at a path, without its size: ErrNotFound if it has nothing there.
func (y *Yard) entry(ctx context.Context, commit, path string) (File, error) {
	root, err := y.Tree(ctx, commit)
	if errors.Is(err, ErrNotFound) {
		return File{}, fmt.Errorf("look up %q: the yard has no commit %s", path, commit) // not the same as no such file
	}
	if err != nil {
		return File{}, err
	}
	found := File{Kind: subtree, Hash: root}
	for name := range strings.SplitSeq(path, "/") {
		if found.Kind != subtree {
			return File{}, fmt.Errorf("file %q at %s: %w", path, commit, ErrNotFound)
		}
		entries, err := y.entries(ctx, found.Hash)
		if err != nil {
			return File{}, fmt.Errorf("look up %q at %s: %w", path, commit, err)
		}
		i := slices.IndexFunc(entries, func(f File) bool { return f.Path == name })
		if i < 0 {
			return File{}, fmt.Errorf("file %q at %s: %w", path, commit, ErrNotFound)
		}
		found = entries[i]
	}
	found.Path = path
	return found, nil
}

// entries lists a tree: names, not paths, and no sizes.
func (y *Yard) entries(ctx context.Context, tree string) ([]File, error) {
	found, raw, err := y.reader.read(ctx, tree, maxOutput)
	if errors.Is(err, ErrNotFound) {
		return nil, fmt.Errorf("the yard has no tree %s: it is damaged", tree)
	}
	if err != nil {
		return nil, err
	}
	return parseTree(raw, len(found.hash)/2)
}

// parseTree reads a tree as git keeps it: "mode name<NUL>", then the hash in width bytes, for each entry.
func parseTree(raw []byte, width int) ([]File, error) {
	var entries []File
	for len(raw) > 0 {
		head, rest, found := bytes.Cut(raw, []byte{0})
		mode, name, spaced := strings.Cut(string(head), " ")
		if !found || !spaced || len(rest) < width {
			return nil, errors.New("a tree is truncated")
		}
		mode = strings.Repeat("0", max(0, 6-len(mode))) + mode
		entries = append(entries, File{Path: name, Mode: mode, Kind: kindOf(mode), Hash: hex.EncodeToString(rest[:width])})
		raw = rest[width:]
	}
	return entries, nil
}

// Special is what of a commit a workspace cannot show.
type Special struct {
	Submodules bool   // a plain fetch does not bring them
	LFS        bool   // some files are kept by Git LFS, nor does it bring those
	Hollow     string // path of a symlink without a target, empty if there is none
}

// Special looks for what a workspace of a commit cannot show.
func (y *Yard) Special(ctx context.Context, commit string) (found Special, err error) {
	files, err := y.Files(ctx, commit)
	if err != nil {
		return Special{}, err
	}
	for _, f := range files {
		found.Submodules = found.Submodules || f.Kind == Submodule
		if found.Hollow == "" && f.hollow() {
			found.Hollow = f.Path
		}
		attributes := f.Path == ".gitattributes" || strings.HasSuffix(f.Path, "/.gitattributes")
		if found.LFS || !attributes || f.Kind == Symlink || f.Size > 1<<20 {
			continue
		}
		_, content, err := y.reader.read(ctx, f.Hash, f.Size)
		if err != nil {
			return Special{}, fmt.Errorf("read %q at %s: %w", f.Path, commit, err)
		}
		found.LFS = usesLFS(string(content))
	}
	return found, nil
}

// hollow reports a symlink without a target. Git keeps one, but no file system can, so no commit that has it can be checked out.
func (f File) hollow() bool { return f.Kind == Symlink && f.Size == 0 }

func hollowError(path string) error {
	return fmt.Errorf("%w: %q is a symlink without a target, which no file system can hold", ErrCorrupt, path)
}

func usesLFS(attributes string) bool {
	for line := range strings.Lines(attributes) {
		fields := strings.Fields(line)
		if len(fields) > 1 && !strings.HasPrefix(fields[0], "#") && slices.Contains(fields[1:], "filter=lfs") {
			return true
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
