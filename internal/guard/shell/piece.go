package shell

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// pieces expands the parts of a word. The body of a here-document obeys the rules of double quotes, except for the
// quotes themselves.
func (r *Run) pieces(s *scope, parts []syntax.WordPart, document bool) []piece {
	found := make([]piece, 0, len(parts))
	for i, part := range parts {
		switch part := part.(type) {
		case *syntax.Lit:
			switch {
			case document:
				found = append(found, piece{texts: one(unescapeQuoted(part.Value, "$`\\")), quoted: true})
			case i == 0:
				found = append(found, piece{texts: one(home(unescape(part.Value), part.Value)), quoted: true})
			default:
				found = append(found, piece{texts: one(unescape(part.Value)), quoted: true})
			}
		case *syntax.SglQuoted:
			found = append(found, piece{texts: one(singleQuoted(part)), quoted: true})
		case *syntax.DblQuoted:
			found = append(found, r.doubleQuoted(s, part.Parts)...)
		case *syntax.ParamExp:
			p := r.parameter(s, part)
			p.quoted = document
			found = append(found, p)
		case *syntax.CmdSubst:
			found = append(found, piece{texts: r.substitution(s, part.Stmts), quoted: document})
		case *syntax.ProcSubst:
			if len(part.Stmts) == 0 { // for bash this is nothing at all
				found = append(found, piece{texts: one("")})
				continue
			}
			found = append(found, piece{texts: one(r.keepProcess(r.process(s, part))), quoted: true})
		case *syntax.ArithmExp:
			r.arithmetic(s, part.X)
			found = append(found, piece{texts: one(atom), quoted: true})
		default: // extended globs
			found = append(found, piece{texts: one(star), quoted: true})
		}
	}
	return found
}

// doubleQuoted joins what stands between double quotes into one piece, unless "$@" or its kin makes words of it.
func (r *Run) doubleQuoted(s *scope, parts []syntax.WordPart) []piece {
	var b builder
	var found []piece
	for _, part := range parts {
		switch part := part.(type) {
		case *syntax.Lit:
			b.add(one(unescapeQuoted(part.Value, "$`\"\\")))
		case *syntax.ParamExp:
			p := r.parameter(s, part)
			if p.list != nil && !starred(part) {
				found = append(found, piece{texts: b.done(), quoted: true}, p)
				b = builder{}
				continue
			}
			if p.list != nil {
				p.texts = one(joined(p.list))
			}
			b.add(p.texts.each(Text.held))
		case *syntax.CmdSubst:
			b.add(r.substitution(s, part.Stmts).each(Text.held))
		case *syntax.ArithmExp:
			r.arithmetic(s, part.X)
			b.add(one(atom))
		default:
			b.add(one(something))
		}
	}
	r.charge(b.pending.Len())
	if len(found) > 0 && len(parts) == 1 {
		return found[1:]
	}
	return append(found, piece{texts: b.done(), quoted: true})
}

// starred reports whether an expansion is "$*" or "${a[*]}", which stays one word between double quotes.
func starred(p *syntax.ParamExp) bool {
	if p.Param != nil && p.Param.Value == "*" {
		return true
	}
	w, ok := p.Index.(*syntax.Word)
	return ok && w.Lit() == "*"
}

// braces expands brace expressions into the words they stand for.
func (r *Run) braces(parts []syntax.WordPart) [][]syntax.WordPart {
	words := [][]syntax.WordPart{nil}
	for _, part := range parts {
		brace, ok := part.(*syntax.BraceExp)
		if !ok {
			for i := range words {
				words[i] = append(words[i][:len(words[i]):len(words[i])], part)
			}
			continue
		}
		var next [][]syntax.WordPart
		elements := r.elements(brace)
		for _, word := range words {
			for _, element := range elements {
				next = append(next, append(word[:len(word):len(word)], element...))
			}
		}
		if len(next) > maxAlternatives {
			r.Refuse(Complex, "a brace expression stands for too many words; write them out")
			return nil
		}
		words = next
	}
	return words
}

