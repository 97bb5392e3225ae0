package telemetry

import (
	"sync"

	"github.com/stellwerk-dev/stellwerk/internal/plain"
)

// maxValue is how long an exported name may be, in bytes.
const maxValue = 96

// name makes a name of any text: without secrets, in one line, and short.
func name(redact func(string) string, s string) string {
	if redact != nil {
		s = redact(s)
	}
	return plain.Line(s, maxValue)
}

// values are the values of a label. There are at most so many, however many names a
// person's playbooks have: the rest become "other".
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
	if known, ok := v.known[s]; ok {
		return known
	}
	if len(v.known) >= v.most {
		return otherValue
	}
	v.known[s] = name(v.redact, s)
	return v.known[s]
}
