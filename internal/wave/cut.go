package wave

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// cut shortens prose to at most most characters, if possible at a word, and appends a note that says how much is missing and
// which document has it. It returns the number of missing characters.
func cut(text string, most int, whole string) (string, int) {
	length := utf8.RuneCountInString(text)
	if length <= most {
		return text, 0
	}
	kept := string([]rune(text)[:most-utf8.RuneCountInString(cutNote(text, length, whole))])
	if at := strings.LastIndexFunc(kept, unicode.IsSpace); at > len(kept)/2 {
		kept = kept[:at]
	}
	kept = strings.TrimRightFunc(kept, unicode.IsSpace)
	gone := length - utf8.RuneCountInString(kept)
	return kept + cutNote(text, gone, whole), gone
}

// cutNote is appended to text that was cut: as a paragraph if the text has several lines.
func cutNote(text string, gone int, whole string) string {
	before := " "
	if strings.Contains(text, "\n") {
		before = "\n\n"
	}
	return fmt.Sprintf("%s[… %d more characters; the whole text is in %s]", before, gone, whole)
}
