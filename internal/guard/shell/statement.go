package shell

import "mvdan.cc/sh/v3/syntax"

// statements looks at commands one after the other and returns what they would print.
func (r *Run) statements(s *scope, list []*syntax.Stmt) alternatives {
	var printed builder
	for _, stmt := range list {
		out := r.statement(s, stmt)
		if r.refused {
			return unresolved()
		}
		if s.captured {
			printed.add(out)
		}
	}
	if !s.captured {
		return nil
	}
	return printed.done()
}

func (r *Run) statement(s *scope, stmt *syntax.Stmt) alternatives {
	if !r.step() || !r.enter() {
		return unresolved()
	}
	defer r.leave()
	if stmt.Background || stmt.Coprocess {
		s = s.fork()
	}
	feeds, redirected := r.redirects(s, stmt.Redirs)
	if r.refused || stmt.Cmd == nil {
		return one("")
	}
	before := s.input
	if feeds != nil {
		s.input = *feeds
	}
	out := r.command(s, stmt.Cmd)
	s.input = restored(stmt.Cmd, before, s.input)
	if redirected {
		return s.output()
	}
	return out
}

// restored is the input after a command: as it was before, unless exec without a program changed it for good.
func restored(cmd syntax.Command, before, after Input) Input {
	if call, ok := cmd.(*syntax.CallExpr); ok && len(call.Args) == 1 && call.Args[0].Lit() == "exec" {
		return after
	}
	return before
}

func (r *Run) command(s *scope, cmd syntax.Command) alternatives {
	switch cmd := cmd.(type) {
	case *syntax.CallExpr:
		return r.call(s, cmd)
	case *syntax.Block:
		return r.statements(s, cmd.Stmts)
	case *syntax.Subshell:
		return r.statements(s.fork(), cmd.Stmts)
	case *syntax.BinaryCmd:
		return r.binary(s, cmd)
	case *syntax.IfClause:
		r.ifClause(s, cmd)
	case *syntax.WhileClause:
		r.loop(s, func(s *scope) {
			r.statements(s, cmd.Cond)
			r.statements(s, cmd.Do)
		})
	case *syntax.ForClause:
		r.forClause(s, cmd)
	case *syntax.CaseClause:
		r.caseClause(s, cmd)
	case *syntax.FuncDecl:
		r.declare(s, cmd)
	case *syntax.DeclClause:
		r.declaration(s, cmd)
	case *syntax.ArithmCmd:
		r.arithmetic(s, cmd.X)
	case *syntax.LetClause:
		for _, x := range cmd.Exprs {
			r.arithmetic(s, x)
		}
	case *syntax.TestClause:
		r.tested(s, cmd.X)
	case *syntax.TimeClause:
		if cmd.Stmt != nil {
			return r.statement(s, cmd.Stmt)
		}
	default: // coproc among them, which the parser and bash read differently
		r.Refuse(Unresolved, "the command line uses a construct that cannot be checked; write it more simply")
	}
	return s.output()
}

// binary looks at pipelines and at chains of && and ||, whose left sides may be very many.
func (r *Run) binary(s *scope, cmd *syntax.BinaryCmd) alternatives {
	if piped(cmd.Op) {
		return r.pipeline(s, cmd)
	}
	chain := []*syntax.BinaryCmd{cmd}
	left := cmd.X
	for {
		deeper, ok := left.Cmd.(*syntax.BinaryCmd)
		if !ok || len(left.Redirs) > 0 || left.Background || piped(deeper.Op) {
			break
		}
		chain = append(chain, deeper)
		left = deeper.X
	}
	var out builder
	if printed := r.statement(s, left); s.captured {
		out.add(printed)
	}
	end := s.fork() // where the chain may have ended so far
	for i := len(chain) - 1; i >= 0 && !r.refused; i-- {
		if chain[i].Op == syntax.OrStmt {
			s.merge(end)
		}
		printed := r.statement(s, chain[i].Y)
		r.steps += s.variables.count() / 8
		end.merge(s)
		switch {
		case !s.captured:
		case chain[i].Op == syntax.OrStmt:
			out = builder{finished: out.done().with(printed)}
		default:
			out.add(printed)
		}
	}
	s.merge(end)
	if !s.captured {
		return nil
	}
	return out.done()
}

