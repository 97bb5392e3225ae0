package redact

import (
	"bytes"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
)

// Rule describes text that looks like a credential.
type Rule struct {
	Name string
	// Keywords are literals; the pattern is tried only near one of them, in either case unless Cased says otherwise.
	Keywords []string
	Cased    bool
	// Pattern is a regular expression. Hidden is its group named "secret", or else group number Group; with Group zero
	// the first group that is not empty, or else all of it.
	Pattern string
	Group   int
	// Check, if set, decides whether a match is a find.
	Check func(Match) bool
	// Extent, if set, says how many bytes of a find are hidden, 0 for none.
	Extent func(found []byte) int
	// Lines lets the pattern reach over line ends, this many bytes far. Other rules see one line.
	Lines int
}

// Match is a find of a rule, as shown to its Check.
type Match struct {
	Secret []byte
	before []byte // of the same window
	group  func(name string) []byte
}

// Group is the text of a named group, empty if it took no part.
func (m Match) Group(name string) []byte { return m.group(name) }

// RuleSet is a list of rules ready to use. It is safe for concurrent use.
type RuleSet struct {
	rules    []*compiledRule
	keywords *automaton
	owner    []int // by keyword: index of its rule
	words    []string
	hasKeys  bool // private keys are looked for too
}

type compiledRule struct {
	Rule
	rank  int
	ready func() matcher
}

// matcher is a compiled pattern with what it cannot match without and what it costs.
type matcher struct {
	*regexp.Regexp
	needs  []need
	weight int // instructions of the pattern's program: each may have to be followed for each byte
}

func newMatcher(pattern string) matcher {
	m := matcher{Regexp: regexp.MustCompile(pattern), weight: leastWeight}
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return m // cannot happen, since MustCompile accepted it; without needs the pattern is only slower
	}
	m.needs = needsOf(tree)
	if program, err := syntax.Compile(tree.Simplify()); err == nil {
		m.weight = max(m.weight, len(program.Inst))
	}
	return m
}

// NewRuleSet prepares rules. A pattern is compiled when one of its keywords is first seen, and panics then if it is not
// a regular expression.
func NewRuleSet(rules []Rule) *RuleSet {
	s := &RuleSet{}
	var words [][]byte
	for i, r := range rules {
		pattern := r.Pattern
		s.rules = append(s.rules, &compiledRule{
			Rule:  r,
			rank:  i,
			ready: sync.OnceValue(func() matcher { return newMatcher(pattern) }),
		})
		for _, w := range r.Keywords {
			words = append(words, []byte(strings.ToLower(w)))
			s.owner = append(s.owner, i)
			s.words = append(s.words, w)
		}
	}
	s.keywords = newAutomaton(words, true)
	return s
}

// find calls hit with the bounds of every secret in part.
func (r *compiledRule) find(re matcher, part []byte, hit func(start, end int)) {
	for _, loc := range re.FindAllSubmatchIndex(part, -1) {
		group := r.secretGroup(re.Regexp, loc)
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
		end = endOfQuoted(part, end, named("quote"))
		if r.Extent != nil {
			end = start + r.Extent(part[start:end])
		}
		if start < end && (r.Check == nil || r.Check(Match{Secret: part[start:end], before: part[:start], group: named})) {
			hit(start, end)
		}
	}
}

// endOfQuoted is the end of a quoted value that was found only up to a sign at which unquoted values end.
func endOfQuoted(part []byte, end int, quote []byte) int {
	if len(quote) == 0 || end == len(part) || bytes.IndexByte([]byte("&;|,"), part[end]) < 0 {
		return end
	}
	rest := part[end:min(len(part), end+256)]
	if i := bytes.IndexAny(rest, "\"'` \t\n"); i > 0 && rest[i] == quote[len(quote)-1] {
		return end + i
	}
	return end
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

// isToken reports whether c can be inside a credential.
func isToken(c byte) bool { return isBase64(c) || c == '.' || c == '=' || c == '~' || c == '%' }

// ownNameRule hides a value that is too short to be hidden everywhere when it is assigned to its own name.
func ownNameRule(name string, s Secret) Rule {
	return Rule{
		Name:     name,
		Keywords: []string{strings.ToLower(s.Name)},
		Pattern: `(?i:` + regexp.QuoteMeta(s.Name) + `)` + assign + `(?P<secret>` + regexp.QuoteMeta(s.Value) + `)` +
			"(?:[\\s\"'`\\\\,;&|<>(){}\\[\\]]|$)",
	}
}

// assign matches the text between a name and its value in shells, settings, JSON (escaped or not) and programs.
const assign = `\\*["'` + "`" + `]?(?P<sign>[ \t]*(?::=|=>|[:=])[ \t]*)(?P<quote>\\*["'` + "`" + `])?`
