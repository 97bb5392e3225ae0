// Package plain makes text from outside fit to be shown: what agents, repositories, issue trackers and the programs they
// run have written. It takes out what a terminal would obey and what a reader cannot see, bounds the length, and wraps
// text so that it cannot end its own quotation. It must not judge what the text says, and it does not hide secrets.
package plain

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stellwerk-dev/stellwerk/internal/regex"
)

// escape matches terminal control sequences: CSI, the string sequences (OSC, DCS, SOS, PM, APC) with their payload up
// to the terminator or the end of the line, and two-character escapes; in their 7-bit and 8-bit forms.
var escape = regex.Of("(?:\x1b\\[|\u009b)[0-?]*[ -/]*[@-~]?" +
	"|(?:\x1b[\\]PX^_]|[\u0090\u0098\u009d\u009e\u009f])[^\x07\x1b\u009c\\n]*(?:\x07|\x1b\\\\|\u009c)?" +
	"|\x1b[ -/]*[0-~]?")

// introducers begin a terminal control sequence.
const introducers = "\x1b\u0090\u0098\u009b\u009d\u009e\u009f"

// Text returns s as valid UTF-8 with Unix line ends and without terminal sequences, control characters, bidirectional
// controls and invisible characters. Line feeds and tabs stay.
func Text(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.ReplaceAll(s, "\r\n", "\n")
	s = strings.ReplaceAll(s, "\r", "\n")
	if strings.ContainsAny(s, introducers) {
		s = escape().ReplaceAllString(s, "")
	}
	return strings.Map(func(r rune) rune {
		if Hidden(r) {
			return -1
		}
		return r
	}, s)
}

// Hidden reports a character that changes how others are shown, or carries text nobody sees. The joiners U+200C and
// U+200D stay: scripts and emoji need them.
func Hidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case unicode.IsControl(r):
		return true
	case r == 0x00AD, r == 0x034F, r == 0x061C, r == 0x180E, r == 0x200B, r == 0x200E, r == 0x200F, r == 0xFEFF:
		return true
	case r == 0x2028, r == 0x2029: // line breaks to some readers, not to others
		return true
	case 0x202A <= r && r <= 0x202E, 0x2060 <= r && r <= 0x206F, 0xFFF9 <= r && r <= 0xFFFB:
		return true
	case 0xE0000 <= r && r <= 0xE0FFF: // tags and supplementary variation selectors
		return true
	}
	return false
}

// Clip bounds s to so many characters, the last of which is then an ellipsis.
func Clip(s string, characters int) string {
	runes := []rune(s)
	if len(runes) <= characters {
		return s
	}
	return strings.TrimRightFunc(string(runes[:max(characters-1, 0)]), unicode.IsSpace) + "…"
}

// ClipBytes bounds s to so many bytes with the ellipsis at its end, and cuts between two characters.
func ClipBytes(s string, bytes int) string {
	if len(s) <= bytes {
		return s
	}
	return strings.TrimRightFunc(prefix(s, bytes-len("…")), unicode.IsSpace) + "…"
}

// Line returns s as one line of at most max bytes, cut with an ellipsis.
func Line(s string, max int) string {
	return ClipBytes(strings.Join(strings.Fields(Text(s)), " "), max)
}

// Head returns the first lines of the plain text of s, at most max bytes with the note that the rest was left out.
func Head(s string, max int) string {
	s = strings.Trim(Text(s), "\n")
	if len(s) <= max {
		return s
	}
	const note = "\n[… the rest is left out]"
	s = prefix(s, max-len(note))
	if i := strings.LastIndexByte(s, '\n'); i > len(s)/2 {
		s = s[:i]
	}
	return s + note
}

// Tail returns the last lines of the plain text of s, at most lines and max bytes with the note that the start was
// left out.
func Tail(s string, lines, max int) string {
	s = strings.Trim(Text(s), "\n")
	whole := len(s)
	for i, seen := len(s), 0; i > 0; {
		i = strings.LastIndexByte(s[:i], '\n')
		if seen++; seen == lines && i >= 0 {
			s = s[i+1:]
			break
		}
	}
	const note = "[… the start is left out]\n"
	if room := max - len(note); len(s) > max {
		s = suffix(s, room)
		if i := strings.IndexByte(s, '\n'); i >= 0 && i < len(s)/2 {
			s = s[i+1:]
		}
	}
	if len(s) == whole {
		return s
	}
	if len(s)+len(note) > max {
		s = suffix(s, max-len(note))
	}
	return note + s
}

// prefix cuts s to at most n bytes without splitting a character.
func prefix(s string, n int) string {
	if n <= 0 {
		return ""
	}
	if n >= len(s) {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// suffix keeps at most the last n bytes of s without splitting a character.
func suffix(s string, n int) string {
	if n <= 0 {
		return ""
	}
	if n >= len(s) {
		return s
	}
	i := len(s) - n
	for i < len(s) && !utf8.RuneStart(s[i]) {
		i++
	}
	return s[i:]
}
