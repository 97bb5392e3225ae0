package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/stellwerk-dev/stellwerk/internal/plain"
)

// call looks at a simple command: assignments, then a program, a function or a builtin.
func (r *Run) call(s *scope, call *syntax.CallExpr) alternatives {
	if len(call.Args) == 0 {
		for _, a := range call.Assigns {
			r.assignment(s, a)
		}
		return one("")
	}
	if printsEnvironment(call.Args) {
		r.within(s, call, nil)
		s.load()
		return one("")
	}
	lists := r.argv(s, call.Args)
	var before *scope
	if len(call.Assigns) > 0 {
		before = s.fork()
	}
	for _, a := range call.Assigns {
		r.assignment(s, a)
	}
	if r.refused {
		return unresolved()
	}
	out := r.aliased(s, call).with(r.ways(s, lists))
	for _, a := range call.Assigns {
		s.restore(a.Name.Value, before)
	}
	return out
}

// ways starts each of the argument lists a command may have.
func (r *Run) ways(s *scope, lists [][]Text) alternatives {
	if len(lists) == 1 {
		return r.start(s, lists[0], everything)
	}
	var out alternatives
	var ends []*scope
	for _, argv := range lists {
		way := s.fork()
		out = out.with(r.start(way, argv, everything))
		if r.refused {
			return unresolved()
		}
		ends = append(ends, way)
	}
	for _, end := range ends {
		s.merge(end)
	}
	return out
}

// argv expands the words of a command into the argument lists it may have. If there were too many, it treats the later words
// as unknown.
func (r *Run) argv(s *scope, args []*syntax.Word) [][]Text {
	lists := [][]Text{make([]Text, 0, len(args))}
	for _, w := range args {
		if !r.step() {
			return nil
		}
		if t, ok := verbatim(w); ok {
			for i := range lists {
				lists[i] = append(lists[i], t)
			}
			continue
		}
		lists = combine(lists, r.words(s, w))
	}
	return lists
}

// combine appends each of the options to each of the lists.
func combine(lists, options [][]Text) [][]Text {
	if len(options)*len(lists) > maxAlternatives {
		options = [][]Text{{blurred(options)}}
	}
	if len(options) == 1 {
		for i := range lists {
			lists[i] = append(lists[i], options[0]...)
		}
		return lists
	}
	var next [][]Text
	for _, list := range lists {
		for _, option := range options {
			next = append(next, append(list[:len(list):len(list)], option...))
		}
	}
	return next
}

// blurred is one word that stands for any of the options.
func blurred(options [][]Text) Text {
	for _, option := range options {
		if len(option) != 1 || option[0].Splits() {
			return anything
		}
	}
	return something
}

func (r *Run) assignment(s *scope, a *syntax.Assign) {
	if a.Name == nil || a.Naked {
		return
	}
	name := a.Name.Value
	if a.Index != nil {
		r.arithmetic(s, a.Index)
	}
	switch {
	case a.Array != nil:
		r.assign(s, name, r.array(s, a, s.lookup(name)))
	case a.Index != nil:
		r.text(s, a.Value)
		r.assign(s, name, variable{values: unresolved(), list: []Text{anything}})
	case a.Append:
		r.assign(s, name, scalar(s.lookup(name).values.then(r.text(s, a.Value))))
	default:
		r.assign(s, name, scalar(r.text(s, a.Value)))
	}
}

// assign sets a variable and tells the judge.
func (r *Run) assign(s *scope, name string, v variable) {
	for _, t := range v.values {
		r.evaluated(t)
	}
	r.judge.Assign(r, name, v.values)
	s.variables.set(name, v)
}

func (r *Run) array(s *scope, a *syntax.Assign, before variable) variable {
	list := []Text{}
	if a.Append {
		list = append(list, before.list...)
	}
	for _, element := range a.Array.Elems {
		if element.Index != nil {
			r.arithmetic(s, element.Index)
			list = append(list, anything)
		}
		if element.Value == nil {
			continue
		}
		options := r.words(s, element.Value)
		if len(options) == 1 {
			list = append(list, options[0]...)
		} else {
			list = append(list, blurred(options))
		}
	}
	if len(list) == 0 {
		return variable{values: one(""), list: list}
	}
	return variable{values: one(list[0]), list: list}
}

