package wording_test

import (
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

func TestTurn(t *testing.T) {
	for want, c := range map[string]struct {
		key   string
		limit int
		runs  []string
		place int
	}{
		"waits its turn: 1 of 1 attempts at work (calm-fox), limits.parallel, next in line":                  {core.AttemptSlots("local"), 1, []string{"calm-fox"}, 1},
		"waits its turn: 2 of 2 managers at work, limits.parallel, number 3 in line":                         {core.ManagerSlots("local"), 2, nil, 3},
		"waits its turn: 5 of 5 attempts of this project at work (a, b, c, 2 more), limits.project.parallel": {core.ProjectSlots("0a1b"), 5, []string{"a", "b", "c", "d", "e"}, 0},
	} {
		if got := wording.Turn(core.Claim{Kind: core.ClaimSlot, Key: c.key, Limit: c.limit}, c.runs, c.place); got != want {
			t.Errorf("it says\n%s, want\n%s", got, want)
		}
	}
}