func piped(op syntax.BinCmdOperator) bool { return op == syntax.Pipe || op == syntax.PipeAll }

// pipeline hands what the left side prints to the right side. Both are shells of their own.
func (r *Run) pipeline(s *scope, cmd *syntax.BinaryCmd) alternatives {
	out := r.statement(s.capture(), cmd.X)
	right := s.fork()
	right.input = printedInput(out)
	return r.statement(right, cmd.Y)
}

func (r *Run) ifClause(s *scope, cmd *syntax.IfClause) {
	var ends []*scope
	for ; cmd != nil && !r.refused; cmd = cmd.Else {
		r.statements(s, cmd.Cond)
		branch := s.fork()
		r.statements(branch, cmd.Then)
		ends = append(ends, branch)
		if len(cmd.Cond) == 0 { // else
			*s = *branch
			ends = ends[:len(ends)-1]
		}
	}
	for _, end := range ends {
		s.merge(end)
	}
}

func (r *Run) forClause(s *scope, cmd *syntax.ForClause) {
	switch loop := cmd.Loop.(type) {
	case *syntax.WordIter:
		values := r.items(s, loop)
		r.loop(s, func(s *scope) {
			r.assign(s, loop.Name.Value, scalar(values))
			r.statements(s, cmd.Do)
		})
	case *syntax.CStyleLoop:
		for _, x := range []syntax.ArithmExpr{loop.Init, loop.Cond, loop.Post} {
			if x != nil {
				r.arithmetic(s, x)
			}
		}
		r.loop(s, func(s *scope) { r.statements(s, cmd.Do) })
	}
}

// items are the values a loop's variable takes, one after the other.
func (r *Run) items(s *scope, loop *syntax.WordIter) alternatives {
	var values alternatives
	if !loop.InPos.IsValid() {
		return unresolved()
	}
	for _, w := range loop.Items {
		for _, list := range r.words(s, w) {
			values = values.with(alternatives(list).each(Text.matched))
			if r.refused {
				return unresolved()
			}
		}
	}
	if values == nil {
		return one("")
	}
	return values
}

// loop looks at a body until what is known no longer changes.
func (r *Run) loop(s *scope, body func(*scope)) {
	for pass := 0; !r.refused; pass++ {
		before := s.fork()
		once := s.fork()
		body(once)
		if !s.merge(once) {
			return
		}
		if pass == 1 {
			s.widen(before)
		}
		if pass > 3 {
			s.forget()
			body(s.fork())
			return
		}
	}
}

func (r *Run) caseClause(s *scope, cmd *syntax.CaseClause) {
	r.text(s, cmd.Word)
	var ends []*scope
	for _, item := range cmd.Items {
		for _, pattern := range item.Patterns {
			r.within(s, pattern, nil)
		}
		branch := s.fork()
		r.statements(branch, item.Stmts)
		ends = append(ends, branch)
	}
	for _, end := range ends {
		s.merge(end)
	}
}

func (r *Run) declare(s *scope, cmd *syntax.FuncDecl) {
	if cmd.Name == nil {
		r.Refuse(Unresolved, "a function without a name cannot be checked; name it")
		return
	}
	name := cmd.Name.Value
	r.functions[name] = append(r.functions[name], function{body: cmd.Body, source: s.source})
}

// within runs the substitutions inside a construct whose own value does not matter. It calls each, if that is not nil, with
// every node outside of them.
func (r *Run) within(s *scope, node syntax.Node, each func(syntax.Node)) {
	syntax.Walk(node, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			r.substitution(s, n.Stmts)
			return false
		case *syntax.ProcSubst:
			r.process(s, n)
			return false
		}
		if each != nil {
			each(n)
		}
		return !r.refused
	})
}
