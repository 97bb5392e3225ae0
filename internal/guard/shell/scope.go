package shell

import "slices"

// Input is what a program finds on its standard input.
type Input struct {
	Kind  InputKind
	Texts []Text // of InputText: what it may be
}

// InputKind tells the kinds of standard input apart.
type InputKind int

// The kinds of standard input.
const (
	InputInherited InputKind = iota // nothing on the command line feeds it
	InputText                       // a text on the command line
	InputFile                       // a file
	InputComputed                   // what another program prints
)

// scope is what is known at one point of the command line.
type scope struct {
	source    string // the code being read
	variables variables
	arguments []Text // positional parameters; nil if not known
	input     Input
	dir       Text // working directory: absolute, or relative to that of the line
	captured  bool // what is printed matters to something else on the line
	bare      bool // the environment was taken away
	blind     bool // variables can change behind their names
	loaded    bool // a file was sourced, which may have set any variable

	// Values that are looked up very often.
	unknown, atom alternatives
}

func newScope() *scope {
	return &scope{variables: variables{table: &map[string]variable{}, owned: true}, unknown: unresolved(), atom: one(atom)}
}

// output is an unknown output, or nil if the output does not matter.
func (s *scope) output() alternatives {
	if !s.captured {
		return nil
	}
	return unresolved()
}

// fork returns a copy whose changes stay within it.
func (s *scope) fork() *scope {
	s.variables.owned = false // whoever changes them first makes a copy
	forked := *s
	return &forked
}

// capture is a fork whose output matters.
func (s *scope) capture() *scope {
	forked := s.fork()
	forked.captured = true
	return forked
}

// inner is a fork for code of its own, as a new shell would run.
func (s *scope) inner(source string, arguments []Text) *scope {
	forked := s.fork()
	forked.source, forked.arguments = source, arguments
	return forked
}

// merge makes s what is known when either s or other happened. It reports whether that changed s.
func (s *scope) merge(other *scope) bool {
	changed := s.mergeVariables(other)
	if !slices.Equal(s.arguments, other.arguments) {
		changed = changed || s.arguments != nil
		s.arguments = nil
	}
	if s.dir != other.dir {
		changed = changed || s.dir != something
		s.dir = something
	}
	s.bare = s.bare || other.bare
	s.blind = s.blind || other.blind
	s.loaded = s.loaded || other.loaded
	return changed
}