// elements are the alternatives of one brace expression; of a sequence nothing but an unknown word is kept.
func (r *Run) elements(brace *syntax.BraceExp) [][]syntax.WordPart {
	if brace.Sequence {
		return [][]syntax.WordPart{{&syntax.ExtGlob{Op: syntax.GlobZeroOrMore, Pattern: &syntax.Lit{}}}}
	}
	var found [][]syntax.WordPart
	for _, element := range brace.Elems {
		found = append(found, r.braces(element.Parts)...)
	}
	return found
}

// home replaces a leading tilde, which names a folder that is not known here.
func home(t Text, raw string) Text {
	if !strings.HasPrefix(raw, "~") {
		return t
	}
	if i := strings.IndexByte(string(t), '/'); i >= 0 {
		return atom + t[i:]
	}
	return atom
}

// unescape resolves the backslashes of an unquoted literal and marks its globs.
func unescape(s string) Text {
	if !strings.ContainsAny(s, `\*?[`) {
		return Text(s)
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			if i++; i < len(s) && s[i] != '\n' {
				b.WriteByte(s[i])
			}
		case '*':
			b.WriteString(star)
		case '?':
			b.WriteString(question)
		case '[':
			b.WriteString(bracket(s[i:]))
		default:
			b.WriteByte(s[i])
		}
	}
	return Text(b.String())
}

// bracket is a glob only if it is closed: the command named [ is none.
func bracket(rest string) string {
	if strings.IndexByte(rest, ']') > 1 {
		return class
	}
	return "["
}

// unescapeQuoted resolves the backslashes that have a meaning between double quotes.
func unescapeQuoted(s, special string) Text {
	if !strings.Contains(s, `\`) {
		return Text(s)
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			if s[i+1] == '\n' {
				i++
				continue
			}
			if strings.IndexByte(special, s[i+1]) >= 0 {
				i++
			}
		}
		b.WriteByte(s[i])
	}
	return Text(b.String())
}

func singleQuoted(part *syntax.SglQuoted) Text {
	if !part.Dollar {
		return Text(part.Value)
	}
	return escapes(part.Value, true)
}

// escapes resolves the escapes of $'…', and with quoting off those of echo -e and printf.
func escapes(s string, quoting bool) Text {
	if !strings.Contains(s, `\`) {
		return Text(s)
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		width := 0
		switch c := s[i]; c {
		case 'n', 't', 'r', 'a', 'b', 'f', 'v', 'e', 'E':
			b.WriteByte("\n\t\r\a\b\f\v\x1b\x1b"[strings.IndexByte("ntrabfveE", c)])
			continue
		case 'x':
			width = 2
		case 'u':
			width = 4
		case 'U':
			width = 8
		case 'c':
			i++
			b.WriteString(something)
			continue
		case '0', '1', '2', '3', '4', '5', '6', '7':
			digits := span(s[i:], "01234567", octalWidth(c, quoting))
			code, _ := strconv.ParseUint(digits, 8, 16) // digits are octal and few
			writeByte(&b, byte(code))
			i += len(digits) - 1
			continue
		default:
			if !quoting && c != '\\' {
				b.WriteByte('\\')
			}
			b.WriteByte(c)
			continue
		}
		digits := span(s[i+1:], "0123456789abcdefABCDEF", width)
		code, _ := strconv.ParseUint(digits, 16, 32) // digits are hexadecimal and few
		if width == 2 {
			writeByte(&b, byte(code))
		} else {
			b.WriteRune(rune(code))
		}
		i += len(digits)
	}
	return Text(b.String())
}

// octalWidth: echo -e writes \0 and up to three more digits, the others three in all.
func octalWidth(first byte, quoting bool) int {
	if first == '0' && !quoting {
		return 4
	}
	return 3
}

func span(s, set string, most int) string {
	n := 0
	for n < len(s) && n < most && strings.IndexByte(set, s[n]) >= 0 {
		n++
	}
	return s[:n]
}

// writeByte writes a decoded byte; one that would be mistaken for something unknown is something unknown.
func writeByte(b *strings.Builder, c byte) {
	if c <= atom[0] {
		b.WriteString(something)
		return
	}
	b.WriteByte(c)
}
