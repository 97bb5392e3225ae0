package dispatch

import (
	"fmt"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/check"
	"github.com/stellwerk-dev/stellwerk/internal/check/plain"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// waves is what the pull request of a run in waves says of its delegations: what
// was done, what was not, and what the code was held to.
func waves(run *core.Run) string {
	var b strings.Builder
	wave := 0
	for _, d := range run.Waves.Works {
		if d.Wave != wave {
			wave = d.Wave
			fmt.Fprintf(&b, "\n## Wave %d\n\n", wave)
		}
		box, after := "[ ]", fmt.Sprintf(": %s", d.Status)
		if d.Status == core.DelegatedDone {
			box, after = "[x]", ""
		}
		if d.Reason != "" {
			after += ", " + plain.Line(d.Reason, 200)
		}
		fmt.Fprintf(&b, "- %s %s%s\n", box, plain.Line(d.Brief.ID+" ("+d.Brief.Agent+"): "+d.Brief.Title(), 200), after)
	}
	if names := check.Names(run.Playbook.Project.Done, nil); len(names) > 0 {
		fmt.Fprintf(&b, "\nVerified on each branch and again on each merge: `%s`\n", strings.Join(names, "`, `"))
	}
	return b.String()
}
