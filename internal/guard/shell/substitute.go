package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// substitution runs $(…) and returns what it would print.
func (r *Run) substitution(s *scope, list []*syntax.Stmt) alternatives {
	if len(list) == 0 {
		return one("")
	}
	r.steps += 2 // a shell of its own costs more than a command
	printed := r.statements(s.capture(), list)
	if len(printed) == 1 && !strings.HasSuffix(string(printed[0]), "\n") {
		return printed
	}
	return printed.each(func(t Text) Text { return Text(strings.TrimRight(string(t), "\n")) })
}

// process runs <(…) and >(…). The input of the latter is unknown.
func (r *Run) process(s *scope, p *syntax.ProcSubst) alternatives {
	inner := s.capture()
	if p.Op != syntax.CmdIn {
		inner.input = Input{Kind: InputComputed}
	}
	return r.statements(inner, p.Stmts)
}

// arithmetic runs what an arithmetic expression contains, and marks the variables it sets.
func (r *Run) arithmetic(s *scope, x syntax.ArithmExpr) {
	r.within(s, x, func(n syntax.Node) {
		switch n := n.(type) {
		case *syntax.SglQuoted:
			r.evaluated(Text(n.Value))
		case *syntax.BinaryArithm:
			r.computed(s, n.X)
		case *syntax.UnaryArithm:
			r.computed(s, n.X)
		}
	})
}

// tested runs what [[ … ]] contains.
func (r *Run) tested(s *scope, x syntax.TestExpr) {
	r.within(s, x, func(n syntax.Node) {
		switch n := n.(type) {
		case *syntax.SglQuoted:
			r.evaluated(Text(n.Value))
		case *syntax.Lit:
			r.evaluated(Text(n.Value))
		}
	})
}

// evaluated refuses a text like a[$(command)]: bash runs the command if it takes the text for a number or for the name of a
// variable. Any variable may end up in such a place, so none may hold such a text.
func (r *Run) evaluated(t Text) {
	for i := 1; i < len(t); i++ {
		if t[i] != '[' || !isNameByte(t[i-1]) {
			continue
		}
		index, _, _ := strings.Cut(string(t[i+1:]), "]")
		if strings.Contains(index, "$(") || strings.Contains(index, "`") {
			r.Refuse(Unresolved, "a text like name[$(command)] is run where bash looks for a number or a name; write the command out")
			return
		}
	}
}

func isNameByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// computed marks the variable that an arithmetic assignment sets.
func (r *Run) computed(s *scope, x syntax.ArithmExpr) {
	if w, ok := x.(*syntax.Word); ok {
		if name := w.Lit(); syntax.ValidName(name) {
			r.assign(s, name, scalar(one(atom)))
		}
	}
}
