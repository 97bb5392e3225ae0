package redact

import "bytes"

// force chooses a cut inside a line. It keeps a tail as context for the rules, and does not cut through a find unless that
// find fills everything that is held. Nor does it separate a secret from the text by which a rule recognises it.
func (w *writer) force(spans []span, pending int) int {
	cut := w.gap(pending)
	cuts := []int{cut}
	across := -1 // the find that the cut would part
	for i, s := range spans {
		if s.start < cut && cut < s.end {
			across, cuts = i, nil
		}
	}
	for i := len(spans) - 1; i >= 0 && len(cuts) < forceTries; i-- {
		if spans[i].end <= cut {
			cuts = append(cuts, spans[i].end)
		}
	}
	for _, at := range cuts {
		if at > 0 && w.findsAgain(at, spans) {
			return at
		}
	}
	if across < 0 {
		return cut
	}
	s := spans[across]
	w.swallow = s.end == len(w.held)
	return s.end
}

// forceTries is how many cuts are tried out.
const forceTries = 8

// gap is a place between words, with a tail after it.
func (w *writer) gap(pending int) int {
	cut := len(w.held) - tailSize
	if pending > 0 {
		cut = min(cut, pending)
	}
	if i := bytes.LastIndexFunc(w.held[cut/2:cut], func(r rune) bool { return r < 0x80 && !isToken(byte(r)) }); i >= 0 {
		cut = cut/2 + i + 1
	}
	if i := bytes.LastIndex(w.held[max(0, cut-64):cut], []byte("--")); i >= 0 { // perhaps the first line of a key
		if i += max(0, cut-64) - 3; i > 0 {
			cut = i
		}
	}
	return cut
}

// findsAgain reports whether the finds after a cut are still found without the text before it.
func (w *writer) findsAgain(cut int, spans []span) bool {
	for len(spans) > 0 && spans[0].end <= cut {
		spans = spans[1:]
	}
	if len(spans) == 0 || spans[0].start > cut+reachBefore+reachAfter {
		return true
	}
	work, keys := *w.work, w.keys // on copies: this look is free and changes nothing
	keys.find(w.held[:cut], nil)
	again, _ := w.redactor.findPending(w.held[cut:], &work, &keys)
	for _, s := range spans {
		for len(again) > 0 && again[0].end+cut < s.end {
			again = again[1:]
		}
		if len(again) == 0 || again[0].start+cut > s.start {
			return false
		}
	}
	return true
}
