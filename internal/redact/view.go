package redact

import (
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

// view is text with one kind of encoding undone. Byte i of it stands for source[from[i]:to[i]].
type view struct {
	text     []byte
	from, to []int32
}

// viewBuffers holds the memory of two views, so that one can be made from the other.
type viewBuffers struct {
	escaped [2]view
	flat    view
}

func (v *view) reset() { v.text, v.from, v.to = v.text[:0], v.from[:0], v.to[:0] }

func (v *view) add(c byte, from, to int32) {
	v.text = append(v.text, c)
	v.from = append(v.from, from)
	v.to = append(v.to, to)
}

// identity makes v the unchanged source.
func (v *view) identity(source []byte) {
	v.reset()
	v.addSource(source, 0, len(source))
}

// addSource adds source[start:end] as it is.
func (v *view) addSource(source []byte, start, end int) {
	v.text = append(v.text, source[start:end]...)
	at := len(v.from)
	v.from = slices.Grow(v.from, end-start)[:at+end-start]
	v.to = slices.Grow(v.to, end-start)[:at+end-start]
	from, to := v.from[at:], v.to[at:]
	for i := range from {
		from[i] = int32(start + i)
		to[i] = int32(start + i + 1)
	}
}

// unwrapSource fills v with source as [view.unwrap] would, without a view of it.
func (v *view) unwrapSource(source []byte) {
	v.reset()
	for i := 0; i < len(source); {
		end := i + breakLength(source[i:])
		if end == i {
			end = nextBreak(source, i)
			v.addSource(source, i, end)
		}
		i = end
	}
}

// unwrap fills v with in, without line breaks and the white space that follows them, so that a value wrapped over
// lines, indented or not, reads as one.
func (v *view) unwrap(in *view) {
	v.reset()
	for i := 0; i < len(in.text); {
		end := i + breakLength(in.text[i:])
		if end == i {
			end = nextBreak(in.text, i)
			v.text = append(v.text, in.text[i:end]...)
			v.from = append(v.from, in.from[i:end]...)
			v.to = append(v.to, in.to[i:end]...)
		}
		i = end
	}
}

func nextBreak(text []byte, at int) int {
	for i, c := range text[at:] {
		if c == '\n' || c == '\r' {
			return at + i
		}
	}
	return len(text)
}

// breakLength is the length of the line break that text begins with and of the white space after it.
func breakLength(text []byte) int {
	if len(text) == 0 || text[0] != '\n' && text[0] != '\r' {
		return 0
	}
	n := 1
	for n < len(text) && (text[n] == ' ' || text[n] == '\t' || text[n] == '\r' || text[n] == '\n') {
		n++
	}
	return n
}

// unescape fills v with in, backslash escapes of JSON and of most programming languages undone. It leaves everything else as
// it is.
func (v *view) unescape(in *view) {
	v.reset()
	var utf [utf8.UTFMax]byte
	for i := 0; i < len(in.text); {
		c := in.text[i]
		if c != '\\' {
			v.add(c, in.from[i], in.to[i])
			i++
			continue
		}
		if isUnfinished(in.text[i:]) {
			break
		}
		r, size, isByte := unescapeOne(in.text[i:])
		from, to := in.from[i], in.to[i+size-1]
		n := 1
		if utf[0] = byte(r); !isByte {
			n = utf8.EncodeRune(utf[:], r)
		}
		for _, c := range utf[:n] {
			v.add(c, from, to)
		}
		i += size
	}
}

// isUnfinished reports whether text, which begins with a backslash or a percent sign, is an escape without its end. A view
// leaves it out, so that it does not separate the text before it from the text to come.
func isUnfinished(text []byte) bool {
	digits := func(from, n int) bool {
		part := text[min(from, len(text)):]
		_, ok := parseHex(part, 0, len(part))
		return len(part) < n && ok
	}
	switch {
	case len(text) == 1:
		return true
	case text[0] == '%':
		return digits(1, 2)
	case text[1] == 'x':
		return digits(2, 2)
	case text[1] != 'u':
		return false
	case digits(2, 4):
		return true
	}
	n, ok := parseHex(text, 2, 4)
	if !ok || !utf16.IsSurrogate(n) {
		return false
	}
	return len(text) == 6 || text[6] == '\\' && (len(text) == 7 || text[7] == 'u' && digits(8, 4))
}

// unescapeOne reads the escape at the beginning of text. isByte says that the result is a byte, not a rune.
func unescapeOne(text []byte) (r rune, size int, isByte bool) {
	if len(text) < 2 {
		return '\\', 1, true
	}
	switch c := text[1]; c {
	case 'n':
		return '\n', 2, true
	case 'r':
		return '\r', 2, true
	case 't':
		return '\t', 2, true
	case 'b':
		return '\b', 2, true
	case 'f':
		return '\f', 2, true
	case 'x':
		if n, ok := parseHex(text, 2, 2); ok {
			return n, 4, true
		}
	case 'u':
		n, ok := parseHex(text, 2, 4)
		if !ok {
			break
		}
		if !utf16.IsSurrogate(n) {
			return n, 6, false
		}
		if low, ok := parseHex(text, 8, 4); ok && text[6] == '\\' && text[7] == 'u' {
			if pair := utf16.DecodeRune(n, low); pair != utf8.RuneError {
				return pair, 12, false
			}
		}
	}
	if c := text[1]; ' ' <= c && c <= '~' && !isAlnum(c) { // a shell may escape any of them
		return rune(c), 2, true
	}
	return '\\', 1, true
}

// percentDecode fills v with in, percent-encoding undone, and with plusIsSpace also that of forms.
func (v *view) percentDecode(in *view, plusIsSpace bool) {
	v.reset()
	for i := 0; i < len(in.text); i++ {
		c := in.text[i]
		if c == '+' && plusIsSpace {
			c = ' '
		}
		if c == '%' {
			if isUnfinished(in.text[i:]) {
				break
			}
			if n, ok := parseHex(in.text, i+1, 2); ok {
				v.add(byte(n), in.from[i], in.to[i+2])
				i += 2
				continue
			}
		}
		v.add(c, in.from[i], in.to[i])
	}
}

func parseHex(text []byte, at, digits int) (rune, bool) {
	if len(text) < at+digits {
		return 0, false
	}
	var n rune
	for _, c := range text[at : at+digits] {
		switch {
		case '0' <= c && c <= '9':
			n = n<<4 | rune(c-'0')
		case 'a' <= c && c <= 'f':
			n = n<<4 | rune(c-'a'+10)
		case 'A' <= c && c <= 'F':
			n = n<<4 | rune(c-'A'+10)
		default:
			return 0, false
		}
	}
	return n, true
}
