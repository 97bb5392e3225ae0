package wording

import (
	"fmt"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Preflight says what a person should know of what was found before a run began, a
// sentence each; nothing if all was well.
func Preflight(p *core.Preflight) []string {
	if p == nil {
		return nil
	}
	var notes []string
	for _, c := range p.Checks {
		switch {
		case c.Untold != "":
			notes = append(notes, fmt.Sprintf("not known on the base commit: %s: %s", c.Check, c.Untold))
		case !c.Passed:
			notes = append(notes, "red before we began: "+c.Check)
		}
	}
	for _, t := range p.Tools {
		inside := t.Inside
		if inside == "" {
			inside = "missing"
		}
		notes = append(notes, fmt.Sprintf("%s is %s in your shell, and %s inside the isolation", t.Name, t.Outside, inside))
	}
	if len(p.Uncompared) > 0 {
		notes = append(notes, "time ran out before these were compared with the isolation: "+strings.Join(p.Uncompared, ", "))
	}
	if p.Skipped != "" {
		notes = append(notes, "no preflight: "+p.Skipped)
	}
	return notes
}
