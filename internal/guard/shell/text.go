package shell

import (
	"slices"
	"strings"
)

// Text is what is known of a string before the command runs. Six bytes that no command line may contain stand for unknown
// parts; everything else stands for itself.
type Text string

const (
	// Their order matters: see Known, Splits and atoms.
	anything  = "\x00" // any text, which may fall into any number of words, or none
	something = "\x01" // any text that stays within its word
	star      = "\x02" // an unquoted *
	question  = "\x03" // an unquoted ?
	class     = "\x04" // an unquoted [
	atom      = "\x05" // text without spaces or meaning to a shell: a folder, a number, the name of a branch
	unknowns  = anything + something + star + question + class + atom
)

// Unknown is a single word of which nothing is known.
func Unknown() Text { return something }

// Known reports whether the text is exactly what the program will be given.
func (t Text) Known() bool { return !t.has(anything[0], atom[0]) }

// Splits reports whether the text may become no word or several.
func (t Text) Splits() bool { return t.has(anything[0], anything[0]) || t.has(star[0], class[0]) }

// Base returns the last element of a path. It is not ok if that element is not known for certain.
func (t Text) Base() (name string, ok bool) {
	if strings.Contains(string(t), anything) {
		return "", false
	}
	base := t[strings.LastIndexByte(string(t), '/')+1:]
	return string(base), base.Known()
}

// Pattern returns the text in the syntax of path.Match, with every unknown part as a star.
func (t Text) Pattern() string {
	var b strings.Builder
	for i := range len(t) {
		switch c := t[i]; c {
		case anything[0], something[0], atom[0], star[0]:
			b.WriteByte('*')
		case question[0]:
			b.WriteByte('?')
		case class[0]:
			b.WriteByte('[')
		case '\\', '*', '?', '[':
			b.WriteByte('\\')
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// String renders the text for a person; unknown parts are dots.
func (t Text) String() string {
	if t.Known() {
		return string(t)
	}
	var b strings.Builder
	for _, c := range t.unglobbed() {
		if strings.ContainsRune(unknowns, c) {
			c = '…'
		}
		b.WriteRune(c)
	}
	return b.String()
}

// atoms reports whether all that is unknown of the text are atoms.
func (t Text) atoms() bool { return !t.has(anything[0], class[0]) }

// has looks for a byte between two others. It is asked of every word, several times.
func (t Text) has(from, to byte) bool {
	for i := range len(t) {
		if t[i] >= from && t[i] <= to {
			return true
		}
	}
	return false
}

// held returns the text as it stands between double quotes: what is unknown no longer splits.
func (t Text) held() Text {
	if !t.has(anything[0], anything[0]) {
		return t
	}
	return Text(strings.ReplaceAll(string(t), anything, something))
}

// unglobbed returns the text for a place without globbing: the characters of globs stand for themselves.
func (t Text) unglobbed() Text { return t.replaceGlobs("*", "?", "[") }

// matched returns one of the names a glob may have become.
func (t Text) matched() Text { return t.replaceGlobs(something, something, something) }

func (t Text) replaceGlobs(forStar, forQuestion, forClass string) Text {
	if !t.has(star[0], class[0]) {
		return t
	}
	s := strings.ReplaceAll(string(t), star, forStar)
	s = strings.ReplaceAll(s, question, forQuestion)
	return Text(strings.ReplaceAll(s, class, forClass))
}

// maxAlternatives bounds how many different texts are followed for one variable or word.
const maxAlternatives = 64

// alternatives are the texts that a string may be. They are immutable, and never empty, except as an output that does not
// matter.
type alternatives []Text

func one(t Text) alternatives { return alternatives{t} }

func unresolved() alternatives { return alternatives{anything} }

func (a alternatives) with(more alternatives) alternatives {
	if len(a) == 0 {
		return more
	}
	merged := slices.Clone(a)
	for _, t := range more {
		if slices.Contains(merged, t) {
			continue
		}
		if len(merged) == maxAlternatives {
			return unresolved()
		}
		merged = append(merged, t)
	}
	return merged
}

// then is every text of a followed by every text of next.
func (a alternatives) then(next alternatives) alternatives {
	if len(a) == 1 && a[0] == "" {
		return next
	}
	if len(a)*len(next) > maxAlternatives {
		return unresolved()
	}
	joined := make(alternatives, 0, len(a)*len(next))
	for _, left := range a {
		for _, right := range next {
			if len(left)+len(right) > maxLine {
				return unresolved()
			}
			joined = append(joined, left+right)
		}
	}
	return joined
}

// eachKnown changes the texts that are known; the others may become anything.
func (a alternatives) eachKnown(change func(string) string) alternatives {
	return a.each(func(t Text) Text {
		if !t.Known() {
			return anything
		}
		return Text(change(string(t)))
	})
}

func (a alternatives) each(change func(Text) Text) alternatives {
	changed := make(alternatives, len(a))
	for i, t := range a {
		changed[i] = change(t)
	}
	return changed
}
