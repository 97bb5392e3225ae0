package plan

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// byteOrderMark may begin the file and is kept.
const byteOrderMark = "\uFEFF"

// legible reports what makes a file unreadable. Parse then does not look for steps, because they could be wrong.
func legible(text []byte, r *report) {
	if len(text) > MaxBytes {
		r.add(ErrTooLarge, 0, fmt.Sprintf("the plan has %d bytes, at most %d are read", len(text), MaxBytes), "move what is not a step into files of its own")
		return
	}
	if at := invalidByte(text); at >= 0 {
		r.add(ErrNotText, lineAt(text, at), fmt.Sprintf("byte %d is not valid UTF-8", at), "save the file as UTF-8")
	}
	if at := bytes.IndexByte(text, 0); at >= 0 {
		r.add(ErrNotText, lineAt(text, at), fmt.Sprintf("byte %d is NUL", at), "remove it")
	}
	if at := loneReturn(text); at >= 0 {
		r.add(ErrNotText, lineAt(text, at), "the line contains a carriage return, which Markdown takes for the end of a line", "end lines with LF or CRLF")
	}
	if r.found() {
		return
	}
	number := 0
	for line := range bytes.Lines(text) {
		number++
		if strings.IndexByte(conflictMarks, line[0]) >= 0 && isConflict(string(line)) {
			r.add(ErrConflict, number, quote(strings.TrimRight(string(line), "\r\n"))+" is a conflict marker", "keep what should stay and remove the markers; indent a line that is no marker")
		}
	}
}

// conflictMarks are what conflict markers are made of.
const conflictMarks = "<>|"

// isConflict reports a line that git writes around the sides of a conflict. It ignores the line between the sides, which
// also underlines headings and never comes alone.
func isConflict(line string) bool {
	const width = 7
	if len(line) < width || strings.IndexByte(conflictMarks, line[0]) < 0 || line[:width] != strings.Repeat(line[:1], width) {
		return false
	}
	return len(line) == width || strings.IndexByte(" \r\n", line[width]) >= 0
}

func invalidByte(text []byte) int {
	if utf8.Valid(text) {
		return -1
	}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

func loneReturn(text []byte) int {
	for i, c := range text {
		if c == '\r' && (i+1 == len(text) || text[i+1] != '\n') {
			return i
		}
	}
	return -1
}

func lineAt(text []byte, offset int) int { return 1 + bytes.Count(text[:offset], []byte{'\n'}) }
