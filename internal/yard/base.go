package yard

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// baseHeader is the first line of a base. The pack follows, and then git's index of it, so that whoever reads a base needs no
// git process.
type baseHeader struct {
	Pack int64 `json:"pack"` // bytes
	// Of the tree of the first commit. Without the number of its entries, git checks it out.
	Entries int   `json:"entries,omitempty"`
	Bytes   int64 `json:"bytes,omitempty"`
	Path    int   `json:"path,omitempty"`
	Links   bool  `json:"links,omitempty"`
}

func (h baseHeader) size() treeSize {
	return treeSize{entries: h.Entries, bytes: h.Bytes, path: h.Path, links: h.Links}
}

// maxBaseHeader bounds the first line of a base.
const maxBaseHeader = 4096

// WriteBase writes commits with their history, for a yard that has nothing yet. Errors: *TooBigError if the tree of the first is
// over the limits.
func (y *Yard) WriteBase(ctx context.Context, commits []string, w io.Writer) (err error) {
	defer wrap(&err, "pack the commits %s", commits)
	for _, commit := range commits {
		if !isHash(commit) {
			return fmt.Errorf("%q is not a full commit hash", commit)
		}
	}
	if err := y.haveAll(ctx, commits[0]); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(filepath.Join(y.dir, incomingDir), "base-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	g := y.git().withConfig("core.fsync=none", "pack.writeReverseIndex=false") // nothing of it stays here
	name := filepath.Join(dir, "base")
	var hash strings.Builder
	if err := g.stream(ctx, strings.NewReader(strings.Join(commits, "\n")+"\n"), &hash, "pack-objects", "--revs", "--delta-base-offset", "--quiet", name); err != nil {
		return err
	}
	name += "-" + strings.TrimSpace(hash.String())
	info, err := os.Stat(name + ".pack")
	if err != nil {
		return err
	}
	size, _ := y.size(commits[0]) // which haveAll measured
	if err := json.NewEncoder(w).Encode(baseHeader{Pack: info.Size(), Entries: size.entries, Bytes: size.bytes, Path: size.path, Links: size.links}); err != nil {
		return err
	}
	return errors.Join(copyFile(w, name+".pack"), copyFile(w, name+".idx"))
}

func copyFile(w io.Writer, name string) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // only read from
	_, err = io.Copy(w, file)
	return err
}

// Shallow is git's own list of the commits at which the yard's history is cut off, empty if it is whole.
func (y *Yard) Shallow() ([]byte, error) { return shallowList(y.dir) }

// OpenBase makes a yard in dir of what WriteBase wrote, and opens it. It takes that for what it says it is: the reader is of an
// engine, and its digest was compared. The yard lasts for one attempt, so nothing waits for the disk.
func OpenBase(ctx context.Context, dir, commit string, shallow []byte, from io.Reader) (_ *Yard, err error) {
	defer wrap(&err, "unpack commit %s", commit)
	if !isHash(commit) {
		return nil, fmt.Errorf("%q is not a full commit hash", commit)
	}
	in := bufio.NewReaderSize(from, maxBaseHeader)
	line, err := in.ReadSlice('\n')
	if err != nil {
		return nil, fmt.Errorf("read what is in it: %w", err)
	}
	var header baseHeader
	if err := json.Unmarshal(line, &header); err != nil {
		return nil, fmt.Errorf("read what is in it: %w", err)
	}
	if err := layRepository(dir, layout{head: "ref: refs/heads/main", config: yardConfig, shallow: shallow}); err != nil {
		return nil, err
	}
	name := filepath.Join(dir, "objects", "pack", "pack-"+commit)
	if err := fillFile(name+".pack", io.LimitReader(in, header.Pack)); err != nil {
		return nil, err
	}
	if err := fillFile(name+".idx", in); err != nil {
		return nil, err
	}
	y, err := Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	y.vetted.Store(commit, header.size())
	if header.size().byHand(y.byHand) {
		if y.reader.packed, err = openPacked(name); err != nil {
			return nil, errors.Join(err, y.Close())
		}
		if y.reader.packed == nil { // a reader would be a process as well
			y.vetted.Store(commit, treeSize{links: header.Links})
		}
	}
	return y, nil
}

func fillFile(name string, from io.Reader) (err error) {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o400)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	_, err = io.Copy(file, from)
	return err
}
