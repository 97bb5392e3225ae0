package broker

import "bytes"

// longestEvent bounds what is kept of one event of a stream. No event of a real answer comes near it.
const longestEvent = 16 << 20

// eventReader splits a stream of server-sent events that arrives in any pieces.
type eventReader struct {
	line []byte // what has come of the current line
	name []byte // of the event that the line belongs to
	data []byte
	lost bool // the current line is too long to keep
	take func(name string, data []byte)
}

// feed takes another piece and returns how much of it belongs to events that are whole now.
func (e *eventReader) feed(p []byte) (whole int) {
	for at := 0; ; {
		i := bytes.IndexByte(p[at:], '\n')
		if i < 0 {
			e.keep(p[at:])
			return whole
		}
		line := p[at : at+i]
		if len(e.line) > 0 || e.lost {
			e.keep(line)
			line = e.line
		}
		at += i + 1
		if e.end(line) {
			whole = at
		}
		e.line = e.line[:0]
	}
}

func (e *eventReader) keep(p []byte) {
	if len(e.line)+len(p) > longestEvent {
		e.lost = true
		return
	}
	e.line = append(e.line, p...)
}

// end takes a whole line, and reports an empty one, which ends the event.
func (e *eventReader) end(line []byte) (event bool) {
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
		return true
	case string(key) == "event":
		e.name = append(e.name[:0], value...)
	case string(key) == "data" && len(e.data)+len(value) <= longestEvent:
		e.data = append(e.data, value...)
	}
	return false
}

// eventBuffer holds back the part of an event until the rest of it has come.
type eventBuffer struct{ kept []byte }

// add takes another piece, of which so much belongs to events that are whole now, and returns those. An event beyond all
// bounds is not held back.
func (b *eventBuffer) add(p []byte, whole int) []byte {
	if len(b.kept)+len(p) > longestEvent {
		whole = len(p)
	}
	if whole == 0 {
		b.kept = append(b.kept, p...)
		return nil
	}
	events := p[:whole]
	if len(b.kept) > 0 {
		events = append(b.kept, events...)
	}
	b.kept = bytes.Clone(p[whole:])
	return events
}
