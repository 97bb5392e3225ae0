package core_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestPlain: it is what strings.Fields and strings.ToLower make of a text.
func TestPlain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[ \tA-cÄ-ü.?!\x{a0}\x{130}]{0,20}`)).Draw(t, "text")
		words := strings.Fields(strings.ToLower(text))
		if got, want := core.Plain(text), strings.TrimRight(strings.Join(words, " "), "?!. "); got != want {
			t.Fatalf("%q is %q, not %q", text, got, want)
		}
		if got, want := core.FactKey(text), strings.Join(words, "_"); got != want {
			t.Fatalf("%q is %q, not %q", text, got, want)
		}
	})
}
