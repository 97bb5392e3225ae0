package yard

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha1" //nolint:gosec // the checksum of git's own format
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// emptyMark is in a yard that was made and does not have yet what the events say it had.
const emptyMark = "stellwerk.empty"

// Empty reports a yard that is new: whatever its project had is yet to be restored.
func (y *Yard) Empty() (bool, error) {
	_, err := os.Lstat(filepath.Join(y.dir, emptyMark))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// Restored records that the yard has everything.
func (y *Yard) Restored() error {
	if err := os.Remove(filepath.Join(y.dir, emptyMark)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return syncDir(y.dir)
}

// Source is one bundle to restore, which was checked when it was made or imported. Reading it to its end fails if it is not
// what was checked.
type Source struct {
	Name string
	Open func(ctx context.Context) (io.ReadCloser, error)
}

// maxBatch bounds how many bytes of packs are handed to git at once.
const maxBatch = 256 << 20

// Restore brings the objects of bundles into the yard, in this order, because each may rest on those before it. It sets no
// ref. A thousand small bundles cost a few processes: their packs are put together into one. Git refuses that if an object
// that others are stored as a difference to is in it twice; then the halves are tried, down to a single pack.
func (y *Yard) Restore(ctx context.Context, sources []Source) (err error) {
	defer wrap(&err, "restore yard %s", y.dir)
	spool, err := os.CreateTemp(filepath.Join(y.dir, incomingDir), "restore-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, spool.Close(), os.Remove(spool.Name())) }()
	var batch []spooled
	flush := func() error {
		err := y.index(ctx, spool, batch)
		batch = nil
		return errors.Join(err, spool.Truncate(0))
	}
	for _, source := range sources {
		part, err := spoolPack(ctx, spool, source, end(batch))
		if err != nil {
			return fmt.Errorf("%s: %w", source.Name, err)
		}
		if batch = append(batch, part); end(batch) > maxBatch {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// spooled is where the entries of one pack are in the spool.
type spooled struct {
	name     string
	objects  uint32
	from, to int64
}

func end(batch []spooled) int64 {
	if len(batch) == 0 {
		return 0
	}
	return batch[len(batch)-1].to
}

// Parts of a pack that are not its entries.
const packHead, packTrailer = 12, sha1.Size

// spoolPack copies the entries of a bundle's pack, all of them or none that count.
func spoolPack(ctx context.Context, spool *os.File, source Source, at int64) (_ spooled, err error) {
	from, err := source.Open(ctx)
	if err != nil {
		return spooled{}, err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	in := bufio.NewReader(&cancellable{ctx, from})
	if _, err := readBundleHeader(in); err != nil {
		return spooled{}, err
	}
	head := make([]byte, packHead)
	if _, err := io.ReadFull(in, head); err != nil {
		return spooled{}, cutOff(err)
	}
	if !bytes.HasPrefix(head, []byte("PACK\x00\x00\x00\x02")) {
		return spooled{}, fmt.Errorf("%w: the bundle holds no pack of version 2", ErrCorrupt)
	}
	n, err := io.Copy(io.NewOffsetWriter(spool, at), in)
	if err != nil {
		return spooled{}, err
	}
	if n < packTrailer {
		return spooled{}, cutOff(io.ErrUnexpectedEOF)
	}
	return spooled{source.Name, binary.BigEndian.Uint32(head[8:]), at, at + n - packTrailer}, nil
}

// index has git take packs in: together if it does, else in halves.
func (y *Yard) index(ctx context.Context, spool io.ReaderAt, batch []spooled) error {
	if len(batch) == 0 {
		return nil
	}
	err := y.git().stream(ctx, joined(spool, batch), io.Discard, "index-pack", "--stdin", "--fix-thin")
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil || stderrHas(err, "No space left", "Read-only file system", "Permission denied", "Disk quota"):
		return err
	case len(batch) == 1:
		return fmt.Errorf("%s: %w: %w", batch[0].name, ErrCorrupt, err)
	}
	half := len(batch) / 2
	if err := y.index(ctx, spool, batch[:half]); err != nil {
		return err
	}
	return y.index(ctx, spool, batch[half:])
}

// joined is one pack of the entries of several. Where an entry rests on another of its own pack it says how far back that is,
// which stays the same.
func joined(spool io.ReaderAt, batch []spooled) io.Reader {
	var objects uint32
	var parts []io.Reader
	for _, p := range batch {
		objects += p.objects
		parts = append(parts, io.NewSectionReader(spool, p.from, p.to-p.from))
	}
	head := binary.BigEndian.AppendUint32([]byte("PACK\x00\x00\x00\x02"), objects)
	sum := sha1.New() //nolint:gosec // as above
	content := io.TeeReader(io.MultiReader(append([]io.Reader{bytes.NewReader(head)}, parts...)...), sum)
	return io.MultiReader(content, &late{make: func() []byte { return sum.Sum(nil) }})
}

// late yields bytes that are known only when they are read.
type late struct {
	make func() []byte
	rest []byte
	made bool
}

func (l *late) Read(b []byte) (int, error) {
	if !l.made {
		l.rest, l.made = l.make(), true
	}
	if len(l.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(b, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// Place sets the refs that a yard being restored does not have. One that is there was moved by whoever knows better.
func (y *Yard) Place(ctx context.Context, refs []Ref) error {
	there, err := y.Refs(ctx, "refs/")
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, ref := range there {
		known[ref.Name] = true
	}
	var moves []move
	for _, ref := range refs {
		if !known[ref.Name] {
			moves = append(moves, move{ref: ref.Name, new: ref.Commit})
		}
	}
	if len(moves) == 0 {
		return nil
	}
	return y.moveAll(ctx, moves)
}

// FetchCommits fetches exact commits of a repository on this machine, also those that no branch of it has any more.
func (y *Yard) FetchCommits(ctx context.Context, dir string, commits []string) error {
	for _, commit := range commits {
		if !isHash(commit) {
			return fmt.Errorf("%q is not a full commit hash", commit)
		}
	}
	return y.fetchRefs(ctx, dir, commits, []string{"uploadpack.allowAnySHA1InWant=true"})
}
