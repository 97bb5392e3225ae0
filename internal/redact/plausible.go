package redact

import (
	"bytes"
	"math"
	"strings"
	"unicode"
)

// entropy is the Shannon entropy of b in bits per byte.
func entropy(b []byte) float64 {
	if len(b) == 0 {
		return 0
	}
	var counts [256]int
	for _, c := range b {
		counts[c]++
	}
	bits := 0.0
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(b))
			bits -= p * math.Log2(p)
		}
	}
	return bits
}

// isRandom reports whether b looks random rather than written: letters and digits or both cases mixed, few repeats.
func isRandom(b []byte) bool {
	c := classesOf(b)
	return c.letters() > 0 && c.digits > 0 && entropy(b) >= 3 ||
		c.lower > 4 && c.upper > 4 && len(b) >= 24 && entropy(b) >= 4
}

type classes struct{ lower, upper, digits, symbols, digitRuns int }

func (c classes) letters() int { return c.lower + c.upper }

func classesOf(b []byte) classes {
	var out classes
	inDigits := false
	for _, c := range b {
		isDigit := '0' <= c && c <= '9'
		switch {
		case isDigit:
			out.digits++
			if !inDigits {
				out.digitRuns++
			}
		case 'a' <= c && c <= 'z':
			out.lower++
		case 'A' <= c && c <= 'Z':
			out.upper++
		default:
			out.symbols++
		}
		inDigits = isDigit
	}
	return out
}

// isPlaceholder recognises placeholders for a secret: a variable, a template, a mask, our own marker.
func isPlaceholder(value []byte) bool {
	if hasMarker(value) {
		return true
	}
	for _, open := range []string{"$", "{{", "<", "%(", "%s", "%v", "***", "xxx", "XXX", "..."} {
		if bytes.HasPrefix(value, []byte(open)) {
			return true
		}
	}
	return bytes.Count(value, value[:1]) == len(value) || bytes.HasSuffix(value, []byte("EXAMPLE")) || bytes.HasSuffix(value, []byte("EXAMPLEKEY"))
}

// isAssigned judges the value of an assignment to a name like "password". quoted says that it was in quotes; sign is the text
// between name and value, which tells settings (a=b, a: b) from programs (a = b, a := b).
func isAssigned(value []byte, quoted bool, sign string) bool {
	if isPlaceholder(value) {
		return false
	}
	c := classesOf(value)
	switch {
	case isShortNumber(value), isExpression(value, quoted):
		return false
	case quoted:
		return c.letters() > 0 && c.digits > 0 && entropy(value) >= 2.5 ||
			c.lower > 0 && c.upper > 0 && c.symbols > 0 && entropy(value) >= 3 && !isDotted(value)
	case bytes.ContainsAny(value, "()[]{}<>"):
		return false
	case isDotted(value) && strings.HasPrefix(sign, ": "):
		return c.digits > 0 && c.letters() > 0 && entropy(value) >= 3 && bytes.IndexByte(value, '.') < 0
	case isDotted(value) && sign != "=":
		return len(value) >= 16 && c.digitRuns >= 3 && entropy(value) >= 3.3
	default:
		return c.letters() > 0 && c.digits > 0 && entropy(value) >= 2.5
	}
}

// isShortNumber recognises a number in hexadecimal that is too short for a key: 0xc0506617.
func isShortNumber(value []byte) bool {
	digits, found := bytes.CutPrefix(bytes.ReplaceAll(value, []byte("_"), nil), []byte("0x"))
	_, ok := parseHex(digits, 0, min(len(digits), 7))
	return found && ok && len(digits) <= 16
}

// isDotted reports whether value reads like a name in a program: identifiers joined by dots, slashes or dashes.
func isDotted(value []byte) bool {
	for _, r := range string(value) {
		if r != '_' && r != '.' && r != '/' && r != '-' && r != ':' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return false
		}
	}
	return !unicode.IsDigit(rune(value[0]))
}
