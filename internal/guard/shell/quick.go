package shell

import "mvdan.cc/sh/v3/syntax"

// indifferent reports a command that neither judge nor shell cares about, so that long scripts are read quickly.
func (r *Run) indifferent(s *scope, call *syntax.CallExpr) bool {
	if s.captured || s.bare || len(call.Assigns) > 0 {
		return false
	}
	t, ok := verbatim(call.Args[0])
	name := string(t)
	if !ok || len(r.functions[name]) > 0 || !r.judge.Ignores(name) {
		return false
	}
	_, alias := r.aliases[name]
	return !alias
}

// effects runs the substitutions within words that do not matter otherwise.
func (r *Run) effects(s *scope, words []*syntax.Word) {
	name := words[0].Lit()
	for _, w := range words {
		if !r.step() {
			return
		}
		if t, ok := verbatim(w); ok {
			if name == "[" || name == "test" {
				r.evaluated(t)
			}
		} else if !still(w.Parts) {
			r.words(s, w)
		}
	}
}

// still reports parts of a word whose expansion changes nothing.
func still(parts []syntax.WordPart) bool {
	for _, part := range parts {
		switch part := part.(type) {
		case *syntax.Lit, *syntax.SglQuoted:
		case *syntax.DblQuoted:
			if !still(part.Parts) {
				return false
			}
		case *syntax.ParamExp:
			if !part.Short {
				return false
			}
		default:
			return false
		}
	}
	return true
}
