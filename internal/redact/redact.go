// Package redact takes secrets out of everything Stellwerk stores or shows. It knows two kinds: the exact values that
// were handed to an attempt, found raw, base64, hexadecimal, percent-encoded and backslash-escaped, also when wrapped
// over lines or cut by chunk borders; and text that looks like a credential, found by rules. Each find becomes
// [redacted:NAME], where NAME is that of the secret or the rule and never part of the value. It errs towards hiding.
// It must not log, keep or return what it hid, and it is no boundary against an agent that transforms a secret on
// purpose (reversed, encrypted, spelt out).
//
// A value shorter than [MinLength] bytes is too common a piece of ordinary text to hide everywhere. It is hidden only as
// the whole value of an assignment to its own name (PIN=1234, "pin": "1234").
//
// The work of the rules is bounded in proportion to the text. If so much of a text could be a credential that the bound is
// reached, the redactor hides the parts that the rules would still have had to look at, as [redacted:unchecked]. It finds
// exact values everywhere.
package redact

import (
	"bytes"
	"strings"
	"sync"
)

// MinLength is the least length in bytes, without white space around it, of a value that is hidden wherever it occurs.
const MinLength = 6

// Secret is a value to hide and the name to show in its place.
type Secret struct {
	Name  string
	Value string
}

// Options says what a [Redactor] hides.
type Options struct {
	Secrets []Secret
	Rules   *RuleSet // nil means a fresh [DefaultRules]; share one among redactors to compile each rule once
}

// Redactor hides secrets. It is safe for concurrent use.
type Redactor struct {
	exact   *exact
	rules   []*RuleSet
	markers map[string]bool // the names it may write
	views   sync.Pool

	hasKeys     bool
	longestName int
	baseWork    int
}

// New builds a Redactor. Building costs time in proportion to the secrets; rules compile when first needed.
func New(o Options) *Redactor {
	if o.Rules == nil {
		o.Rules = DefaultRules()
	}
	r := &Redactor{
		rules: []*RuleSet{o.Rules}, markers: map[string]bool{uncheckedName: true, keyName: true}, hasKeys: o.Rules.hasKeys, baseWork: baseWork,
	}
	r.views.New = func() any { return new(viewBuffers) }
	for _, rule := range o.Rules.rules {
		r.markers[rule.Name] = true
	}
	var long []Secret
	var short []Rule
	for _, s := range o.Secrets {
		s.Value = strings.TrimSpace(s.Value)
		if s.Value == "" {
			continue
		}
		name := cleanName(s.Name, o.Secrets)
		r.markers[name] = true
		if len(s.Value) < MinLength {
			short = append(short, ownNameRule(name, s))
			continue
		}
		long = append(long, Secret{Name: name, Value: s.Value})
	}
	for name := range r.markers {
		r.longestName = max(r.longestName, len(name))
	}
	r.exact = newExact(long)
	if len(short) > 0 {
		r.rules = append(r.rules, NewRuleSet(short))
	}
	return r
}

// String returns s without secrets, and s itself if there are none.
func (r *Redactor) String(s string) string { return r.Thread().String(s) }

// Bytes returns b without secrets, and b itself if there are none. It never writes to b.
func (r *Redactor) Bytes(b []byte) []byte {
	spans := r.Thread().find(b)
	if len(spans) == 0 {
		return b
	}
	return r.render(nil, b, spans)
}

// findPending finds the secrets in b, and where in b an exact value begins that more input could complete; len(b) if none
// does. It moves keys past b.
func (r *Redactor) findPending(b []byte, work *budget, keys *keyState) ([]span, int) {
	if !hasHidden(b) {
		spans, pending := r.findPlain(b, work, keys)
		if len(spans) == 0 {
			return nil, pending
		}
		return r.merge(b, spans), pending
	}
	before := *keys
	spans, pending := r.findPlain(b, work, &before)
	shown, begun := r.findRevealed(b, work, keys)
	return r.merge(b, append(spans, shown...)), min(pending, begun)
}

func (r *Redactor) findPlain(b []byte, work *budget, keys *keyState) ([]span, int) {
	buffers := r.views.Get().(*viewBuffers)
	defer r.views.Put(buffers)
	spans, pending := r.exact.find(b, buffers)
	for _, set := range r.rules {
		spans = set.find(b, spans, work)
	}
	if r.hasKeys {
		spans = findWallets(b, keys.find(b, spans))
	}
	return spans, pending
}

// render appends b to dst with every span replaced.
func (r *Redactor) render(dst, b []byte, spans []span) []byte {
	at := 0
	for _, s := range spans {
		dst = append(dst, b[at:s.start]...)
		if !s.isRest {
			dst = append(dst, markerOpen+s.name+markerClose...)
		}
		at = s.end
	}
	return append(dst, b[at:]...)
}

// cleanName makes a name fit for a marker. It replaces a name that contains a secret's value.
func cleanName(name string, secrets []Secret) string {
	clean := strings.Map(func(c rune) rune {
		if c == '_' || c == '-' || c == '.' || isAlnum(c) {
			return c
		}
		return '-'
	}, name)
	for _, s := range secrets {
		value := strings.TrimSpace(s.Value)
		if len(value) >= MinLength && (strings.Contains(name, value) || strings.Contains(clean, value)) {
			return "secret"
		}
	}
	if clean == "" {
		return "secret"
	}
	return clean
}

func isAlnum[T rune | byte](c T) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func hasMarker(b []byte) bool { return bytes.Contains(b, []byte(markerOpen)) }
