package shim

import "bytes"

// Bounds of one stream. A line longer than maxLine is cut; the redactor sees overlap more bytes of it, so that it recognises
// a secret across the cut.
const (
	maxLine   = 4 << 20
	overlap   = 16 << 10
	maxLines  = 100_000
	tailBytes = 1 << 20
	tailLines = 1000
)

// capture turns a stream into lines within fixed memory. It passes on the beginning as it comes, up to a number of bytes
// and lines; after that it keeps only the end, because a program says there how it went. It counts and drops the rest at
// the speed of a copy, so a program that floods is not held up and does no harm.
type capture struct {
	// line gets one line and how many bytes were cut off it; it must not keep the slice.
	line func(text []byte, cut int64)
	// gap gets the number of bytes dropped between beginning and end.
	gap func(bytes int64)
	// redact takes secrets out of the end of the stream, in one piece.
	redact func(string) string
	head   int64

	total, dropped int64
	lines          int
	buffer         []byte
	cut            int64
	tail           *ring
}

// full reports that the beginning is complete: capture keeps only the end of what follows.
func (c *capture) full() bool { return c.tail != nil }

// Write implements io.Writer.
func (c *capture) Write(p []byte) (int, error) {
	c.write(p)
	return len(p), nil
}

func (c *capture) write(p []byte) {
	c.total += int64(len(p))
	for len(p) > 0 && c.tail == nil {
		newline := bytes.IndexByte(p, '\n')
		if newline < 0 {
			c.extend(p)
			return
		}
		c.extend(p[:newline])
		c.flush()
		p = p[newline+1:]
		if c.total-int64(len(p)) >= c.head || c.lines >= maxLines {
			c.tail = newRing(tailBytes)
		}
	}
	if c.tail != nil {
		c.tail.write(p)
	}
}

func (c *capture) extend(p []byte) {
	room := min(maxLine+overlap-len(c.buffer), len(p))
	c.buffer = append(c.buffer, p[:room]...)
	c.cut += int64(len(p) - room)
}

func (c *capture) flush() {
	c.emit(c.buffer, c.cut)
	c.lines++
	c.buffer, c.cut = c.buffer[:0], 0
}

func (c *capture) emit(text []byte, cut int64) {
	c.dropped += cut + int64(max(0, len(text)-maxLine))
	c.line(text, cut)
}

// close passes on what is left.
func (c *capture) close() {
	if c.tail == nil {
		if len(c.buffer) > 0 {
			c.flush()
		}
		return
	}
	kept := c.tail.lastLines(tailLines)
	if lost := c.tail.total - int64(len(kept)); lost > 0 {
		c.dropped += lost
		c.gap(lost)
	}
	for line := range bytes.Lines([]byte(c.redact(string(kept)))) {
		c.emit(bytes.TrimSuffix(line, []byte{'\n'}), 0)
	}
}

// ring keeps the last bytes written to it.
type ring struct {
	data  []byte
	at    int
	total int64
}

func newRing(size int) *ring { return &ring{data: make([]byte, size)} }

func (r *ring) write(p []byte) {
	r.total += int64(len(p))
	if len(p) > len(r.data) {
		p = p[len(p)-len(r.data):]
	}
	n := copy(r.data[r.at:], p)
	copy(r.data, p[n:])
	r.at = (r.at + len(p)) % len(r.data)
}

// lastLines returns at most n whole lines from the end, without a line whose beginning is gone.
func (r *ring) lastLines(n int) []byte {
	var all []byte
	if r.total <= int64(len(r.data)) {
		all = r.data[:r.total]
	} else {
		all = append(append(make([]byte, 0, len(r.data)), r.data[r.at:]...), r.data[:r.at]...)
		all = all[bytes.IndexByte(all, '\n')+1:]
		if !bytes.Contains(r.data, []byte{'\n'}) {
			return nil
		}
	}
	from := len(bytes.TrimSuffix(all, []byte{'\n'}))
	for ; n > 0 && from >= 0; n-- {
		from = bytes.LastIndexByte(all[:from], '\n')
	}
	return all[max(from+1, 0):]
}
