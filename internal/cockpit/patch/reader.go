package patch

import (
	"bytes"
	"errors"
)

// errFull is what Write answers once more was written than is read.
var errFull = errors.New("the difference is larger than what is read of it")

// Reader reads a difference. It is an io.Writer: whatever produces the difference
// writes to it.
type Reader struct {
	bounds Bounds
	patch  Patch
	line   []byte // the beginning of a line whose end has not come
	cut    bool   // the line is longer
	length int64  // of the line, with what is cut
	read   int64
	kept   int64

	file     *File // that lines belong to; nil before the first and beyond the bound
	beyond   File  // stands in for files beyond the bound
	hunk     bool  // lines of a hunk are expected
	old, new int   // next numbers
	oldLeft  int
	newLeft  int
}

// NewReader makes a reader with bounds.
func NewReader(b Bounds) *Reader { return &Reader{bounds: b} }

// Write takes a piece of the difference. It fails only if the difference is larger
// than the bounds allow.
func (r *Reader) Write(p []byte) (int, error) {
	if r.read += int64(len(p)); r.read > r.bounds.Read {
		r.patch.Full = true
		return 0, errFull
	}
	for rest := p; len(rest) > 0; {
		piece, after, ended := bytes.Cut(rest, []byte{'\n'})
		r.length += int64(len(piece))
		if room := r.bounds.Line + 1 - len(r.line); len(piece) > room {
			piece, r.cut = piece[:max(0, room)], true
		}
		r.line = append(r.line, piece...)
		if rest = after; ended {
			r.end()
		}
	}
	return len(p), nil
}

// Patch is what was read so far.
func (r *Reader) Patch() Patch {
	if len(r.line) > 0 {
		r.end()
	}
	r.settle()
	for i := range r.patch.Files {
		settleFile(&r.patch.Files[i])
	}
	return r.patch
}

func (r *Reader) end() {
	r.take(string(r.line))
	r.line, r.cut, r.length = r.line[:0], false, 0
}

// settle ends the file that lines belonged to.
func (r *Reader) settle() {
	if r.file == nil {
		return
	}
	r.patch.Added += r.file.Added
	r.patch.Deleted += r.file.Deleted
	r.file, r.hunk = nil, false
}

// settleFile fills in the name of the other side if git gave only one.
func settleFile(f *File) {
	if f.Old == "" {
		f.Old = f.New
	}
	if f.New == "" {
		f.New = f.Old
	}
}
