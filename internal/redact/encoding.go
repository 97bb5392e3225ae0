package redact

import (
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
)

// pattern is one form of a secret, in the shape that views have: without line breaks and the indentation after them.
type pattern struct {
	name string
	head []byte // what the automaton looks for: the first bytes
	rest []byte // what must follow
	// mixedBefore and mixedAfter say that the neighbouring base64 digit holds bits of the secret beside bits of its
	// surroundings.
	mixedBefore, mixedAfter bool
	hasBreaks               bool // the value itself has several lines
}

func (p *pattern) size() int { return len(p.head) + len(p.rest) }

// headLength bounds the automaton: a secret of any length adds at most this many states per form.
const headLength = 32

func newPattern(name, text string) pattern {
	flat := []byte(text)
	cut := min(len(flat), headLength)
	return pattern{name: name, head: flat[:cut], rest: flat[cut:]}
}

// patternsOf lists every form in which the redactor looks for a secret, except escaped and percent-encoded forms, which
// views undo.
func patternsOf(s Secret) []pattern {
	var v view
	v.unwrapSource([]byte(s.Value))
	flat := string(v.text)
	raw := newPattern(s.Name, flat)
	raw.hasBreaks = flat != s.Value
	out := []pattern{raw}
	for _, value := range distinct(s.Value, strings.ReplaceAll(s.Value, "\n", "\r\n")) {
		for shift := range 3 {
			out = append(out, base64Pattern(s.Name, base64.RawStdEncoding, value, shift),
				base64Pattern(s.Name, base64.RawURLEncoding, value, shift))
		}
		lower := hex.EncodeToString([]byte(value))
		out = append(out, newPattern(s.Name, lower), newPattern(s.Name, strings.ToUpper(lower)))
	}
	for _, line := range keyLines(s.Value) {
		out = append(out, newPattern(s.Name, line))
	}
	return dedupe(out)
}

// base64Pattern is the part of value's encoding that does not depend on its surroundings when shift bytes (modulo
// three) precede it.
func base64Pattern(name string, enc *base64.Encoding, value string, shift int) pattern {
	text := enc.EncodeToString([]byte(strings.Repeat("\x00", shift) + value))
	bits := 8 * (shift + len(value))
	first, last := (8*shift+5)/6, bits/6
	p := newPattern(name, text[first:last])
	p.mixedBefore = shift != 0
	p.mixedAfter = bits%6 != 0
	return p
}

// keyLines are the lines of a value that are secret by themselves: those of a private key, not those of the document
// that holds it.
func keyLines(value string) []string {
	const least = 32
	var out []string
	lines := strings.Split(value, "\n")
	if len(lines) == 1 {
		return nil
	}
	for _, line := range lines {
		line = strings.TrimSpace(line)
		if len(line) >= least && !strings.ContainsAny(line, " \t") && entropy([]byte(line)) >= 3.5 {
			out = append(out, line)
		}
	}
	return out
}

// distinct are the values in order, each once.
func distinct(values ...string) []string {
	slices.Sort(values)
	return slices.Compact(values)
}

func dedupe(in []pattern) []pattern {
	var out []pattern
	seen := map[string]int{}
	for _, p := range in {
		text := string(p.head) + string(p.rest)
		if i, dup := seen[text]; dup {
			out[i].mixedBefore = out[i].mixedBefore || p.mixedBefore
			out[i].mixedAfter = out[i].mixedAfter || p.mixedAfter
			continue
		}
		seen[text] = len(out)
		out = append(out, p)
	}
	return out
}
