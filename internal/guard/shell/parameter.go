package shell

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// parameter expands $x, ${x…} and their kin. What it cannot work out is unknown, never guessed.
func (r *Run) parameter(s *scope, p *syntax.ParamExp) piece {
	if p.Length || p.Width || p.IsSet {
		return piece{texts: one(atom)}
	}
	if p.Param == nil || p.Names != 0 || p.Flags != nil || len(p.Modifiers) > 0 {
		r.within(s, p, nil)
		return piece{texts: unresolved()}
	}
	name := p.Param.Value
	if p.Excl {
		return r.indirect(s, p)
	}
	if list, ok := r.list(s, p); ok {
		if p.Slice != nil || p.Repl != nil || p.Exp != nil {
			r.within(s, p, nil)
			return piece{texts: unresolved()}
		}
		return piece{list: list}
	}
	v := r.value(s, name)
	if p.Index != nil {
		v = r.element(s, s.lookup(name), p.Index)
	}
	switch {
	case p.Slice != nil:
		return piece{texts: r.slice(s, v, p.Slice)}
	case p.Repl != nil:
		return piece{texts: r.replace(s, v, p.Repl)}
	case p.Exp != nil:
		return piece{texts: r.operate(s, name, v, p.Exp)}
	}
	return piece{texts: v}
}

// value is a variable or a positional parameter.
func (r *Run) value(s *scope, name string) alternatives {
	if name[0] < '1' || name[0] > '9' {
		return s.lookup(name).values
	}
	n, err := strconv.Atoi(name)
	switch {
	case s.arguments == nil || err != nil:
		return unresolved()
	case n <= len(s.arguments):
		return one(s.arguments[n-1])
	}
	return one("")
}

// list is the value of $@, $*, ${a[@]} and ${a[*]}.
func (r *Run) list(s *scope, p *syntax.ParamExp) ([]Text, bool) {
	if name := p.Param.Value; name == "@" || name == "*" {
		if s.arguments == nil {
			return []Text{anything}, true
		}
		return append([]Text{}, s.arguments...), true
	}
	w, ok := p.Index.(*syntax.Word)
	if !ok {
		return nil, false
	}
	if index := w.Lit(); index != "@" && index != "*" {
		return nil, false
	}
	v := s.lookup(p.Param.Value)
	switch {
	case v.list != nil:
		return append([]Text{}, v.list...), true
	case len(v.values) == 1:
		return []Text{v.values[0]}, true
	}
	return []Text{anything}, true
}

// element is one element of an array.
func (r *Run) element(s *scope, whole variable, index syntax.ArithmExpr) alternatives {
	n, ok := r.number(s, index)
	switch {
	case !ok || n < 0:
		return unresolved()
	case n < len(whole.list):
		return one(whole.list[n])
	case n == 0:
		return whole.values
	}
	return unresolved()
}

// indirect expands ${!x}.
func (r *Run) indirect(s *scope, p *syntax.ParamExp) piece {
	if p.Index != nil || p.Slice != nil || p.Repl != nil || p.Exp != nil {
		r.within(s, p, nil)
		return piece{texts: unresolved()}
	}
	var found alternatives
	for _, name := range r.value(s, p.Param.Value) {
		if !name.Known() {
			return piece{texts: unresolved()}
		}
		found = found.with(r.value(s, string(name)))
	}
	return piece{texts: found}
}

func (r *Run) slice(s *scope, v alternatives, slice *syntax.Slice) alternatives {
	offset, okOffset := r.number(s, slice.Offset)
	length, okLength := r.number(s, slice.Length)
	if !okOffset || !okLength || offset < 0 || length < 0 {
		return unresolved()
	}
	return v.eachKnown(func(t string) string {
		from := min(offset, len(t))
		if slice.Length == nil {
			return t[from:]
		}
		return t[from:min(from+length, len(t))]
	})
}

// number reads a literal number; a missing one is zero.
func (r *Run) number(s *scope, x syntax.ArithmExpr) (int, bool) {
	if x == nil {
		return 0, true
	}
	r.within(s, x, nil)
	w, ok := x.(*syntax.Word)
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(strings.TrimSpace(w.Lit()))
	return n, err == nil
}

func (r *Run) replace(s *scope, v alternatives, replace *syntax.Replace) alternatives {
	old, with := r.text(s, replace.Orig), r.text(s, replace.With)
	if len(old) != 1 || len(with) != 1 || !old[0].Known() || !with[0].Known() || strings.IndexAny(string(old[0]), "#%") == 0 || old[0] == "" {
		return unresolved()
	}
	times := 1
	if replace.All {
		times = -1
	}
	return v.eachKnown(func(t string) string { return strings.Replace(t, string(old[0]), string(with[0]), times) })
}

// operate applies the operators after a name: defaults, trimming, case.
func (r *Run) operate(s *scope, name string, v alternatives, x *syntax.Expansion) alternatives {
	word := r.text(s, x.Word)
	switch x.Op {
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		return one("").with(word)
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull:
		return s.defaulted(name, v, word)
	case syntax.AssignUnset, syntax.AssignUnsetOrNull:
		result := s.defaulted(name, v, word)
		r.assign(s, name, scalar(result))
		return result
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		return v
	case syntax.RemSmallPrefix, syntax.RemLargePrefix:
		return trim(v, word, strings.TrimPrefix)
	case syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		return trim(v, word, strings.TrimSuffix)
	case syntax.UpperAll, syntax.LowerAll:
		if len(word) != 1 || word[0] != "" {
			return unresolved()
		}
		if x.Op == syntax.UpperAll {
			return v.eachKnown(strings.ToUpper)
		}
		return v.eachKnown(strings.ToLower)
	case syntax.OtherParamOps:
		if len(word) == 1 && word[0] == "P" {
			r.prompt(v)
		}
	default:
	}
	return unresolved()
}

// prompt judges ${x@P}, which runs the substitutions inside a value.
func (r *Run) prompt(v alternatives) {
	for _, t := range v {
		if !t.Known() || strings.ContainsAny(string(t), "$`") {
			r.Refuse(Unresolved, "${…@P} runs the code inside a variable, which cannot be seen here; write the command out")
		}
	}
}

// defaulted is ${x:-word}. The line does not decide what the environment holds, so only the default counts for a variable that
// the line does not set.
func (s *scope) defaulted(name string, v, word alternatives) alternatives {
	_, set := s.variables.get(name)
	switch {
	case s.free(name):
		return word
	case set && !slices.ContainsFunc(v, func(t Text) bool { return t == "" || !t.Known() }):
		return v
	}
	return v.with(word)
}

func trim(v, pattern alternatives, cut func(s, part string) string) alternatives {
	if len(pattern) != 1 || !pattern[0].Known() {
		return unresolved()
	}
	return v.eachKnown(func(t string) string { return cut(t, string(pattern[0])) })
}
