package yard

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// extent bounds how large a tree may be. A pack of a few hundred bytes can describe a tree of any size, because it may contain
// the same subtree any number of times; listing, comparing or checking it out would never end.
type extent struct {
	entries int   // files and folders
	bytes   int64 // of all files together
}

// defaultExtent admits all but a handful of the repositories that people work on in one piece.
func defaultExtent() extent { return extent{entries: 1_000_000, bytes: 32 << 30} }

// maxGitMemory is how much git may allocate to read something that an agent made.
const maxGitMemory = 2 << 30

// Limits of file systems.
const (
	maxPath = 2048
	maxName = 255
)

// vet refuses a commit whose tree is over the limits, with *TooBigError, or cannot be checked out, with ErrCorrupt.
func (y *Yard) vet(ctx context.Context, commit string) error {
	if _, known := y.vetted.Load(commit); known {
		return nil
	}
	root, err := y.Tree(ctx, commit)
	if err != nil {
		return err
	}
	size, err := y.measureNew(ctx, root)
	if errors.Is(err, errManyLooks) || err == nil && !size.within(y.extent) { // git says what is too big, and where
		size, err = y.measureAll(ctx, commit, root)
	}
	if err != nil {
		return err
	}
	y.vetted.Store(commit, size)
	return nil
}

// size is how much the tree of a commit holds that was vetted.
func (y *Yard) size(commit string) (treeSize, bool) {
	size, known := y.vetted.Load(commit)
	if !known {
		return treeSize{}, false
	}
	return size.(treeSize), true
}

// walkTree calls each with every entry of a commit's tree, folders too: a tree may consist of very many folders without a
// file, and only entries that git prints can be counted.
func (g git) walkTree(ctx context.Context, commit string, most extent, each func(File)) error {
	if err := checkRev(commit); err != nil {
		return err
	}
	reader := most.reader("the tree of "+commit, each)
	err := g.stream(ctx, nil, reader, "ls-tree", "-l", "-z", "--full-tree", "-r", "-t", commit, "--")
	if reader.err != nil {
		return reader.err
	}
	if err != nil {
		return fmt.Errorf("list files of %s: %w", commit, err)
	}
	return nil
}

// reader reads what git ls-tree writes, and fails once that is over the limits.
func (most extent) reader(what string, each func(File)) *recordWriter {
	count := most.counter(what)
	return &recordWriter{each: func(record string) error {
		f, err := parseFile(record)
		if err == nil {
			err = count(f)
		}
		if err != nil {
			return err
		}
		each(f)
		return nil
	}}
}

// counter counts entries, and fails once they are over the limits.
func (most extent) counter(what string) func(File) error {
	left := most
	return func(f File) error {
		left.entries--
		left.bytes -= f.Size
		name := f.Path[strings.LastIndexByte(f.Path, '/')+1:]
		switch {
		case left.entries < 0:
			return &TooBigError{What: what, Unit: "entries", Limit: int64(most.entries)}
		case left.bytes < 0:
			return &TooBigError{What: what, Limit: most.bytes}
		case len(f.Path) > maxPath:
			return &TooBigError{What: fmt.Sprintf("the path %.40q… in %s", f.Path, what), Size: int64(len(f.Path)), Limit: maxPath}
		case len(name) > maxName:
			return &TooBigError{What: fmt.Sprintf("the name %.40q… in %s", name, what), Size: int64(len(name)), Limit: maxName}
		}
		return nil
	}
}
