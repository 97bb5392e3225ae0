// Package terminal is the edge to the screen: it makes text from agents and
// repositories harmless before it is printed, knows what the terminal can do,
// and redraws a few lines in place. It must not know what the text is about.
package terminal

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	zeroWidthNonJoiner = '\u200c'
	zeroWidthJoiner    = '\u200d'
)

// Line makes s a single harmless line: line breaks and tabs become spaces, and
// whatever could move the cursor, change colours, reorder text or hide it is
// shown as an escape such as \x1b or \u202e.
func Line(s string) string {
	return clean(s, func(r rune) (string, bool) {
		if r == '\n' || r == '\t' || r == '\r' {
			return " ", true
		}
		return "", false
	})
}

// Text does the same to text of several lines; line breaks and tabs stay.
func Text(s string) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	return clean(s, func(r rune) (string, bool) {
		if r == '\n' || r == '\t' {
			return string(r), true
		}
		return "", false
	})
}

// JSON writes the same characters of a JSON document as JSON escapes, so that
// it means what it meant and can be looked at.
func JSON(doc []byte) []byte {
	out := make([]byte, 0, len(doc))
	for _, r := range string(doc) {
		switch {
		case r == '\n' || r == '\t' || r == '\r' || !hostile(r):
			out = utf8.AppendRune(out, r)
		case r > 0xffff:
			r -= 0x10000
			out = fmt.Appendf(out, `\u%04x\u%04x`, 0xd800+(r>>10), 0xdc00+(r&0x3ff))
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}

func clean(s string, keep func(rune) (string, bool)) string {
	if harmless(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		kept, ok := keep(r)
		switch {
		case ok:
			b.WriteString(kept)
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case hostile(r):
			b.WriteString(escape(r))
		default:
			b.WriteRune(r)
		}
		i += size
	}
	return b.String()
}

// harmless is the quick way out for nearly all text.
func harmless(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// hostile reports a character that a terminal acts on or that hides or
// reorders others. Joiners are left alone: scripts and emoji need them.
func hostile(r rune) bool {
	switch {
	case unicode.IsControl(r):
		return true
	case r == zeroWidthJoiner || r == zeroWidthNonJoiner:
		return false
	}
	return unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
}

func escape(r rune) string {
	switch {
	case r <= 0xff:
		return fmt.Sprintf(`\x%02x`, r)
	case r <= 0xffff:
		return fmt.Sprintf(`\u%04x`, r)
	}
	return fmt.Sprintf(`\U%08x`, r)
}
