package naming

import (
	"path"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// spelled are Latin letters that do not come apart into a plain letter and its
// marks, and those that German writes with two letters.
var spelled = map[rune]string{
	'ä': "ae", 'ö': "oe", 'ü': "ue", 'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'đ': "d", 'ð': "d", 'þ': "th",
	'ł': "l", 'ħ': "h", 'ŧ': "t", 'ŋ': "ng", 'ı': "i", 'ĸ': "k", 'ə': "e",
}

// spell writes text in small letters that can stand in the name of a branch, a
// run or a project. Latin letters lose their marks, so that they can be typed
// on any keyboard; letters and digits of other scripts stay as they are, since no
// transliteration of them would be recognised by who wrote them. All
// else, what cannot be seen included, becomes a space.
func spell(text string) string {
	var b strings.Builder
	foreign := false // the letter before is of another script, and keeps its marks
	for _, r := range strings.ToLower(norm.NFKC.String(text)) {
		switch {
		case unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Mc, r):
			if foreign && !invisible(r) {
				b.WriteRune(r)
			}
		case unicode.Is(unicode.Latin, r) && unicode.IsLetter(r):
			foreign = false
			b.WriteString(plainLatin(r))
		case (unicode.IsLetter(r) || unicode.IsDigit(r)) && !invisible(r):
			foreign = r > unicode.MaxASCII
			b.WriteRune(r)
		default:
			foreign = false
			b.WriteRune(separator(r))
		}
	}
	return b.String()
}

// separator keeps the two characters that some names have between their words.
func separator(r rune) rune {
	if r == '.' || r == '_' {
		return r
	}
	return ' '
}

func plainLatin(r rune) string {
	if s, ok := spelled[r]; ok {
		return s
	}
	if parts := norm.NFD.PropertiesString(string(r)).Decomposition(); len(parts) > 0 && parts[0] <= unicode.MaxASCII {
		return string(parts[:1])
	}
	return string(r)
}

func invisible(r rune) bool {
	return unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// Project makes a name of where a repository lies: its last part, or that
// before a .git.
func Project(where string) string {
	where = strings.TrimSuffix(strings.TrimRight(where, "/"), ".git")
	_, last, _ := strings.Cut(path.Base(strings.TrimRight(where, "/")), ":") // host:shop
	if last == "" {
		last = path.Base(strings.TrimRight(where, "/"))
	}
	name := strings.Trim(strings.ReplaceAll(spell(last), " ", "-"), "-._")
	name = strings.TrimRight(strings.ToValidUTF8(name[:min(len(name), core.MaxProjectName-8)], ""), "-._")
	if !core.ProjectName(name) {
		return "project"
	}
	return name
}
