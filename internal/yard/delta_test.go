package yard

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"
)

// deltaOf is a delta between two sizes.
func deltaOf(from, to int, ops ...byte) []byte {
	return append(binary.AppendUvarint(binary.AppendUvarint(nil, uint64(from)), uint64(to)), ops...)
}

func TestADifferenceIsAppliedOrRefused(t *testing.T) {
	base := bytes.Repeat([]byte("0123456789"), 7000) // more than a copy without a size takes
	for _, c := range []struct {
		name  string
		delta []byte
		want  string
		err   error
	}{
		{"copy and insert", deltaOf(len(base), 6, 0x91, 3, 4, 2, 'x', 'y'), "3456xy", nil},
		{"copy without a size", deltaOf(len(base), 0x10000, 0x80), string(base[:0x10000]), nil},
		{"an offset of two bytes", deltaOf(len(base), 2, 0x93, 0x01, 0x01, 2), string(base[257:259]), nil},
		{"nothing", nil, "", ErrCorrupt},
		{"another base", deltaOf(len(base)+1, 1, 1, 'x'), "", ErrCorrupt},
		{"past the base", deltaOf(len(base), 9, 0xb1, 0xff, 9, 0xff), "", ErrCorrupt},
		{"copy cut off", deltaOf(len(base), 9, 0x91, 0), "", ErrCorrupt},
		{"insert cut off", deltaOf(len(base), 9, 9, 'x'), "", ErrCorrupt},
		{"a reserved operation", deltaOf(len(base), 9, 0), "", ErrCorrupt},
		{"more than it says", deltaOf(len(base), 1, 2, 'x', 'y'), "", ErrCorrupt},
		{"less than it says", deltaOf(len(base), 3, 2, 'x', 'y'), "", ErrCorrupt},
		{"very large", deltaOf(len(base), maxContent+1, 0x80), "", errUnjoinable},
	} {
		got, err := applyDelta(base, c.delta)
		if string(got) != c.want || !errors.Is(err, c.err) {
			t.Errorf("%s: %.20q, %v; want %.20q, %v", c.name, got, err, c.want, c.err)
		}
	}
}

func FuzzADifference(f *testing.F) {
	f.Add([]byte("0123456789"), deltaOf(10, 6, 0x91, 3, 4, 2, 'x', 'y'))
	f.Fuzz(func(t *testing.T, base, delta []byte) {
		out, err := applyDelta(base, delta)
		if err == nil && len(out) > maxContent {
			t.Errorf("%d bytes", len(out))
		}
	})
}
