package yard

import (
	"bytes"
	"context"
	"fmt"
	"strings"
)

// extent bounds how large a tree may be. A pack of a few hundred bytes can describe a tree of any size, because the same
// subtree may stand in it any number of times; whoever lists, compares or checks it out would never end.
type extent struct {
	entries int   // files and folders
	bytes   int64 // of all files together
}

// ordinary holds all but a handful of the repositories that are worked on in one piece.
func ordinary() extent { return extent{entries: 1_000_000, bytes: 32 << 30} }

// mostMemory is what git may allocate for something that an agent made.
const mostMemory = 2 << 30

// What file systems can hold.
const (
	maxPath = 2048
	maxName = 255
)

// vet refuses a commit whose tree is over the limits, with *TooBigError.
func (y *Yard) vet(ctx context.Context, commit string) error {
	if _, known := y.vetted.Load(commit); known {
		return nil
	}
	if err := y.git().walkTree(ctx, commit, y.extent, func(File) {}); err != nil {
		return err
	}
	y.vetted.Store(commit, struct{}{})
	return nil
}

// walkTree calls each with every entry of a commit's tree. It asks git for the folders too: a tree may be made of very
// many that hold no file, and only what git writes can be counted.
func (g git) walkTree(ctx context.Context, commit string, most extent, each func(File)) error {
	if err := checkRev(commit); err != nil {
		return err
	}
	reader := &treeReader{what: "the tree of " + commit, most: most, left: most, each: each}
	err := g.stream(ctx, nil, reader, "ls-tree", "-l", "-z", "--full-tree", "-r", "-t", commit, "--")
	if reader.err != nil {
		return reader.err
	}
	if err != nil {
		return fmt.Errorf("list files of %s: %w", commit, err)
	}
	return nil
}

// treeReader reads what git ls-tree writes and fails, which ends git, once that is over the limits.
type treeReader struct {
	what       string
	most, left extent
	each       func(File)
	partial    []byte // the beginning of a record
	err        error
}

func (r *treeReader) Write(p []byte) (int, error) {
	for rest := p; r.err == nil; {
		record, after, complete := bytes.Cut(rest, []byte{0})
		r.partial = append(r.partial, record...)
		if !complete {
			return len(p), nil
		}
		r.err = r.add(string(r.partial))
		r.partial, rest = r.partial[:0], after
	}
	return 0, r.err
}

func (r *treeReader) add(record string) error {
	f, err := parseFile(record)
	if err != nil {
		return err
	}
	r.left.entries--
	r.left.bytes -= f.Size
	name := f.Path[strings.LastIndexByte(f.Path, '/')+1:]
	switch {
	case r.left.entries < 0:
		return &TooBigError{What: r.what, Unit: "entries", Limit: int64(r.most.entries)}
	case r.left.bytes < 0:
		return &TooBigError{What: r.what, Limit: r.most.bytes}
	case len(f.Path) > maxPath:
		return &TooBigError{What: fmt.Sprintf("the path %.40q… in %s", f.Path, r.what), Size: int64(len(f.Path)), Limit: maxPath}
	case len(name) > maxName:
		return &TooBigError{What: fmt.Sprintf("the name %.40q… in %s", name, r.what), Size: int64(len(name)), Limit: maxName}
	}
	r.each(f)
	return nil
}
