package yard

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // git's own format
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
)

const (
	indexHead  = 12
	entryFixed = 62 // bytes of an entry before its path
	// mostIndexBytes bounds the indexes that are read here.
	mostIndexBytes = 16 << 20
)

// parseIndex reads an index that git wrote: version 2, every file once, no submodules. Nothing in it is trusted. Anything else
// is errOdd: git knows what to make of it, or what is wrong.
func parseIndex(raw []byte) (*index, error) {
	body := raw[:max(0, len(raw)-sha1.Size)]
	if len(body) < indexHead || !bytes.HasPrefix(body, []byte(indexMagic)) {
		return nil, fmt.Errorf("%w: no index of version 2", errOdd)
	}
	if sum := sha1.Sum(body); !bytes.Equal(sum[:], raw[len(body):]) { //nolint:gosec // as above
		return nil, fmt.Errorf("%w: the index is damaged", errOdd)
	}
	x := &index{cache: cachedTree{entries: -1}}
	rest := body[indexHead:]
	before := ""
	for range binary.BigEndian.Uint32(body[8:]) {
		e, n, err := parseIndexEntry(rest)
		if err != nil {
			return nil, err
		}
		if e.path <= before {
			return nil, fmt.Errorf("%w: %.100q is not in its place", errOdd, e.path)
		}
		before = e.path
		x.entries = append(x.entries, e)
		rest = rest[n:]
	}
	return x, x.parseExtensions(rest)
}

// parseIndexEntry reads an entry, without what it says of the disk, and how long it is.
func parseIndexEntry(raw []byte) (e indexEntry, length int, err error) {
	if len(raw) < entryFixed {
		return e, 0, fmt.Errorf("%w: the index is cut off", errOdd)
	}
	flags := int(binary.BigEndian.Uint16(raw[entryFixed-2:]))
	if flags > maxPath { // other flags are above; git counts no further than longestName
		return e, 0, fmt.Errorf("%w: an entry of the index has flags", errOdd)
	}
	length = (entryFixed + flags + 8) &^ 7
	if len(raw) < length {
		return e, 0, fmt.Errorf("%w: the index is cut off", errOdd)
	}
	e = indexEntry{
		mode: fmt.Sprintf("%06o", binary.BigEndian.Uint32(raw[24:])),
		hash: objectID(raw[40 : entryFixed-2]),
		path: string(raw[entryFixed : entryFixed+flags]),
	}
	if kind := kindOf(e.mode); kind == Submodule || kind == subtree || indexMode(kind) != e.mode {
		return e, 0, fmt.Errorf("%w: %.100q has the mode %s", errOdd, e.path, e.mode)
	}
	if strings.Contains(e.path, "\x00") || strings.Contains("/"+e.path+"/", "//") {
		return e, 0, fmt.Errorf("%w: %.100q is no path", errOdd, e.path)
	}
	return e, length, nil
}

// parseExtensions reads the cached trees. Git marks with a capital letter what may be passed over.
func (x *index) parseExtensions(raw []byte) error {
	for len(raw) > 0 {
		if len(raw) < 8 || uint64(binary.BigEndian.Uint32(raw[4:])) > uint64(len(raw)-8) {
			return fmt.Errorf("%w: the index is cut off", errOdd)
		}
		name, size := string(raw[:4]), int(binary.BigEndian.Uint32(raw[4:]))
		content := raw[8 : 8+size]
		raw = raw[8+size:]
		switch {
		case name == cacheMagic:
			rest, err := x.cache.parse(content, 0)
			if err != nil {
				return err
			}
			if len(rest) > 0 || x.cache.name != "" {
				return fmt.Errorf("%w: the cached trees have no single root", errOdd)
			}
		case name[0] < 'A' || name[0] > 'Z':
			return fmt.Errorf("%w: the index has the extension %q", errOdd, name)
		}
	}
	return nil
}

// parse reads a tree and those below it, and returns what follows them.
func (c *cachedTree) parse(raw []byte, depth int) (rest []byte, err error) {
	name, rest, named := bytes.Cut(raw, []byte{0})
	line, rest, ended := bytes.Cut(rest, []byte{'\n'})
	entries, below, spaced := strings.Cut(string(line), " ")
	if c.entries, err = strconv.Atoi(entries); err != nil || !named || !ended || !spaced || depth > maxPath {
		return nil, fmt.Errorf("%w: a cached tree is damaged", errOdd)
	}
	n, err := strconv.Atoi(below)
	if err != nil || c.entries >= 0 && len(rest) < len(c.hash) {
		return nil, fmt.Errorf("%w: a cached tree is damaged", errOdd)
	}
	c.name, c.below = string(name), nil
	if c.entries >= 0 {
		c.hash = objectID(rest[:len(c.hash)])
		rest = rest[len(c.hash):]
	}
	for range n {
		var tree cachedTree
		if rest, err = tree.parse(rest, depth+1); err != nil {
			return nil, err
		}
		c.below = append(c.below, tree)
	}
	return rest, nil
}
