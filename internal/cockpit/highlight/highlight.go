// Package highlight finds the words of a source text that a reader wants to tell
// apart: keywords, strings, comments. It says what they are, not what they look like.
// Anybody may have written the text, so it stops when its time is over, and leaves the
// rest plain.
package highlight

import (
	"embed"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/alecthomas/chroma/v2"
)

// The rules are read when they are first needed: a program that only asks
// something of the engine does without them.
//
//go:embed lexers/*.xml
var rules embed.FS

// Span is a piece of a line.
type Span struct {
	Class Class
	Text  string
}

// Class is what a piece of a text is.
type Class string

const (
	Plain   Class = ""
	Keyword Class = "k"
	Kind    Class = "t" // types, tags and what is built in
	Name    Class = "f" // functions, attributes and other names that stand out
	Text    Class = "s" // strings
	Number  Class = "m"
	Comment Class = "c"
)

// What is larger was not written by people, and the rules take longer than in
// proportion to it.
const (
	maxBytes = 128 << 10 // of a text
	maxLine  = 4 << 10   // of one of its lines
)

// Highlighter knows the languages. It may be used from several goroutines.
type Highlighter struct {
	registry func() (*chroma.LexerRegistry, error)
}

// New makes one.
func New() *Highlighter { return &Highlighter{registry: sync.OnceValues(load)} }

func load() (*chroma.LexerRegistry, error) {
	names, err := fs.Glob(rules, "lexers/*.xml")
	if err != nil {
		return nil, err
	}
	registry := chroma.NewLexerRegistry()
	for _, name := range names {
		lexer, err := chroma.NewXMLLexer(rules, name)
		if err != nil {
			return nil, err
		}
		registry.Register(lexer)
	}
	lexer, err := goLexer()
	if err != nil {
		return nil, err
	}
	registry.Register(lexer)
	return registry, nil
}

// Lines splits the lines of a file into spans. It returns as many lines as it was
// given; lines that it does not know, or has no time for, are one plain span each.
func (h *Highlighter) Lines(name string, lines []string, until time.Time) [][]Span {
	out := make([][]Span, len(lines))
	for i, line := range lines {
		out[i] = []Span{{Plain, line}}
	}
	text := strings.Join(lines, "\n")
	registry, err := h.registry()
	if err != nil || len(text) > maxBytes || slices.ContainsFunc(lines, long) || !time.Now().Before(until) {
		return out
	}
	lexer := registry.Match(path.Base(name))
	if lexer == nil {
		return out
	}
	next, err := lexer.Tokenise(&chroma.TokeniseOptions{State: "root"}, text)
	if err != nil {
		return out
	}
	for i, line := range split(next, len(lines), until) {
		if joined(line) == lines[i] { // the rules may normalise what they read
			out[i] = line
		}
	}
	return out
}

func long(line string) bool { return len(line) > maxLine }

// split distributes tokens over lines until its time is over, which it checks after
// each token. Neighbours of one class become one span.
func split(next chroma.Iterator, most int, until time.Time) [][]Span {
	lines := [][]Span{nil}
	for token := next(); token != chroma.EOF && time.Now().Before(until); token = next() {
		class := classOf(token.Type)
		for i, piece := range strings.Split(token.Value, "\n") {
			if i > 0 {
				lines = append(lines, nil)
			}
			if piece != "" {
				last := &lines[len(lines)-1]
				*last = join(*last, Span{class, piece})
			}
		}
	}
	return lines[:min(len(lines), most)]
}

func join(line []Span, s Span) []Span {
	if n := len(line); n > 0 && line[n-1].Class == s.Class {
		line[n-1].Text += s.Text
		return line
	}
	return append(line, s)
}

func joined(line []Span) string {
	var b strings.Builder
	for _, s := range line {
		b.WriteString(s.Text)
	}
	return b.String()
}

func classOf(t chroma.TokenType) Class {
	switch {
	case t == chroma.KeywordType || t == chroma.NameBuiltin || t == chroma.NameClass || t == chroma.NameTag || t == chroma.NameException || t == chroma.KeywordConstant:
		return Kind
	case t == chroma.NameFunction || t == chroma.NameAttribute || t == chroma.NameDecorator || t == chroma.NameLabel || t == chroma.NameProperty:
		return Name
	case t.InCategory(chroma.Comment):
		return Comment
	case t.InCategory(chroma.Keyword) || t == chroma.OperatorWord:
		return Keyword
	case t.InSubCategory(chroma.LiteralString):
		return Text
	case t.InSubCategory(chroma.LiteralNumber):
		return Number
	}
	return Plain
}
