package wave

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// cut shortens prose to at most most characters, at a word where there is one, and ends it with how much is missing and
// which document has it. It returns how many characters went; 0 if the text fits.
func cut(text string, most int, whole string) (string, int) {
	length := utf8.RuneCountInString(text)
	if length <= most {
		return text, 0
	}
	kept := firstRunes(text, most-utf8.RuneCountInString(cutNote(text, length, whole)))
	if at := strings.LastIndexFunc(kept, unicode.IsSpace); at > len(kept)/2 {
		kept = kept[:at]
	}
	kept = strings.TrimRightFunc(kept, unicode.IsSpace)
	gone := length - utf8.RuneCountInString(kept)
	return kept + cutNote(text, gone, whole), gone
}

// cutNote stands where text was cut: below it where it has lines, else behind it.
func cutNote(text string, gone int, whole string) string {
	before := " "
	if strings.Contains(text, "\n") {
		before = "\n\n"
	}
	return fmt.Sprintf("%s[… %d more characters; the whole text is in %s]", before, gone, whole)
}

// firstRunes are the first n characters of text.
func firstRunes(text string, n int) string {
	for at := range text {
		if n == 0 {
			return text[:at]
		}
		n--
	}
	return text
}
