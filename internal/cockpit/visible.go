package cockpit

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/stellwerk-dev/stellwerk/internal/plain"
)

// visible replaces characters that a browser would hide, or that change the order of
// others: control characters, and those that turn the direction of writing. It works
// on whole pages, so that no place is forgotten. Values of form fields keep their
// characters, so that what is sent back is what was shown.
func visible(page []byte) []byte {
	if !bytes.ContainsFunc(page, hidden) {
		return page
	}
	shown := func(r rune) rune {
		if hidden(r) {
			return utf8.RuneError
		}
		return r
	}
	var out bytes.Buffer
	out.Grow(len(page))
	for len(page) > 0 {
		begin, end := sentBack(page)
		out.Write(bytes.Map(shown, page[:begin]))
		refer(&out, page[begin:end])
		page = page[end:]
	}
	return out.Bytes()
}

// sentBack finds the next value of a form field in a page. In pages <, > and " stand
// for themselves in tags only.
func sentBack(page []byte) (begin, end int) {
	value := []byte(` value="`)
	for at := 0; ; {
		open := bytes.IndexByte(page[at:], '<')
		shut := bytes.IndexByte(page[at+max(0, open):], '>')
		if open < 0 || shut < 0 {
			return len(page), len(page)
		}
		at += open
		tag := page[at : at+shut]
		if i := bytes.LastIndex(tag, value); i >= 0 {
			begin = at + i + len(value)
			return begin, begin + max(0, bytes.IndexByte(page[begin:], '"'))
		}
		at += shut + 1
		if bytes.HasPrefix(tag, []byte("<textarea")) {
			return at, at + max(0, bytes.IndexByte(page[at:], '<'))
		}
	}
}

// refer writes hidden characters as numeric references. Browsers read some numbers as
// other characters (those of Windows), so these are left as they are.
func refer(out *bytes.Buffer, text []byte) {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if hidden(r) && (r < 0x7f || r > 0x9f) {
			fmt.Fprintf(out, "&#%d;", r)
		} else {
			out.Write(text[:size])
		}
		text = text[size:]
	}
}

// hidden reports what [plain.Hidden] does, and letters without a shape, which source
// text can be named by. A carriage return is white space to a browser.
func hidden(r rune) bool {
	switch r {
	case '\r':
		return false
	case 0x115f, 0x1160, 0x3164, 0xffa0:
		return true
	}
	return plain.Hidden(r)
}
