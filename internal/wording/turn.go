package wording

import (
	"fmt"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// shownHolders is how many runs a sentence about slots names.
const shownHolders = 3

// Taken says of which pool a claim found no slot, and which setting limits it: "1 of 1 attempts at work (calm-fox),
// limits.parallel". The runs are those at work, as far as they are known.
func Taken(c core.Claim, runs []string) string {
	what, setting := "attempts", "limits.parallel"
	switch core.PoolKind(c.Key) {
	case "managers":
		what = "managers"
	case "":
		what, setting = "attempts of this project", "limits.project.parallel"
	}
	text := "all " + what + " at work"
	if c.Limit > 0 {
		text = fmt.Sprintf("%d of %d %s at work", c.Limit, c.Limit, what)
	}
	if more := len(runs) - shownHolders; more > 0 {
		runs = append(runs[:shownHolders:shownHolders], fmt.Sprintf("%d more", more))
	}
	if len(runs) > 0 {
		text += " (" + strings.Join(runs, ", ") + ")"
	}
	return text + ", " + setting
}

// Turn says what a task waits for until it has its slots, and where it stands in the line, from 1.
func Turn(c core.Claim, runs []string, place int) string {
	return "waits its turn: " + Taken(c, runs) + InLine(place)
}
