package broker

import "bytes"

// longestEvent bounds what is kept of one event of a stream. No event of a real answer comes near it.
const longestEvent = 16 << 20

// eventReader takes a stream of server-sent events apart, whatever pieces it arrives in.
type eventReader struct {
	line []byte // what has come of the current line
	name []byte // of the event that the line belongs to
	data []byte
	lost bool // the current line is too long to keep
	take func(name string, data []byte)
}

func (e *eventReader) feed(p []byte) {
	for len(p) > 0 {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			e.keep(p)
			return
		}
		if len(e.line) == 0 && !e.lost {
			e.end(p[:i])
		} else {
			e.keep(p[:i])
			e.end(e.line)
		}
		e.line = e.line[:0]
		p = p[i+1:]
	}
}

func (e *eventReader) keep(p []byte) {
	if len(e.line)+len(p) > longestEvent {
		e.lost = true
		return
	}
	e.line = append(e.line, p...)
}

// end takes a whole line; an empty one ends the event.
func (e *eventReader) end(line []byte) {
	line = bytes.TrimSuffix(line, []byte("\r"))
	key, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch {
	case e.lost:
		e.lost = false
	case len(line) == 0:
		if len(e.data) > 0 {
			e.take(string(e.name), e.data)
		}
		e.name, e.data = e.name[:0], e.data[:0]
	case string(key) == "event":
		e.name = append(e.name[:0], value...)
	case string(key) == "data" && len(e.data)+len(value) <= longestEvent:
		e.data = append(e.data, value...)
	}
}

// eventBuffer holds back the part of an event until the rest of it has come.
type eventBuffer struct{ kept []byte }

// add takes another piece and returns the events that are whole. An event beyond all bounds is not held back.
func (b *eventBuffer) add(p []byte) []byte {
	if len(b.kept) == 0 {
		n := wholeEvents(p)
		b.kept = append(b.kept, p[n:]...)
		return p[:n]
	}
	const overlap = 3 // an end of an event can begin so much before the piece
	from := max(0, len(b.kept)-overlap)
	b.kept = append(b.kept, p...)
	n := wholeEvents(b.kept[from:])
	if n > 0 {
		n += from
	}
	if len(b.kept) > longestEvent {
		n = len(b.kept)
	}
	whole := b.kept[:n]
	if n > 0 {
		b.kept = append([]byte(nil), b.kept[n:]...)
	}
	return whole
}

// wholeEvents is how much of p consists of whole events.
func wholeEvents(p []byte) int {
	for end := len(p); end > 0; {
		i := bytes.LastIndexByte(p[:end], '\n')
		if i < 0 {
			return 0
		}
		rest := bytes.TrimSuffix(p[:i], []byte("\r"))
		if len(rest) > 0 && rest[len(rest)-1] == '\n' {
			return i + 1
		}
		end = i
	}
	return 0
}
