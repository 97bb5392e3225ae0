package redact

import (
	"unicode/utf8"

	"github.com/stellwerk-dev/stellwerk/internal/plain"
)

// mayHide are the bytes that a character nobody sees can begin with, and the escape of terminals.
var mayHide = func() (set [256]bool) {
	for c := range 0x20 {
		set[c] = c != '\n' && c != '\t' && c != '\r'
	}
	for _, c := range []byte{0x7f, 0xc2, 0xcd, 0xd8, 0xe1, 0xe2, 0xef, 0xf3} {
		set[c] = true
	}
	return set
}()

// hasHidden reports whether text may have characters that are taken out before it is shown.
func hasHidden(text []byte) bool {
	for i, c := range text {
		if mayHide[c] && hiddenLength(text[i:]) > 0 {
			return true
		}
	}
	return false
}

// hiddenLength is the length of the hidden character or terminal sequence that text begins with.
func hiddenLength(text []byte) int {
	if text[0] == 0x1b {
		return escapeLength(text)
	}
	if !utf8.FullRune(text) {
		return len(text) // the next bytes may make it one
	}
	if r, size := utf8.DecodeRune(text); r != utf8.RuneError && r != '\r' && plain.Hidden(r) {
		return size
	}
	return 0
}

// escapeLength is the length of a sequence that colours or moves: ESC [ … letter, or ESC and one more.
func escapeLength(text []byte) int {
	n := 1
	if n < len(text) && text[n] == '[' {
		for n++; n < len(text) && (text[n] < '@' || text[n] > '~'); n++ {
		}
	}
	return min(len(text), n+1)
}

// reveal fills v with source, without hidden characters.
func (v *view) reveal(source []byte) {
	v.reset()
	for i := 0; i < len(source); {
		if mayHide[source[i]] {
			if n := hiddenLength(source[i:]); n > 0 {
				i += n
				continue
			}
		}
		v.add(source[i], int32(i), int32(i+1))
		i++
	}
}

// findRevealed looks through b once more as it would be shown: a secret with a hidden character in it is whole then.
func (r *Redactor) findRevealed(b []byte, work *budget, keys *keyState) (spans []span, pending int) {
	var shown view
	shown.reveal(b)
	found, begun := r.findPlain(shown.text, work, keys)
	return shown.inSource(found, begun, len(b))
}

// inSource converts spans of v, and a position in it, to places in the source, which has the given length.
func (v *view) inSource(found []span, begun, length int) (spans []span, pending int) {
	for _, s := range found {
		s.start, s.end = int(v.from[s.start]), int(v.to[s.end-1])
		spans = append(spans, s)
	}
	if begun < len(v.from) {
		return spans, int(v.from[begun])
	}
	return spans, length
}
