package core

import "strings"

// Plain is a text by which the same words are recognised, however they are
// spaced, capitalised or ended.
func Plain(text string) string {
	return strings.TrimRight(strings.Join(strings.Fields(strings.ToLower(text)), " "), "?!. ")
}

// FactKey is the one form of a fact's key: small letters, and no space in it.
func FactKey(key string) string {
	return strings.Join(strings.Fields(strings.ToLower(key)), "_")
}
