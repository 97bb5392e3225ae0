package core

import (
	"strings"
	"unicode"
)

// Plain is a text by which the same words are recognised, however they are
// spaced, capitalised or ended.
func Plain(text string) string { return strings.TrimRight(joined(text, ' '), "?!. ") }

// FactKey is the one form of a fact's key: small letters, and no space in it.
func FactKey(key string) string { return joined(key, '_') }

// joined is the words of a text in small letters, with one letter between them.
func joined(text string, between byte) string {
	var b strings.Builder
	b.Grow(len(text))
	gap := false
	for _, r := range text {
		if unicode.IsSpace(r) {
			gap = b.Len() > 0
			continue
		}
		if gap {
			b.WriteByte(between)
			gap = false
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
