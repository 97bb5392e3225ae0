package yard

import (
	"cmp"
	"crypto/sha1" //nolint:gosec // git's own format
	"encoding/binary"
	"fmt"
	"slices"
)

// index is git's list of the files of a work tree, in the format of version 2.
type index struct {
	entries []indexEntry // in the order of their paths
	cache   cachedTree
}

type indexEntry struct {
	stat fileStat
	mode string // as trees have it
	hash objectID
	path string
}

// fileStat is how a file stands on the disk. Git takes a file for unchanged as long as all of it stays.
type fileStat struct {
	changed, modified [2]uint32 // seconds and nanoseconds
	dev, ino          uint32
	uid, gid          uint32
	size              uint32
}

// cachedTree says which entries of the index are as a tree has them.
type cachedTree struct {
	name    string
	entries int // in it and below; less than none if files changed since it was read
	hash    objectID
	below   []cachedTree
}

const (
	indexMagic  = "DIRC\x00\x00\x00\x02"
	cacheMagic  = "TREE"
	longestName = 0xfff // that fits beside an entry's flags
)

// indexMode is the mode that git gives to what it tracks.
func indexMode(kind Kind) string {
	switch kind {
	case Executable:
		return "100755"
	case Symlink:
		return "120000"
	case Submodule:
		return "160000"
	case subtree:
		return "040000"
	default:
		return "100644"
	}
}

// encode is the file that git reads.
func (x *index) encode() []byte {
	raw := binary.BigEndian.AppendUint32([]byte(indexMagic), uint32(len(x.entries)))
	for _, e := range x.entries {
		raw = e.append(raw)
	}
	cache := x.cache.append(nil)
	raw = binary.BigEndian.AppendUint32(append(raw, cacheMagic...), uint32(len(cache)))
	raw = append(raw, cache...)
	sum := sha1.Sum(raw) //nolint:gosec // as above
	return append(raw, sum[:]...)
}

func (e indexEntry) append(raw []byte) []byte {
	begin := len(raw)
	s := e.stat
	for _, field := range []uint32{s.changed[0], s.changed[1], s.modified[0], s.modified[1], s.dev, s.ino, modeBits(e.mode), s.uid, s.gid, s.size} {
		raw = binary.BigEndian.AppendUint32(raw, field)
	}
	raw = append(raw, e.hash[:]...)
	raw = binary.BigEndian.AppendUint16(raw, uint16(min(len(e.path), longestName)))
	raw = append(raw, e.path...)
	for more := true; more; more = (len(raw)-begin)%8 != 0 { // at least one ends the path
		raw = append(raw, 0)
	}
	return raw
}

func modeBits(mode string) (bits uint32) {
	for _, digit := range mode {
		bits = bits<<3 | uint32(digit-'0')
	}
	return bits
}

// append writes a tree before those below it, the short names first.
func (c cachedTree) append(raw []byte) []byte {
	raw = append(raw, c.name...)
	raw = fmt.Appendf(raw, "\x00%d %d\n", c.entries, len(c.below))
	raw = append(raw, c.hash[:]...)
	below := slices.SortedFunc(slices.Values(c.below), func(a, b cachedTree) int {
		return cmp.Or(cmp.Compare(len(a.name), len(b.name)), cmp.Compare(a.name, b.name))
	})
	for _, tree := range below {
		raw = tree.append(raw)
	}
	return raw
}
