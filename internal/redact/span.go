package redact

import (
	"bytes"
	"cmp"
	"slices"
)

const (
	markerOpen  = "[redacted:"
	markerClose = "]"
)

// span is a part of the text to hide.
type span struct {
	start, end int
	name       string
	rank       int  // the lower wins if two finds cover the same text; exactRank for an exact secret
	isRest     bool // continues a find in an earlier piece of the text, and gets no marker of its own
}

const (
	exactRank = -1
	keyRank   = 0
)

func (s span) isExact() bool { return s.rank == exactRank }

// merge sorts spans, joins those that overlap, and leaves out what lies within a marker of this redactor, so that
// redacting twice changes nothing. The name of an exact secret wins over that of a rule, then the earlier, the
// longer, and the first in the list of rules.
func (r *Redactor) merge(b []byte, spans []span) []span {
	markers := r.markerSpans(b)
	spans = slices.DeleteFunc(spans, func(s span) bool {
		after, _ := slices.BinarySearchFunc(markers, s.start+1, func(m span, at int) int { return cmp.Compare(m.start, at) })
		return after > 0 && s.end <= markers[after-1].end
	})
	slices.SortFunc(spans, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end), cmp.Compare(a.rank, b.rank))
	})
	var out []span
	for _, s := range spans {
		if len(out) == 0 || s.start >= out[len(out)-1].end {
			out = append(out, s)
			continue
		}
		last := &out[len(out)-1]
		last.end = max(last.end, s.end)
		if s.isExact() && !last.isExact() {
			last.name, last.rank = s.name, exactRank
		}
	}
	return out
}

// markerSpans finds the markers that this redactor itself could have written.
func (r *Redactor) markerSpans(b []byte) []span {
	var out []span
	for at := 0; ; {
		i := bytes.Index(b[at:], []byte(markerOpen))
		if i < 0 {
			return out
		}
		start := at + i
		at = start + len(markerOpen)
		near := b[at:min(len(b), at+r.longestName+1)]
		if j := bytes.IndexByte(near, markerClose[0]); j >= 0 && r.markers[string(b[at:at+j])] {
			out = append(out, span{start: start, end: at + j + 1})
		}
	}
}
