package redact

import (
	"bytes"
)

// exact finds the secrets whose value is known.
type exact struct {
	patterns  []pattern
	automaton *automaton // nil if there is no secret
	hasSpace  bool       // form encoding writes + for a space
	longest   int        // bytes of the longest pattern
}

func newExact(secrets []Secret) *exact {
	e := &exact{}
	for _, s := range secrets {
		e.patterns = append(e.patterns, patternsOf(s)...)
		e.hasSpace = e.hasSpace || bytes.IndexByte([]byte(s.Value), ' ') >= 0
	}
	if len(e.patterns) == 0 {
		return e
	}
	heads := make([][]byte, len(e.patterns))
	for i, p := range e.patterns {
		heads[i] = p.head
		e.longest = max(e.longest, p.size())
	}
	e.automaton = newAutomaton(heads, false)
	return e
}

// escapeLevels is how often escaping is undone: JSON in a string of JSON in a line of text.
const escapeLevels = 3

// segmentSize bounds the memory of views, which take many times that of their text.
const segmentSize = 256 << 10

// find returns all occurrences in source, unordered, and the start of an occurrence that more input could complete.
func (e *exact) find(source []byte, buffers *viewBuffers) (spans []span, pending int) {
	if e.automaton == nil {
		return nil, len(source)
	}
	overlap := e.reach()
	for start := 0; ; start += segmentSize {
		end := min(len(source), start+segmentSize+overlap)
		found, begun := e.findSegment(source[start:end], buffers)
		for _, s := range found {
			s.start, s.end = s.start+start, s.end+start
			spans = append(spans, s)
		}
		if end == len(source) {
			return spans, begun + start
		}
	}
}

// reach is how long an encoded and wrapped value is taken to be at most.
func (e *exact) reach() int { return 16*e.longest + 4096 }

func (e *exact) findSegment(source []byte, buffers *viewBuffers) (spans []span, pending int) {
	pending = len(source)
	flat := &buffers.flat
	lookFlat := func() {
		found, begun := e.findIn(flat, len(source))
		spans = append(spans, found...)
		if begun < len(flat.from) {
			pending = min(pending, int(flat.from[begun]))
		}
	}
	look := func(v *view) {
		flat.unwrap(v)
		lookFlat()
	}
	flat.unwrapSource(source)
	lookFlat()
	if bytes.IndexByte(source, '\\') < 0 && bytes.IndexByte(source, '%') < 0 && bytes.IndexByte(source, '+') < 0 {
		return spans, pending
	}
	now, other := &buffers.escaped[0], &buffers.escaped[1]
	now.identity(source)
	if bytes.IndexByte(source, '%') >= 0 {
		other.percentDecode(now, false)
		look(other)
	}
	if e.hasSpace && bytes.IndexByte(source, '+') >= 0 {
		other.percentDecode(now, true)
		look(other)
	}
	for range escapeLevels {
		if bytes.IndexByte(now.text, '\\') < 0 {
			break
		}
		other.unescape(now)
		look(other)
		now, other = other, now
	}
	return spans, pending
}

// findIn looks through one view of a source of the given length. begun is the index of the earliest byte that may begin
// an unfinished occurrence.
func (e *exact) findIn(v *view, length int) (spans []span, begun int) {
	begun = len(v.text)
	depth := e.automaton.scan(v.text, func(i, headEnd int) {
		p := &e.patterns[i]
		start, end := headEnd-len(p.head), headEnd+len(p.rest)
		if end > len(v.text) {
			if bytes.HasPrefix(p.rest, v.text[headEnd:]) {
				begun = min(begun, start)
			}
			return
		}
		if !bytes.Equal(v.text[headEnd:end], p.rest) || !p.allowsBreaks() && v.hasBreak(start, end) {
			return
		}
		start, end = p.widen(v.text, start, end)
		if p.isBase64() && end+maxPadding >= len(v.text) {
			begun = min(begun, start)
		}
		spans = append(spans, span{start: int(v.from[start]), end: int(v.to[end-1]), name: p.name, rank: exactRank})
	})
	if depth < leastWrapped && v.endsInBreak(length) {
		depth = 0
	}
	return spans, min(begun, len(v.text)-depth)
}

// leastWrapped is how much of a value must come before a line end for a writer to hold the line back. Without such a bound it
// would hold back one line in three, because they end in the first letter of some form. It hides the rest of a value if it
// passed on less than that.
const leastWrapped = 4

func (v *view) endsInBreak(length int) bool {
	return len(v.to) > 0 && int(v.to[len(v.to)-1]) < length
}

// maxPadding is how far past an occurrence its last base64 digit and padding may reach.
const maxPadding = 3

// allowsBreaks reports whether the pattern may be found wrapped over lines. A short one could be two innocent halves.
func (p *pattern) allowsBreaks() bool { return p.hasBreaks || p.size() >= 16 }

// isBase64 is false for the one alignment without mixed digits: that has no padding either.
func (p *pattern) isBase64() bool { return p.mixedBefore || p.mixedAfter }

// widen adds the base64 digits that hold a part of the secret, and the padding.
func (p *pattern) widen(text []byte, start, end int) (int, int) {
	if p.mixedBefore && start > 0 && isBase64(text[start-1]) {
		start--
	}
	if p.mixedAfter && end < len(text) && isBase64(text[end]) {
		end++
	}
	if p.isBase64() {
		for n := 0; n < 2 && end < len(text) && text[end] == '='; n++ {
			end++
		}
	}
	return start, end
}

func isBase64(c byte) bool { return isAlnum(c) || c == '+' || c == '/' || c == '-' || c == '_' }

// hasBreak reports whether the view took out a line break between two bytes of v.text[start:end].
func (v *view) hasBreak(start, end int) bool {
	for i := start; i+1 < end; i++ {
		if v.from[i+1] > v.to[i] {
			return true
		}
	}
	return false
}
