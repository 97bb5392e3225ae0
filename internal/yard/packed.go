package yard

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"sort"
)

// maxPacked bounds a pack that is read without git.
const maxPacked = 8 << 20

// packed is a small pack with git's index of it, whose objects are read without a process.
type packed struct {
	pack  []byte
	names []byte // of all objects, sorted
	at    []byte // where each of them begins

	read map[int]packedObject // by where they begin
	held int                  // bytes of read
}

type packedObject struct {
	kind    byte
	content []byte
}

// openPacked reads the pack and the index with that name. It is nil for a pack that is left to git.
func openPacked(name string) (*packed, error) {
	info, err := os.Stat(name + ".pack")
	if err != nil || info.Size() > maxPacked {
		return nil, err
	}
	pack, err := os.ReadFile(name + ".pack")
	if err != nil {
		return nil, err
	}
	index, err := os.ReadFile(name + ".idx")
	if err != nil {
		return nil, err
	}
	const magic, fanout, checksum, offset = "\xfftOc\x00\x00\x00\x02", 256 * 4, 4, 4
	if !bytes.HasPrefix(index, []byte(magic)) || len(index) < len(magic)+fanout {
		return nil, fmt.Errorf("%w: the index of a pack is not of version 2", ErrCorrupt)
	}
	index = index[len(magic):]
	n := int(binary.BigEndian.Uint32(index[fanout-4:]))
	index = index[fanout:]
	if n > len(index)/(hashWidth+checksum+offset) {
		return nil, fmt.Errorf("%w: the index of a pack is cut off", ErrCorrupt)
	}
	offsets := index[n*(hashWidth+checksum):]
	return &packed{pack: pack, names: index[:n*hashWidth], at: offsets[:n*offset], read: map[int]packedObject{}}, nil
}

// readAll returns the contents of objects of one kind. After an error git may still find them.
func (p *packed) readAll(kind string, hashes []string, limit int64) ([][]byte, error) {
	var contents [][]byte
	for _, hash := range hashes {
		at, err := p.find(hash)
		if err != nil {
			return nil, err
		}
		found, err := p.object(at)
		if err != nil {
			return nil, err
		}
		if kindNames[found.kind] != kind || int64(len(found.content)) > limit {
			return nil, errOdd
		}
		contents = append(contents, found.content)
	}
	return contents, nil
}

// find is where an object begins.
func (p *packed) find(hash string) (int, error) {
	id, err := parseID(hash)
	if err != nil {
		return 0, err
	}
	n := len(p.names) / hashWidth
	name := func(i int) []byte { return p.names[i*hashWidth : (i+1)*hashWidth] }
	i := sort.Search(n, func(i int) bool { return bytes.Compare(name(i), id[:]) >= 0 })
	if i == n || !bytes.Equal(name(i), id[:]) {
		return 0, errOdd
	}
	return int(binary.BigEndian.Uint32(p.at[i*4:])), nil
}

// object reads the object that begins there, and those that it is a difference to.
func (p *packed) object(at int) (packedObject, error) {
	if known, ok := p.read[at]; ok {
		return known, nil
	}
	if at < packHead || at >= len(p.pack) || p.held > maxRecent {
		return packedObject{}, errOdd
	}
	e, err := (&packReader{pack: p.pack, at: at}).next()
	if err != nil {
		return packedObject{}, err
	}
	o := packedObject{e.kind, e.data}
	switch {
	case e.kind == referenceDelta || e.kind == offsetDelta && e.baseAt >= at:
		return packedObject{}, errOdd
	case e.kind == offsetDelta:
		base, err := p.object(e.baseAt)
		if err == nil {
			o.kind = base.kind
			o.content, err = applyDelta(base.content, e.data)
		}
		if err != nil {
			return packedObject{}, err
		}
	}
	p.read[at] = o
	p.held += len(o.content)
	return o, nil
}
