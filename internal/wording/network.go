package wording

import (
	"fmt"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Refused says which connections of an attempt were refused; empty if none were.
func Refused(t *core.Traffic) string {
	if t == nil {
		return ""
	}
	var parts []string
	if t.Refused > 0 {
		parts = append(parts, fmt.Sprintf("%s refused (%s)", Count(t.Refused, "connection"), strings.Join(t.Turned, ", ")))
	}
	if t.Unrouted > 0 {
		parts = append(parts, fmt.Sprintf("%s sent past the proxy, to nowhere", Count(int(t.Unrouted), "packet")))
	}
	return strings.Join(parts, "; ")
}

// Reach says what can be reached, besides the model.
func Reach(hosts []string) string {
	if len(hosts) == 0 {
		return "nothing"
	}
	return strings.Join(hosts, ", ")
}
