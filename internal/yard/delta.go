package yard

import (
	"encoding/binary"
	"fmt"
)

// applyDelta makes an object from its base and a difference in git's format. Nothing in the difference is trusted. An object
// larger than maxContent is errUnjoinable.
func applyDelta(base, delta []byte) ([]byte, error) {
	from, n := binary.Uvarint(delta)
	to, m := binary.Uvarint(delta[max(n, 0):])
	switch {
	case n <= 0 || m <= 0 || from != uint64(len(base)):
		return nil, fmt.Errorf("%w: a difference does not fit its base", ErrCorrupt)
	case to > maxContent:
		return nil, errUnjoinable
	}
	out := make([]byte, 0, to)
	for delta = delta[n+m:]; len(delta) > 0; {
		op := delta[0]
		delta = delta[1:]
		var part []byte
		if op&0x80 != 0 {
			offset, size, used, err := copyRange(op, delta)
			if err != nil || offset+size > uint64(len(base)) {
				return nil, fmt.Errorf("%w: a difference copies what its base does not have", ErrCorrupt)
			}
			part, delta = base[offset:offset+size], delta[used:]
		} else {
			if op == 0 || int(op) > len(delta) {
				return nil, fmt.Errorf("%w: a difference is cut off", ErrCorrupt)
			}
			part, delta = delta[:op], delta[op:]
		}
		if uint64(len(out)+len(part)) > to {
			return nil, fmt.Errorf("%w: a difference makes more than it says", ErrCorrupt)
		}
		out = append(out, part...)
	}
	if uint64(len(out)) != to {
		return nil, fmt.Errorf("%w: a difference makes less than it says", ErrCorrupt)
	}
	return out, nil
}

// copyRange reads which bytes of the base are copied: four bits of op say which bytes of the offset follow, three which of
// the size.
func copyRange(op byte, delta []byte) (offset, size uint64, used int, err error) {
	for bit := range 7 {
		if op&(1<<bit) == 0 {
			continue
		}
		if used == len(delta) {
			return 0, 0, 0, ErrCorrupt
		}
		value := uint64(delta[used])
		used++
		if bit < 4 {
			offset |= value << (8 * bit)
		} else {
			size |= value << (8 * (bit - 4))
		}
	}
	if size == 0 {
		size = 0x10000
	}
	return offset, size, used, nil
}
