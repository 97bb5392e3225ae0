package redact

import (
	"bytes"
	"slices"
)

// maxBefore bounds what a writer remembers of the text it passed on: more than [leastWrapped] characters in any encoding.
const maxBefore = 64

// firstReach is how far the writer first follows a value that began before.
const firstReach = 512

// find is [Redactor.findPending] for what is held. It also finds the rest of an exact value that began in the line before,
// with too little of it there for that line to be held back.
func (w *writer) find(keys *keyState) (spans []span, pending int) {
	spans, pending = w.redactor.findPending(w.held, w.work, keys)
	if len(w.before) == 0 || w.redactor.exact.automaton == nil {
		return spans, pending
	}
	border := len(w.before)
	var found []span
	for _, size := range []int{firstReach, w.redactor.exact.reach()} { // the first look is nearly always enough
		joined := append(bytes.Clone(w.before), w.held[:min(len(w.held), size)]...)
		var begun int
		if found, begun = w.redactor.findExact(joined); begun >= border {
			break
		}
		if len(w.held) <= size {
			pending = 0
			break
		}
	}
	found = slices.DeleteFunc(found, func(s span) bool { return s.start >= border || s.end <= border })
	for _, s := range found {
		spans = append(spans, span{start: 0, end: s.end - border, name: s.name, rank: s.rank})
	}
	if len(found) > 0 {
		spans = w.redactor.merge(w.held, spans)
	}
	return spans, pending
}

// findExact looks only for exact values, in text as it would be shown.
func (r *Redactor) findExact(text []byte) (spans []span, pending int) {
	buffers := r.views.Get().(*viewBuffers)
	defer r.views.Put(buffers)
	if !hasHidden(text) {
		return r.exact.find(text, buffers)
	}
	var shown view
	shown.reveal(text)
	found, begun := r.exact.find(shown.text, buffers)
	return shown.inSource(found, begun, len(text))
}

// endOf is what a writer must remember of text it passed on. Empty lines do not count.
func endOf(text []byte) []byte {
	end := bytes.TrimRight(text, " \t\r\n")
	if bytes.IndexByte(text[len(end):], '\n') >= 0 {
		end = append(end, '\n')
	} else {
		end = text
	}
	if cut := len(end) - maxBefore; cut > 0 {
		end = append(end[:0], end[cut:]...)
	}
	return end
}
