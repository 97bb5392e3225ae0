package lossyfs

// content is what a file has: as programs see it, as a crash would certainly leave it, and the changes in between.
type content struct {
	now, synced []byte
	pending     []write
}

// write is a change of a file: bytes at an offset, or a new size.
type write struct {
	at     int64
	data   []byte // nil for a new size, which is at
	resize bool
}

func (w write) end() int64 { return w.at + int64(len(w.data)) }

// in applies a change to bytes, and returns them.
func (w write) in(b []byte) []byte {
	if w.resize {
		return resized(b, w.at)
	}
	if w.end() > int64(len(b)) {
		b = resized(b, w.end())
	}
	copy(b[w.at:], w.data)
	return b
}

func resized(b []byte, size int64) []byte {
	if size <= int64(len(b)) {
		return b[:size]
	}
	if size <= int64(cap(b)) {
		grown := b[:size]
		clear(grown[len(b):])
		return grown
	}
	grown := make([]byte, size, size+size/2)
	copy(grown, b)
	return grown
}

func (c *content) change(w write) {
	c.now = w.in(c.now)
	c.pending = append(c.pending, w)
}

func (c *content) sync() {
	for _, w := range c.pending {
		c.synced = w.in(c.synced)
	}
	c.pending = nil
}

// settle makes what a crash left the present.
func (c *content) settle() {
	c.pending = nil
	c.now = append([]byte(nil), c.synced...)
}
