package yard

import (
	"crypto/sha1" //nolint:gosec // git's own format
	"encoding/binary"
	"strings"
)

// packedByHand bounds how many bytes of new files and folders are packed without git, which stores differences where this
// stores everything whole.
const packedByHand = 128 << 10

// Kinds of the objects in a pack that are whole.
const (
	packedCommit = 1
	packedTree   = 2
	packedBlob   = 3
)

// smallPack is a pack of a few objects, each whole and once.
type smallPack struct {
	known   map[objectID]bool // objects that the receiver already has, or that are in the pack
	left    int               // bytes of contents that may still come
	entries []byte
	count   uint32

	deflater deflater
}

// add puts an object in, unless it is known. One that is too much is errOdd.
func (p *smallPack) add(kind byte, content []byte) (objectID, error) {
	id := hashObject(kindNames[kind], content)
	if p.known[id] {
		return id, nil
	}
	if p.left -= len(content); p.left < 0 {
		return id, errOdd
	}
	raw, err := p.deflater.deflate(content)
	if err != nil {
		return id, err
	}
	p.known[id] = true
	p.count++
	p.entries = append(append(p.entries, packEntryHead(kind, len(content))...), raw...)
	return id, nil
}

func (p *smallPack) encode() []byte {
	pack := binary.BigEndian.AppendUint32([]byte(packMagic), p.count)
	pack = append(pack, p.entries...)
	sum := sha1.Sum(pack) //nolint:gosec // as above
	return append(pack, sum[:]...)
}

// addTrees makes the tree of some entries of an index, which share the first bytes of their paths, and those below it. What is
// cached of an unchanged one is taken as it is.
func (p *smallPack) addTrees(entries []indexEntry, shared int, cached *cachedTree) (objectID, error) {
	below := map[string]*cachedTree{}
	if cached != nil {
		if cached.entries == len(entries) {
			return cached.hash, nil
		}
		for i := range cached.below {
			below[cached.below[i].name] = &cached.below[i]
		}
	}
	var tree []byte
	seen := map[string]bool{}
	for len(entries) > 0 {
		name, _, isFolder := strings.Cut(entries[0].path[shared:], "/")
		mode, id, n := entries[0].mode, entries[0].hash, 1
		if isFolder {
			for inside := entries[0].path[:shared+len(name)+1]; n < len(entries) && strings.HasPrefix(entries[n].path, inside); {
				n++
			}
			var err error
			if id, err = p.addTrees(entries[:n], shared+len(name)+1, below[name]); err != nil {
				return objectID{}, err
			}
			mode = "40000"
		}
		if seen[name] {
			return objectID{}, errOdd
		}
		seen[name] = true
		tree = append(append(append(tree, mode+" "+name...), 0), id[:]...)
		entries = entries[n:]
	}
	return p.add(packedTree, tree)
}
