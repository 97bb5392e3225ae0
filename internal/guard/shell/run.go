// Package shell works out which programs a command line would start, and with which arguments, without starting any. It
// follows variables, functions, substitutions, here-documents and programs whose only work is to start another, and refuses
// a line that it cannot follow. An unknown text may be anything, so "not a push" is never a guess. The package must not touch
// files, look at the environment or judge a program: its caller does.
package shell

import (
	"errors"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Rule names why a line is refused by this package; a Judge adds its own.
type Rule string

// The rules of this package.
const (
	Unresolved Rule = "unresolved" // it is unknown what would run
	Complex    Rule = "complex"    // too large or too deep to be looked at in time
	Unreadable Rule = "unreadable" // not a command line of bash
)

// Limits of what is looked at. A line beyond them is refused.
const (
	maxLine  = 128 << 10 // the longest argument Linux hands to a program
	maxSigns = 5_000     // signs between commands
	maxNest  = 250       // brackets that are open at once
	maxDepth = 60        // commands within commands
	maxSteps = 10_000    // commands and words
)

// Judge is asked about everything that a line would do. It objects by calling Refuse; the first refusal ends the look.
type Judge interface {
	// Program is called for each program that would be started, except for those that only start another.
	Program(r *Run, p Program)
	// Assign is called for each variable that is set, exported, or, with a nil value, removed.
	Assign(r *Run, name string, values []Text)
	// Open is called for each file a redirection opens.
	Open(r *Run, path Text, write bool)
}

// Program is one program that a line would start.
type Program struct {
	Name  string // last element of its path, in lower case
	Path  Text   // as it was written
	Args  []Text
	Input Input
	Dir   Text // working directory, as far as the line says
	Bare  bool // its environment was taken away
	scope *scope
}

// Sourced reports that the line sources a file or evaluates unknown text before the
// program starts: that may set any variable, PATH too.
func (p Program) Sourced() bool { return p.scope != nil && p.scope.loaded }

// Run is one look at one line.
type Run struct {
	judge     Judge
	parser    *syntax.Parser
	functions map[string][]function
	calls     map[string]int // how often a function is being looked at
	aliases   map[string]string
	traps     []Text
	processes []alternatives // what the process substitutions print
	steps     int
	depth     int
	refused   bool
	rule      Rule
	reason    string
}

type function struct {
	body   *syntax.Stmt
	source string
}

// Look asks the judge about everything that line would do when bash runs it in dir. It returns the first refusal;
// ok means there was none.
func Look(line string, dir Text, judge Judge) (rule Rule, reason string, ok bool) {
	r := &Run{
		judge:     judge,
		parser:    syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true)),
		functions: map[string][]function{},
		calls:     map[string]int{},
		aliases:   map[string]string{},
	}
	r.line(line, dir)
	return r.rule, r.reason, !r.refused
}

// Refuse ends the look with a refusal. Only the first one counts.
func (r *Run) Refuse(rule Rule, reason string) {
	if !r.refused {
		r.refused, r.rule, r.reason = true, rule, reason
	}
}

// Refused reports whether the line has been refused already.
func (r *Run) Refused() bool { return r.refused }

func (r *Run) line(line string, dir Text) {
	if !Text(line).Known() {
		r.Refuse(Unreadable, "the command line contains control characters; write it without them")
		return
	}
	// The parser reads whatever an agent typed; a defect in it must not let a command through.
	defer func() {
		if recover() != nil {
			r.Refuse(Unreadable, "the command line cannot be read; write it more simply")
		}
	}()
	s := newScope()
	s.arguments, s.dir = []Text{}, dir
	r.code(s, Text(line))
	for i := 0; i < len(r.traps) && r.step(); i++ { // a trap may set further ones
		r.code(s, r.traps[i])
	}
}

// code looks at shell code in a scope. Code that is not known is refused.
func (r *Run) code(s *scope, code Text) alternatives {
	if !code.atoms() {
		r.Refuse(Unresolved, "shell code is put together while the command runs, so it cannot be seen what it does; write the commands out, in single quotes")
		return unresolved()
	}
	source := strings.ReplaceAll(string(code), atom, "${"+atomName+"}")
	switch {
	case strings.Contains(source, "\r"): // the parser takes it for part of a line's end, bash does not
		r.Refuse(Unreadable, "the command line contains carriage returns; write it with plain line breaks")
	case len(source) > maxLine:
		r.Refuse(Complex, "the command line is too long to be checked; put the work into a script or several commands")
	case busy(source):
		r.tooMuch()
	case nested(source):
		r.Refuse(Complex, "the command line is nested too deeply to be checked; take it apart")
	}
	if r.refused || !r.enter() {
		return unresolved()
	}
	defer r.leave()
	file, err := r.parser.Parse(strings.NewReader(source), "")
	if err != nil {
		r.Refuse(Unreadable, "this is not a command line bash would read ("+parseMessage(err)+"); correct it or take it apart")
		return unresolved()
	}
	if strings.Contains(source, "\\\n") && continues(file, source) {
		r.Refuse(Unreadable, "a comment ends in a backslash, which is easily taken to hide the next line; remove the backslash")
		return unresolved()
	}
	outer := s.source
	s.source = source
	defer func() { s.source = outer }()
	return r.statements(s, file.Stmts)
}

// continues reports a comment that ends in a backslash. The parser reads the next line as part of the comment; for bash it is
// a command.
func continues(file *syntax.File, source string) bool {
	found := false
	syntax.Walk(file, func(n syntax.Node) bool {
		if comment, ok := n.(*syntax.Comment); ok {
			text := source[min(int(comment.Hash.Offset()), len(source)):]
			if line, _, more := strings.Cut(text, "\n"); more && strings.HasSuffix(line, `\`) {
				found = true
			}
		}
		return !found
	})
	return found
}

func parseMessage(err error) string {
	var parse syntax.ParseError
	if errors.As(err, &parse) {
		return parse.Text
	}
	var lang syntax.LangError
	if errors.As(err, &lang) {
		return lang.Feature
	}
	return err.Error()
}

// busy reports more commands than are looked at in time, before they are parsed: that alone would take longer. Quotes
// are not considered. A here-document is quick to parse, and may hold any other language.
func busy(source string) bool {
	if len(source) <= maxSigns || strings.Contains(source, "<<") {
		return false
	}
	signs := 2 * strings.Count(source, "$(") // which cost most
	for i := range len(source) {
		switch source[i] {
		case ';', '&', '|', '(', '`', '\n':
			signs++
		}
	}
	return signs > maxSigns
}

// nested reports whether more brackets are open at once than a person would write. Quotes are not considered: the
// aim is to keep the parser from deep recursion.
func nested(source string) bool {
	depth := 0
	for i := range len(source) {
		switch source[i] {
		case '(', '{':
			if depth++; depth > maxNest {
				return true
			}
		case ')', '}':
			depth = max(0, depth-1)
		}
	}
	return false
}

// enter counts a level of nesting; leave takes it back.
func (r *Run) enter() bool {
	if r.depth++; r.depth > maxDepth {
		r.depth--
		r.Refuse(Complex, "the commands are nested too deeply to be checked; take them apart")
		return false
	}
	return true
}

func (r *Run) leave() { r.depth-- }

// charge counts the making of a long text as work.
func (r *Run) charge(length int) { r.steps += length / 128 }

// step counts work, so that no line can make the look long.
func (r *Run) step() bool {
	if r.steps++; r.steps > maxSteps {
		r.tooMuch()
	}
	return !r.refused
}

func (r *Run) tooMuch() {
	r.Refuse(Complex, "the command line does too much to be checked; put the work into a script or several commands")
}
