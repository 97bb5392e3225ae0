package wording_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

func TestParts(t *testing.T) {
	for advice, want := range map[string][]wording.Part{
		"":           nil,
		"look again": {{Text: "look again"}},
		"`stellwerk retry r1` tries again, `limits.cost` is a setting": {
			{Text: "stellwerk retry r1", Typed: true, Command: []string{"retry", "r1"}}, {Text: " tries again, "},
			{Text: "limits.cost", Typed: true}, {Text: " is a setting"},
		},
		"start `stellwerk`, or `stellwerk resume r1 --max-cost U": { // cut short
			{Text: "start "}, {Text: "stellwerk", Typed: true}, {Text: ", or "},
			{Text: "stellwerk resume r1 --max-cost U", Typed: true, Command: []string{"resume", "r1", "--max-cost", "U"}},
		},
	} {
		if diff := cmp.Diff(want, wording.Parts(advice)); diff != "" {
			t.Errorf("%q:\n%s", advice, diff)
		}
	}
}
