package telemetry

import (
	"strings"
	"sync"
	"unicode"
)

// maxValue is how long a name may be that leaves, in characters.
const maxValue = 96

// plain makes a name of what may be anything: without secrets, in one line, and
// short.
func plain(redact func(string) string, s string) string {
	if redact != nil {
		s = redact(s)
	}
	n := 0
	return strings.Map(func(r rune) rune {
		n++
		if n > maxValue || unicode.IsControl(r) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, s)
}

// values are the values of a label. There are never more than so many, however
// many names a person's playbooks have: the rest are "other".
type values struct {
	most   int
	redact func(string) string

	mu    sync.Mutex
	known map[string]string
}

func newValues(most int, redact func(string) string) *values {
	return &values{most: most, redact: redact, known: map[string]string{}}
}

const (
	noValue    = "none"
	otherValue = "other"
)

func (v *values) of(s string) string {
	if s == "" {
		return noValue
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if name, ok := v.known[s]; ok {
		return name
	}
	if len(v.known) >= v.most {
		return otherValue
	}
	v.known[s] = plain(v.redact, s)
	return v.known[s]
}
