package wording_test

import (
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// What the other runs of a project spent and nobody told is not called nothing.
func TestWhatAProjectSpentMayBeUnknown(t *testing.T) {
	for want, spent := range map[string]core.Spent{
		"cost unknown, 9 tokens":   {Tokens: 9, Attempts: 2, Unpriced: 2},
		"at least $1.00, 9 tokens": {CostUSD: 1, Tokens: 9, Attempts: 2, Unpriced: 1},
		"$1.00, 9 tokens":          {CostUSD: 1, Tokens: 9, Attempts: 2},
		"$0.00, 0 tokens":          {},
	} {
		e, _, err := core.Seal("run/r", core.Head{}, core.Event{}.At, core.Engine(), "", core.ProjectSpent{Others: spent})
		if err != nil {
			t.Fatal(err)
		}
		if _, detail := wording.Event(e); !strings.HasPrefix(detail, want) {
			t.Errorf("got %q, want %q", detail, want)
		}
	}
}
