package dispatch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
)

// waves is what the pull request of a run in waves says of its delegations: what
// was done, what was not, and what the code was held to.
func waves(run *core.Run) string {
	var b strings.Builder
	wave := 0
	for _, d := range run.Waves.Works {
		if d.Wave != wave {
			wave = d.Wave
			fmt.Fprintf(&b, "\n## Wave %d\n\n%s", wave, planned(run, wave))
		}
		box, after := "[ ]", fmt.Sprintf(": %s", d.Status)
		if d.Status == core.DelegationDone {
			box, after = "[x]", ""
		}
		if heir := heir(run, d); heir != "" {
			after += ", taken over by " + heir
		}
		if d.Reason != "" {
			after += ", " + quotedLine(d.Reason, 200)
		}
		fmt.Fprintf(&b, "- %s %s: %s%s\n", box, plain.Line(d.Brief.ID+" ("+d.Brief.Agent+")", 100), quotedLine(d.Brief.Title(), 200), after)
		if d.Answer != nil && d.Answer.Compact != "" {
			fmt.Fprintf(&b, "  - its worker says %s\n", quotedLine(d.Answer.Compact, 300))
		}
	}
	return b.String() + mergeChecks(run)
}

// planned is why the planner wanted a wave, which it said when it closed the one before.
func planned(run *core.Run, wave int) string {
	for _, end := range run.Waves.Ends {
		if end.Wave == wave-1 && end.Reason != "" {
			return "Planned, in the planner's words: " + quotedLine(end.Reason, 400) + "\n\n"
		}
	}
	return ""
}

// heir is the delegation that took over what one left unmet; "" if there is none.
func heir(run *core.Run, d *core.Delegated) string {
	for _, other := range run.Waves.Works {
		if slices.Contains(other.Brief.Replaces, d.Brief.ID) {
			return plain.Line(other.Brief.ID, 100)
		}
	}
	return ""
}
