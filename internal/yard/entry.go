package yard

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1" //nolint:gosec // git's own format
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Parts of a pack that are not its entries.
const (
	packMagic             = "PACK\x00\x00\x00\x02"
	packHead, packTrailer = 12, sha1.Size
)

// packEntry is one object of a pack as the pack has it.
type packEntry struct {
	begin  int // where it is in the pack
	kind   byte
	baseAt int      // where the base of an offset delta begins
	base   objectID // of a reference delta
	raw    []byte   // compressed
	data   []byte
}

func (e packEntry) isDelta() bool { return e.kind == offsetDelta || e.kind == referenceDelta }

// packReader reads the entries of a small pack one after the other.
type packReader struct {
	pack     []byte
	at       int
	inflater io.ReadCloser
}

// readPack begins to read a pack of so many entries.
func readPack(pack []byte) (*packReader, uint32, error) {
	if len(pack) < packHead || !bytes.HasPrefix(pack, []byte(packMagic)) {
		return nil, 0, fmt.Errorf("%w: the bundle holds no pack of version 2", ErrCorrupt)
	}
	return &packReader{pack: pack, at: packHead}, binary.BigEndian.Uint32(pack[8:]), nil
}

// next reads an entry. One whose content is larger than maxContent is errUnjoinable.
func (r *packReader) next() (packEntry, error) {
	in := bytes.NewReader(r.pack[r.at:])
	e := packEntry{begin: r.at}
	first, err := in.ReadByte()
	if err != nil {
		return e, cutOff(err)
	}
	e.kind = first >> 4 & 7
	size := uint64(first & 0xf)
	if first&0x80 != 0 {
		rest, err := binary.ReadUvarint(in)
		if err != nil {
			return e, cutOff(err)
		}
		if rest > maxContent {
			return e, errUnjoinable
		}
		size |= rest << 4
	}
	if size > maxContent {
		return e, errUnjoinable
	}
	if err := e.readBase(in); err != nil {
		return e, err
	}
	body := len(r.pack) - in.Len()
	if e.data, err = r.inflate(in, int64(size)); err != nil {
		return e, err
	}
	r.at = len(r.pack) - in.Len()
	e.raw = r.pack[body:r.at]
	return e, nil
}

func (e *packEntry) readBase(in *bytes.Reader) error {
	switch e.kind {
	case offsetDelta:
		back := int64(-1) // each further byte adds one, so that no distance can be written in two ways
		for more := true; more; {
			b, err := in.ReadByte()
			if err != nil || back > 1<<40 {
				return cutOff(errors.Join(err, io.ErrUnexpectedEOF))
			}
			back, more = (back+1)<<7|int64(b&0x7f), b&0x80 != 0
		}
		e.baseAt = e.begin - int(back)
	case referenceDelta:
		if _, err := io.ReadFull(in, e.base[:]); err != nil {
			return cutOff(err)
		}
	default:
		if kindNames[e.kind] == "" {
			return fmt.Errorf("%w: the pack has an object of the unknown kind %d", ErrCorrupt, e.kind)
		}
	}
	return nil
}

// inflate reads the content of an entry, and exactly as much of the pack as it takes.
func (r *packReader) inflate(in *bytes.Reader, size int64) (_ []byte, err error) {
	if r.inflater == nil {
		r.inflater, err = zlib.NewReader(in)
	} else {
		err = r.inflater.(zlib.Resetter).Reset(in, nil)
	}
	if err != nil {
		return nil, cutOff(err)
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(r.inflater, data); err != nil {
		return nil, cutOff(err)
	}
	if _, err := io.ReadFull(r.inflater, make([]byte, 1)); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: an object of the pack does not have the size it claims", ErrCorrupt)
	}
	return data, nil
}

// packEntryHead is what a pack has before the compressed content of an object.
func packEntryHead(kind byte, length int) []byte {
	size := uint64(length)
	head := []byte{kind<<4 | byte(size&0xf)}
	if size >>= 4; size > 0 {
		head[0] |= 0x80
		head = binary.AppendUvarint(head, size)
	}
	return head
}

// deflater compresses objects one after the other. What it needs for the first takes far longer to prepare than a
// small object takes to compress.
type deflater struct{ writer *zlib.Writer } // nil before the first object

func (d *deflater) deflate(data []byte) ([]byte, error) {
	var packed bytes.Buffer
	if d.writer == nil {
		d.writer = zlib.NewWriter(&packed)
	} else {
		d.writer.Reset(&packed)
	}
	_, err := d.writer.Write(data)
	err = errors.Join(err, d.writer.Close())
	return packed.Bytes(), err
}
