package redact

import (
	"bytes"
	"regexp"
	"strings"
	"sync"
)

// Rule describes text that looks like a credential.
type Rule struct {
	Name string
	// Keywords are lower-case literals; the pattern is tried only near one of them, in either case.
	Keywords []string
	// Pattern is a regular expression. Hidden is its group named "secret", or else group number Group; with Group zero
	// the first group that is not empty, or else all of it.
	Pattern string
	Group   int
	// Check, where set, has the last word on a find.
	Check func(Match) bool
	// Lines lets the pattern reach over line ends, this many bytes far. Other rules see one line.
	Lines int
}

// Match is a find of a rule, as shown to its Check.
type Match struct {
	Secret []byte
	group  func(name string) []byte
}

// Group is the text of a named group, empty where it took no part.
func (m Match) Group(name string) []byte { return m.group(name) }

// RuleSet is a list of rules ready to use. It is safe for concurrent use.
type RuleSet struct {
	rules    []*compiledRule
	keywords *automaton
	owner    []int // by keyword: index of its rule
	lengths  []int // by keyword
}

type compiledRule struct {
	Rule
	rank    int
	compile func() *regexp.Regexp
}

// Reach of a rule that stays within a line, around a keyword. It bounds the work on very long lines.
const (
	reachBefore = 128
	reachAfter  = 4096
)

// NewRuleSet prepares rules. A pattern is compiled when one of its keywords is first seen, and panics then if it is not
// a regular expression.
func NewRuleSet(rules []Rule) *RuleSet {
	s := &RuleSet{}
	var words [][]byte
	for i, r := range rules {
		pattern := r.Pattern
		s.rules = append(s.rules, &compiledRule{
			Rule:    r,
			rank:    i,
			compile: sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) }),
		})
		for _, w := range r.Keywords {
			words = append(words, []byte(strings.ToLower(w)))
			s.owner = append(s.owner, i)
			s.lengths = append(s.lengths, len(w))
		}
	}
	s.keywords = newAutomaton(words, true)
	return s
}

// hasKeyword says whether text could matter to any rule.
func (s *RuleSet) hasKeyword(text []byte) bool {
	found := false
	s.keywords.scan(text, func(int, int) { found = true })
	return found
}

// find appends to spans what the rules find in text.
func (s *RuleSet) find(text []byte, spans []span) []span {
	type window struct{ start, end int }
	open := make(map[int]window)
	s.keywords.scan(text, func(word, end int) {
		i := s.owner[word]
		start, stop := s.rules[i].window(text, end-s.lengths[word], end)
		w, isOpen := open[i]
		switch {
		case !isOpen:
			open[i] = window{start, stop}
		case start <= w.end:
			open[i] = window{w.start, max(w.end, stop)}
		default:
			spans = s.rules[i].find(text, w.start, w.end, spans)
			open[i] = window{start, stop}
		}
	})
	for i, w := range open {
		spans = s.rules[i].find(text, w.start, w.end, spans)
	}
	return spans
}

// window is the part of text that the rule looks at for a keyword at text[start:end].
func (r *compiledRule) window(text []byte, start, end int) (int, int) {
	from := max(0, start-reachBefore)
	if r.Lines > 0 {
		return from, min(len(text), end+r.Lines)
	}
	if i := bytes.LastIndexByte(text[from:start], '\n'); i >= 0 {
		from += i + 1
	}
	to := min(len(text), end+reachAfter)
	if i := bytes.IndexByte(text[end:to], '\n'); i >= 0 {
		to = end + i
	}
	return from, to
}

func (r *compiledRule) find(text []byte, from, to int, spans []span) []span {
	re := r.compile()
	part := text[from:to]
	for _, loc := range re.FindAllSubmatchIndex(part, -1) {
		group := r.secretGroup(re, loc)
		start, end := loc[2*group], loc[2*group+1]
		if start < 0 || start == end {
			continue
		}
		named := func(name string) []byte {
			i := re.SubexpIndex(name)
			if i < 0 || loc[2*i] < 0 {
				return nil
			}
			return part[loc[2*i]:loc[2*i+1]]
		}
		if r.Check != nil && !r.Check(Match{Secret: part[start:end], group: named}) {
			continue
		}
		spans = append(spans, span{start: from + start, end: extend(text, from+end, to), name: r.Name, rank: r.rank})
	}
	return spans
}

func (r *compiledRule) secretGroup(re *regexp.Regexp, loc []int) int {
	if i := re.SubexpIndex("secret"); i >= 0 {
		return i
	}
	if r.Group > 0 {
		return r.Group
	}
	for i := 1; 2*i < len(loc); i++ {
		if loc[2*i] < loc[2*i+1] {
			return i
		}
	}
	return 0
}

// extend moves the end of a find that was cut off by the end of its window to the end of the token.
func extend(text []byte, end, windowEnd int) int {
	if end < windowEnd {
		return end
	}
	for end < len(text) && isToken(text[end]) {
		end++
	}
	return end
}

// isToken says whether c can be inside a credential.
func isToken(c byte) bool { return isBase64(c) || c == '.' || c == '=' || c == '~' || c == '%' }

// ownNameRule hides a value too short to be hidden everywhere, where it is assigned to its own name.
func ownNameRule(name string, s Secret) Rule {
	return Rule{
		Name:     name,
		Keywords: []string{strings.ToLower(s.Name)},
		Pattern: `(?i:` + regexp.QuoteMeta(s.Name) + `)` + assign + `(?P<secret>` + regexp.QuoteMeta(s.Value) + `)` +
			`(?:[\s"'\\,;&}]|$)`,
	}
}

// assign matches what stands between a name and its value in shells, settings, JSON (escaped or not) and programs.
const assign = `\\*["'` + "`" + `]?(?P<sign>[ \t]*(?::=|=>|[:=])[ \t]*)(?P<quote>\\*["'` + "`" + `])?`
