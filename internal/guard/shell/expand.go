package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// piece is a stretch of a word.
type piece struct {
	texts  alternatives
	list   []Text // instead of texts: "$@" and its kin, one word each
	quoted bool   // not split into words
}

// words expands a word into the argument lists it may become.
func (r *Run) words(s *scope, w *syntax.Word) [][]Text {
	if t, ok := verbatim(w); ok {
		return [][]Text{{t}}
	}
	if quoted, ok := w.Parts[0].(*syntax.DblQuoted); ok && len(w.Parts) == 1 {
		found := r.doubleQuoted(s, quoted.Parts)
		if len(found) == 1 && found[0].list == nil {
			return single(found[0].texts)
		}
		return split(found, s.separators())
	}
	if !syntax.SplitBraces(w) && !hasBraces(w) {
		return split(r.pieces(s, w.Parts, false), s.separators())
	}
	lists := [][]Text{nil}
	for _, plainWord := range r.braces(w.Parts) {
		var next [][]Text
		for _, fields := range split(r.pieces(s, plainWord, false), s.separators()) {
			for _, list := range lists {
				next = append(next, append(list[:len(list):len(list)], fields...))
			}
		}
		if len(next) > maxAlternatives {
			return [][]Text{{anything}}
		}
		lists = next
	}
	return lists
}

// hasBraces reports a word whose brace expressions were found when it was looked at before.
func hasBraces(w *syntax.Word) bool {
	return slices.ContainsFunc(w.Parts, func(part syntax.WordPart) bool {
		_, ok := part.(*syntax.BraceExp)
		return ok
	})
}

// text expands a word where the shell does not split it: an assignment, a redirection's target, a here-string.
func (r *Run) text(s *scope, w *syntax.Word) alternatives {
	if w == nil {
		return one("")
	}
	if t, ok := verbatim(w); ok {
		return one(t)
	}
	return r.concatenated(r.pieces(s, w.Parts, false), func(t Text) Text { return t.held().unglobbed() })
}

// concatenated makes one text of the pieces of an expansion, each of them changed unless it is a list.
func (r *Run) concatenated(pieces []piece, change func(Text) Text) alternatives {
	var b builder
	for _, p := range pieces {
		if p.list != nil {
			b.add(one(joined(p.list)))
			continue
		}
		b.add(p.texts.each(change))
	}
	r.charge(b.pending.Len())
	return b.done()
}

// document expands the body of a here-document.
func (r *Run) document(s *scope, redirect *syntax.Redirect) alternatives {
	if redirect.Hdoc == nil {
		return one("")
	}
	if quotedDelimiter(redirect.Word) {
		var b strings.Builder
		for _, part := range redirect.Hdoc.Parts {
			if lit, ok := part.(*syntax.Lit); ok {
				b.WriteString(lit.Value)
			}
		}
		return one(Text(b.String()))
	}
	return r.concatenated(r.pieces(s, redirect.Hdoc.Parts, true), Text.held)
}

