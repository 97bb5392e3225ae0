package yard

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"context"
	"crypto/sha1" //nolint:gosec // git's own names of objects
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Bounds of what is joined. Whatever is larger is handed to git by itself.
const (
	maxJoined  = 1 << 20   // bytes of one pack
	maxContent = 8 << 20   // bytes of one object
	maxBatch   = 256 << 20 // bytes that are handed to git at once
	maxRecent  = 64 << 20  // bytes of objects that are kept to build others from
	maxDepth   = 50        // differences on differences, as git itself has it
)

// errUnjoinable says that a pack is to be handed to git by itself.
var errUnjoinable = errors.New("not to be joined with others")

// joined is one pack made of the objects of several, each once: git fails over a pack that has the base of a difference twice,
// as after a revert, in it or in the yard. Objects are written to a spool in the form in which git gets them.
type joined struct {
	yard     *Yard
	spool    *os.File
	out      *bufio.Writer
	at       int64 // where the spool ends
	known    map[objectID]*joinedObject
	below    map[objectID]bool // objects of the yard that others in the spool rest on
	deflater deflater

	recent map[objectID][]byte // contents
	queue  []objectID          // of recent, the oldest first
	held   int                 // bytes of recent
}

// joinedObject is an object in the spool: whole, or as the difference to its base.
type joinedObject struct {
	kind  byte
	whole bool
	base  objectID
	depth int
	from  int64 // where its compressed content is
	size  int64
}

func (y *Yard) join() (*joined, error) {
	spool, err := os.CreateTemp(filepath.Join(y.dir, incomingDir), "restore-")
	if err != nil {
		return nil, err
	}
	j := &joined{yard: y, spool: spool}
	j.begin()
	return j, nil
}

func (j *joined) begin() {
	j.out, j.at = bufio.NewWriterSize(io.NewOffsetWriter(j.spool, 0), 1<<16), 0
	j.known, j.below = map[objectID]*joinedObject{}, map[objectID]bool{}
	j.recent, j.queue, j.held = map[objectID][]byte{}, nil, 0
}

func (j *joined) close() error { return errors.Join(j.spool.Close(), os.Remove(j.spool.Name())) }

// flush has git take in what was joined.
func (j *joined) flush(ctx context.Context) error {
	if len(j.known) == 0 {
		return nil
	}
	if err := j.out.Flush(); err != nil {
		return err
	}
	head := binary.BigEndian.AppendUint32([]byte(packMagic), uint32(len(j.known)))
	sum := sha1.New() //nolint:gosec // the checksum of git's own format
	content := io.TeeReader(io.MultiReader(bytes.NewReader(head), io.NewSectionReader(j.spool, 0, j.at)), sum)
	if err := j.yard.index(ctx, io.MultiReader(content, &late{make: func() []byte { return sum.Sum(nil) }})); err != nil {
		return err
	}
	j.begin()
	return j.spool.Truncate(0)
}

// late yields bytes that are known only when they are read.
type late struct {
	make func() []byte
	rest *bytes.Reader
}

func (l *late) Read(b []byte) (int, error) {
	if l.rest == nil {
		l.rest = bytes.NewReader(l.make())
	}
	return l.rest.Read(b)
}

// add takes in the objects of a pack, without its trailer. What it took before it fails does no harm.
func (j *joined) add(ctx context.Context, pack []byte) error {
	r, count, err := readPack(pack)
	if err != nil {
		return err
	}
	here := map[int]objectID{} // objects of this pack by where they begin
	for range count {
		e, err := r.next()
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			here[e.begin], err = j.take(ctx, e, here)
		}
		if err != nil {
			return err
		}
	}
	if r.at != len(pack) {
		return fmt.Errorf("%w: the pack has more than it says", ErrCorrupt)
	}
	return nil
}

var kindNames = map[byte]string{1: "commit", 2: "tree", 3: "blob", 4: "tag"}