// aliased looks at a command whose first word is an alias that the line defines.
func (r *Run) aliased(s *scope, call *syntax.CallExpr) alternatives {
	if len(r.aliases) == 0 {
		return nil
	}
	name := call.Args[0].Lit()
	body, ok := r.aliases[name]
	if !ok || name == "" {
		return nil
	}
	from, to := call.Args[0].End().Offset(), call.Args[len(call.Args)-1].End().Offset()
	if to > uint(len(s.source)) || from > to {
		r.Refuse(Unresolved, "an alias is used in a way that cannot be checked; write its command out")
		return unresolved()
	}
	rest := s.source[from:to]
	delete(r.aliases, name) // an alias does not expand within itself
	defer func() { r.aliases[name] = body }()
	return r.code(s.fork(), Text(body+rest))
}

// search says what a command's name may stand for.
type search int

const (
	everything search = iota // functions, builtins and programs
	builtins                 // builtins and programs
	programs
)

// start looks at one argument list.
func (r *Run) start(s *scope, argv []Text, where search) alternatives {
	if !r.step() || len(argv) == 0 {
		return one("")
	}
	if !r.enter() {
		return unresolved()
	}
	defer r.leave()
	path, args := argv[0], argv[1:]
	if path == "--" { // eval and time leave it out
		return r.start(s, args, where)
	}
	name, ok := commandName(path)
	if !ok {
		r.Refuse(Unresolved, "which program `"+plain.ClipBytes(path.String(), 60)+"` starts is only known once the command runs; write its name out, and quote the folder before it")
		return unresolved()
	}
	if where == everything {
		r.invoke(s, string(path), args)
	}
	if r.refused {
		return unresolved()
	}
	if where != programs && !strings.Contains(string(path), "/") {
		if out, ok := r.builtin(s, name, args); ok {
			return out
		}
	}
	if out, ok := r.wrapper(s, name, args); ok {
		return out
	}
	if name == "[" || name == "test" {
		for _, t := range args {
			r.evaluated(t)
		}
	}
	r.judge.Program(r, Program{Name: name, Path: path, Args: args, Input: s.input, Dir: s.dir, Bare: s.bare, scope: s})
	return r.printed(s, name, args)
}

// commandName is the name under which a program is judged. Some file systems do not tell upper and lower case
// apart, and zsh finds =git.
func commandName(path Text) (string, bool) {
	if path.Splits() {
		return "", false
	}
	name, ok := path.Base()
	name = strings.TrimSuffix(strings.ToLower(name), ".exe")
	return strings.TrimPrefix(name, "="), ok
}

// maxCalls is how often a function is followed into itself.
const maxCalls = 3

// invoke looks at a function's bodies with the arguments of this call.
func (r *Run) invoke(s *scope, name string, args []Text) {
	if r.calls[name] == maxCalls {
		return
	}
	if r.calls[name]++; r.calls[name] == maxCalls { // the last look, at whatever the arguments may become
		args = nil
	}
	defer func() { r.calls[name]-- }()
	source, arguments := s.source, s.arguments
	defer func() { s.source, s.arguments = source, arguments }()
	for _, f := range r.functions[name] {
		s.source, s.arguments = f.source, args
		r.statement(s, f.body)
	}
}

// Code looks at shell code that a program runs, with arguments as positional parameters; nil if they are unknown.
func (r *Run) Code(p Program, code Text, arguments []Text) {
	r.code(p.scope.inner("", arguments), code)
}

// Fragment looks at shell code that runs at some other time, when no variable is known.
func (r *Run) Fragment(code Text) {
	r.code(newScope(), code)
}

// Start looks at an argument list that a program starts.
func (r *Run) Start(p Program, argv []Text) {
	r.start(p.scope.fork(), argv, programs)
}
