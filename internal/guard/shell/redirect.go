package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// redirects looks at a statement's redirections. It returns what they feed to standard input, nil for nothing, and
// whether standard output goes elsewhere.
func (r *Run) redirects(s *scope, list []*syntax.Redirect) (feeds *Input, redirected bool) {
	for _, redirect := range list {
		standard := redirect.N == nil
		if !standard && strings.HasPrefix(redirect.N.Value, "{") {
			r.assign(s, strings.Trim(redirect.N.Value, "{}"), scalar(one(atom)))
		}
		switch redirect.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			texts := r.document(s, redirect)
			if redirect.Op == syntax.DashHdoc {
				texts = texts.each(untabbed)
			}
			feeds = r.feed(redirect, texts, feeds)
		case syntax.WordHdoc:
			feeds = r.feed(redirect, r.text(s, redirect.Word).then(one("\n")), feeds)
		case syntax.RdrIn:
			file := r.opened(s, redirect.Word)
			if standard || redirect.N.Value == "0" {
				feeds = file
			}
		case syntax.DplIn:
			feeds = &Input{Kind: InputComputed}
		case syntax.DplOut:
			redirected = redirected || r.duplicate(s, redirect)
		default:
			for _, path := range r.paths(s, redirect.Word) {
				r.judge.Open(r, s.place(path), true)
			}
			redirected = redirected || standard || redirect.N.Value == "1"
			if redirect.Op == syntax.RdrInOut && (standard || redirect.N.Value == "0") {
				feeds = &Input{Kind: InputFile}
			}
		}
		if r.refused {
			return nil, redirected
		}
	}
	return feeds, redirected
}

// feed makes a text the standard input, or, on another descriptor, runs nothing but its substitutions.
func (r *Run) feed(redirect *syntax.Redirect, texts alternatives, before *Input) *Input {
	if redirect.N != nil && redirect.N.Value != "0" {
		return before
	}
	return &Input{Kind: InputText, Texts: texts}
}

// opened is a file, or what a process substitution prints, as standard input.
func (r *Run) opened(s *scope, w *syntax.Word) *Input {
	input := Input{Kind: InputFile}
	for _, path := range r.paths(s, w) {
		if isDescriptor(path) {
			input = r.processInput(path)
			continue
		}
		r.judge.Open(r, s.place(path), false)
	}
	return &input
}

// duplicate looks at >&: a descriptor, or a file for both outputs. It reports whether standard output goes elsewhere.
func (r *Run) duplicate(s *scope, redirect *syntax.Redirect) bool {
	for _, path := range r.paths(s, redirect.Word) {
		if strings.Trim(string(path), "0123456789-") != "" {
			r.judge.Open(r, s.place(path), true)
		}
	}
	return redirect.N == nil || redirect.N.Value == "1"
}

func (r *Run) paths(s *scope, w *syntax.Word) []Text {
	var found []Text
	for _, list := range r.words(s, w) {
		found = append(found, list...)
	}
	return found
}

// place puts the current working directory, as far as the line tells it, in front of a relative path.
func (s *scope) place(path Text) Text {
	if s.dir == "" || strings.HasPrefix(string(path), "/") || strings.HasPrefix(string(path), anything) || strings.HasPrefix(string(path), something) {
		return path
	}
	return s.dir + "/" + path
}

// Place puts the program's working directory, as far as the line tells it, in front of a relative path.
func (p Program) Place(path Text) Text { return p.scope.place(path) }

func untabbed(t Text) Text {
	var b strings.Builder
	for line := range strings.Lines(string(t)) {
		b.WriteString(strings.TrimLeft(line, "\t"))
	}
	return Text(b.String())
}
