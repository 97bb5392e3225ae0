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
	return r.statements(s.capture(), list).each(func(t Text) Text {
		return Text(strings.TrimRight(string(t), "\n"))
	})
}

// process runs <(…) and >(…). What is written to the latter cannot be seen.
func (r *Run) process(s *scope, p *syntax.ProcSubst) alternatives {
	inner := s.capture()
	if p.Op != syntax.CmdIn {
		inner.input = Input{Kind: InputComputed}
	}
	return r.statements(inner, p.Stmts)
}

// arithmetic runs what an arithmetic expression contains. The values of variables are evaluated too, and a value
// may hold a substitution within an index.
func (r *Run) arithmetic(s *scope, x syntax.ArithmExpr) {
	r.within(s, x)
	syntax.Walk(x, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst:
			return false
		case *syntax.SglQuoted:
			r.evaluated(Text(n.Value))
		case *syntax.Lit:
			if v, ok := s.variables.get(n.Value); ok {
				for _, t := range v.values {
					r.evaluated(t)
				}
			}
		case *syntax.BinaryArithm:
			r.computed(s, n.X)
		case *syntax.UnaryArithm:
			r.computed(s, n.X)
		}
		return !r.refused
	})
}

// evaluated refuses a value that would run a command when it is taken for a number.
func (r *Run) evaluated(t Text) {
	if strings.Contains(string(t), "$(") || strings.Contains(string(t), "`") {
		r.Refuse(Unresolved, "a value that holds a command is evaluated as a number, which runs it; write the command out")
	}
}

// computed marks the variable that an arithmetic assignment sets.
func (r *Run) computed(s *scope, x syntax.ArithmExpr) {
	if w, ok := x.(*syntax.Word); ok {
		if name := w.Lit(); syntax.ValidName(name) {
			r.assign(s, name, scalar(one(atom)))
		}
	}
}