func quotedDelimiter(w *syntax.Word) bool {
	return slices.ContainsFunc(w.Parts, func(part syntax.WordPart) bool {
		lit, ok := part.(*syntax.Lit)
		return !ok || strings.Contains(lit.Value, `\`)
	})
}

func joined(list []Text) Text { return Join(list).held() }

// single makes one word of each text.
func single(texts alternatives) [][]Text {
	lists := make([][]Text, len(texts))
	for i := range texts {
		lists[i] = texts[i : i+1 : i+1]
	}
	return lists
}

// split makes words of the pieces of an expansion as the shell does.
func split(pieces []piece, splitters string) [][]Text {
	if t, ok := whole(pieces, splitters); ok {
		return [][]Text{{t}}
	}
	found := []fieldList{{}}
	for _, p := range pieces {
		if p.list != nil {
			for i := range found {
				found[i].addList(p.list)
			}
			continue
		}
		if len(found)*len(p.texts) > maxAlternatives {
			return [][]Text{{anything}}
		}
		var next []fieldList
		for _, f := range found {
			for _, t := range p.texts {
				copied := f
				copied.done = slices.Clip(f.done)
				switch {
				case p.quoted:
					copied.add(t, true)
				case splitters == "" && t != "":
					copied.add(anything, true)
				default:
					copied.split(t, splitters)
				}
				next = append(next, copied)
			}
		}
		found = next
	}
	lists := make([][]Text, len(found))
	for i, f := range found {
		f.end()
		lists[i] = f.done
	}
	return lists
}

// whole is an expansion that is exactly one word.
func whole(pieces []piece, splitters string) (Text, bool) {
	if len(pieces) != 1 || pieces[0].list != nil || len(pieces[0].texts) != 1 {
		return "", false
	}
	t := pieces[0].texts[0]
	return t, t != "" && (pieces[0].quoted || splitters != "" && !strings.ContainsAny(string(t), splitters+"*?["))
}

// blanks separate words unless the line says otherwise.
const blanks = " \t\n"

// separators are the characters at which words are split, "" if they are not known.
func (s *scope) separators() string {
	set, ok := s.variables.get("IFS")
	switch {
	case !ok && !s.blind && !s.loaded:
		return blanks
	case len(set.values) == 1 && set.values[0].Known() && !s.blind:
		return string(set.values[0])
	}
	return ""
}

// verbatim returns a word that nothing expands.
func verbatim(w *syntax.Word) (Text, bool) {
	if len(w.Parts) != 1 {
		return "", false
	}
	switch part := w.Parts[0].(type) {
	case *syntax.Lit:
		special := strings.ContainsAny(part.Value, `\*?{~`) || strings.Contains(part.Value, "[") && part.Value != "["
		return Text(part.Value), !special
	case *syntax.SglQuoted:
		return Text(part.Value), !part.Dollar
	case *syntax.DblQuoted:
		if len(part.Parts) == 0 {
			return "", true
		}
		if lit, ok := part.Parts[0].(*syntax.Lit); ok && len(part.Parts) == 1 {
			return Text(lit.Value), !strings.Contains(lit.Value, `\`)
		}
	}
	return "", false
}

// fieldList grows word by word.
type fieldList struct {
	done    []Text
	current Text
	open    bool // current is a word even if it is empty
}

func (f *fieldList) add(t Text, open bool) {
	f.current += t
	f.open = f.open || open || t != ""
}

func (f *fieldList) end() {
	if f.open {
		f.done = append(f.done, f.current)
	}
	f.current, f.open = "", false
}

func (f *fieldList) split(t Text, separators string) {
	rest := string(t)
	for {
		i := strings.IndexAny(rest, separators)
		if i < 0 {
			f.add(globbed(rest), false)
			return
		}
		f.add(globbed(rest[:i]), false)
		f.end()
		rest = rest[i+1:]
	}
}

func (f *fieldList) addList(list []Text) {
	for i, t := range list {
		if i > 0 {
			f.end()
		}
		f.add(t, true)
	}
}

// globbed marks the glob characters of an unquoted expansion.
func globbed(s string) Text {
	if !strings.ContainsAny(s, "*?[") {
		return Text(s)
	}
	s = strings.ReplaceAll(s, "*", star)
	s = strings.ReplaceAll(s, "?", question)
	return Text(strings.ReplaceAll(s, "[", class))
}

// builder concatenates alternatives without copying a long text once per piece.
type builder struct {
	finished alternatives
	pending  strings.Builder
}

func (b *builder) add(a alternatives) {
	switch {
	case b.pending.Len() > maxLine: // longer than any command line may be
	case len(a) == 1:
		b.pending.WriteString(string(a[0]))
	default:
		b.finished = b.done().then(a)
		b.pending.Reset()
	}
}

func (b *builder) done() alternatives {
	if b.pending.Len() > maxLine {
		return unresolved()
	}
	tail := one(Text(b.pending.String()))
	if b.finished == nil {
		return tail
	}
	return b.finished.then(tail)
}
