package yard

import (
	"bufio"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// packLimits bounds what a pack may hold once it is unpacked. A megabyte of pack can be a gigabyte of zeros, and git reads
// all of it.
type packLimits struct {
	objects       int64
	object, total int64 // bytes
}

// defaultPackLimits allows far more than the work of one attempt.
func defaultPackLimits() packLimits {
	return packLimits{objects: 2_000_000, object: 1 << 30, total: 8 << 30}
}

// add counts one more object.
func (l *packLimits) add(what string, size int64, most packLimits) error {
	l.objects++
	l.total += size
	switch {
	case size > most.object:
		return &TooBigError{What: "an object in " + what, Size: size, Limit: most.object}
	case l.total > most.total:
		return &TooBigError{What: what + ", unpacked,", Limit: most.total}
	case l.objects > most.objects:
		return &TooBigError{What: what, Unit: "objects", Limit: most.objects}
	}
	return nil
}

// Types of the objects in a pack that are not whole.
const (
	offsetDelta    = 6
	referenceDelta = 7
	hashWidth      = 20
)

// packScanner checks the sizes in a pack: what the pack claims, and what it really unpacks to. It keeps nothing in memory and
// trusts nothing. Git decides whether the objects are sound.
type packScanner struct {
	in       *bufio.Reader
	inflater io.ReadCloser
	most     packLimits
	seen     packLimits
}

// scanPack refuses a pack over the limits with *TooBigError, and one that is no pack with ErrCorrupt.
func scanPack(ctx context.Context, pack io.Reader, most packLimits) error {
	s := &packScanner{in: bufio.NewReader(pack), most: most}
	head := make([]byte, 12)
	if _, err := io.ReadFull(s.in, head); err != nil || string(head[:4]) != "PACK" {
		return fmt.Errorf("%w: the bundle holds no pack", ErrCorrupt)
	}
	count := int64(binary.BigEndian.Uint32(head[8:]))
	if count > most.objects {
		return &TooBigError{What: "the pack", Unit: "objects", Size: count, Limit: most.objects}
	}
	for range count {
		if err := s.object(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (s *packScanner) object(ctx context.Context) error {
	first, err := s.in.ReadByte()
	if err != nil {
		return cutOff(err)
	}
	kind, size := first>>4&7, uint64(first&0xf)
	if first&0x80 != 0 {
		rest, err := binary.ReadUvarint(s.in)
		if err != nil {
			return cutOff(err)
		}
		if rest >= 1<<59 {
			return fmt.Errorf("%w: an object of the pack claims an impossible size", ErrCorrupt)
		}
		size |= rest << 4
	}
	switch kind {
	case offsetDelta:
		_, err = binary.ReadUvarint(s.in) // encoded differently, but of the same length
	case referenceDelta:
		_, err = s.in.Discard(hashWidth)
	}
	if err != nil {
		return cutOff(err)
	}
	if err := s.seen.add("the pack", int64(size), s.most); err != nil {
		return err
	}
	return s.inflate(ctx, int64(size), kind == offsetDelta || kind == referenceDelta)
}

// inflate reads past an object's content. That of a delta begins with the sizes of what it is made from and of what it
// makes; the latter counts as well.
func (s *packScanner) inflate(ctx context.Context, size int64, delta bool) (err error) {
	if s.inflater == nil {
		s.inflater, err = zlib.NewReader(s.in)
	} else {
		err = s.inflater.(zlib.Resetter).Reset(s.in, nil)
	}
	if err != nil {
		return cutOff(err)
	}
	limited := &io.LimitedReader{R: s.inflater, N: size + 1}
	content := bufio.NewReader(&cancellable{ctx, limited})
	if delta {
		_, sourceErr := binary.ReadUvarint(content)
		made, err := binary.ReadUvarint(content)
		if err = errors.Join(sourceErr, err); err != nil {
			return cutOff(err)
		}
		s.seen.objects-- // one object of two sizes
		if err := s.seen.add("the pack", int64(min(made, 1<<62)), s.most); err != nil {
			return err
		}
	}
	_, err = io.Copy(io.Discard, content)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return cutOff(err)
	case limited.N != 1:
		return fmt.Errorf("%w: an object of the pack does not have the size it claims", ErrCorrupt)
	}
	return nil
}

func cutOff(err error) error {
	return fmt.Errorf("%w: the pack is cut off or damaged: %w", ErrCorrupt, err)
}

// cancellable reads until its context ends.
type cancellable struct {
	ctx context.Context
	in  io.Reader
}

func (c *cancellable) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.in.Read(p)
}
