package wording_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// TestWhatAPreflightFound is said of what differs, failed or is not known, and of nothing else.
func TestWhatAPreflightFound(t *testing.T) {
	for name, test := range map[string]struct {
		found *core.Preflight
		want  []string
	}{
		"none":        {nil, nil},
		"all is well": {&core.Preflight{Checks: []core.BaseCheck{{Check: "go test", Passed: true}}}, nil},
		"checks": {
			&core.Preflight{Checks: []core.BaseCheck{{Check: "go test"}, {Check: "make lint", Untold: "it takes too long"}}},
			[]string{"red before we began: go test", "not known on the base commit: make lint: it takes too long"},
		},
		"tools": {
			&core.Preflight{Tools: []core.ToolVersion{{Name: "node", Outside: "v22 at /home/me/node", Inside: "v20 at /usr/bin/node"}, {Name: "jest", Outside: "at /home/me/jest"}}},
			[]string{"node is v22 at /home/me/node in your shell, and v20 at /usr/bin/node inside the isolation", "jest is at /home/me/jest in your shell, and missing inside the isolation"},
		},
		"no time for tools": {
			&core.Preflight{Uncompared: []string{"slow", "third"}},
			[]string{"time ran out before these were compared with the isolation: slow, third"},
		},
		"none was wanted": {&core.Preflight{Skipped: "--no-preflight"}, []string{"no preflight: --no-preflight"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, wording.Preflight(test.found)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