// take writes an object to the spool unless it is there.
func (j *joined) take(ctx context.Context, e packEntry, here map[int]objectID) (objectID, error) {
	o, content := joinedObject{kind: e.kind, whole: true}, e.data
	if e.isDelta() {
		base, ok := e.base, true
		if e.kind == offsetDelta {
			base, ok = here[e.baseAt]
		}
		if !ok {
			return objectID{}, fmt.Errorf("%w: a difference has no base", ErrCorrupt)
		}
		kind, below, depth, err := j.content(ctx, base)
		if err == nil {
			content, err = applyDelta(below, e.data)
		}
		if err != nil {
			return objectID{}, err
		}
		o = joinedObject{kind: kind, base: base, depth: depth + 1}
	}
	id := hashObject(kindNames[o.kind], content)
	if j.known[id] != nil || j.below[id] {
		return id, nil
	}
	if o.depth > maxDepth {
		o.whole, o.depth = true, 0
		e.data, e.raw = content, nil
	}
	j.remember(id, content)
	j.known[id] = &o
	return id, j.write(&o, e)
}

// write appends an object to the spool. A difference names its base by hash, because the base may be elsewhere now.
func (j *joined) write(o *joinedObject, e packEntry) error {
	kind := o.kind
	if !o.whole {
		kind = referenceDelta
	}
	head := packEntryHead(kind, len(e.data))
	if !o.whole {
		head = append(head, o.base[:]...)
	}
	if e.raw == nil {
		var err error
		if e.raw, err = j.deflater.deflate(e.data); err != nil {
			return err
		}
	}
	o.from, o.size = j.at+int64(len(head)), int64(len(e.raw))
	j.at = o.from + o.size
	_, err := j.out.Write(head)
	if err == nil {
		_, err = j.out.Write(e.raw)
	}
	return err
}

// content is an object that a difference rests on: from memory, from the spool or from the yard.
func (j *joined) content(ctx context.Context, id objectID) (kind byte, content []byte, depth int, err error) {
	o := j.known[id]
	if o == nil {
		return j.resting(ctx, id)
	}
	content, recent := j.recent[id]
	if !recent {
		if content, err = j.reread(ctx, o); err == nil {
			j.remember(id, content)
		}
	}
	return o.kind, content, o.depth, err
}

func (j *joined) reread(ctx context.Context, o *joinedObject) ([]byte, error) {
	if err := j.out.Flush(); err != nil {
		return nil, err
	}
	in, err := zlib.NewReader(bufio.NewReader(io.NewSectionReader(j.spool, o.from, o.size)))
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(in)
	if err != nil || o.whole {
		return data, err
	}
	_, below, _, err := j.content(ctx, o.base)
	if err != nil {
		return nil, err
	}
	return applyDelta(below, data)
}

// resting reads an object that the yard has.
func (j *joined) resting(ctx context.Context, id objectID) (byte, []byte, int, error) {
	name := id.String()
	found, content, err := j.yard.reader.read(ctx, name, maxContent)
	_, tooBig := errors.AsType[*TooBigError](err)
	switch {
	case tooBig:
		return 0, nil, 0, errUnjoinable
	case errors.Is(err, ErrNotFound):
		return 0, nil, 0, fmt.Errorf("%w: it rests on object %s", ErrPrerequisites, name)
	case err != nil:
		return 0, nil, 0, err
	}
	for kind, word := range kindNames {
		if word == found.kind {
			j.below[id] = true
			return kind, content, 0, nil
		}
	}
	return 0, nil, 0, fmt.Errorf("%w: object %s is a %s", ErrCorrupt, name, found.kind)
}

// remember keeps a content for differences that rest on it, and forgets the oldest.
func (j *joined) remember(id objectID, content []byte) {
	j.recent[id], j.queue, j.held = content, append(j.queue, id), j.held+len(content)
	for j.held > maxRecent && len(j.queue) > 1 {
		j.held -= len(j.recent[j.queue[0]])
		delete(j.recent, j.queue[0])
		j.queue = j.queue[1:]
	}
}
