package wording

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Short is the beginning of a digest, or "nothing" if there is none.
func Short(digest string) string {
	digest = strings.TrimPrefix(digest, "sha256:")
	if len(digest) > 10 {
		return digest[:10]
	}
	return cmp.Or(digest, "nothing")
}

// Exit is how an attempt ended, said of its agent.
func Exit(kind core.ExitKind) string {
	switch kind {
	case core.ExitNoStart:
		return "did not start"
	case core.ExitTimeout:
		return "timed out"
	case core.ExitLost:
		return "was lost"
	case core.ExitCancelled:
		return "was stopped"
	case core.ExitFinished, core.ExitFailed:
	}
	return string(kind)
}

// Colon is a, followed by what b says about it, if anything.
func Colon(a, b string) string {
	if b == "" {
		return a
	}
	return a + ": " + b
}

// Count is a number of things; empty if there are none.
func Count(n int, noun string) string {
	if n == 0 {
		return ""
	}
	return Number(n, noun, noun+"s")
}

// Number is a number with its noun, in the singular or the plural.
func Number(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// InLine says where somebody stands in a line, from 1, as the end of a sentence;
// nothing for 0.
func InLine(place int) string {
	switch place {
	case 0:
		return ""
	case 1:
		return ", next in line"
	}
	return fmt.Sprintf(", number %d in line", place)
}
