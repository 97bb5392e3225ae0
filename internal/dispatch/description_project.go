package dispatch

import (
	"fmt"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/check"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// steps is what a project's pull request says of its plan: every step, what was
// left out, and what was asked for later.
func steps(run *core.Run) string {
	var b strings.Builder
	b.WriteString("## Steps\n\n")
	for _, step := range run.Driving.Plan.Steps {
		title := step.ID + ". " + quotedLine(step.Title, 200)
		s := run.Stage("step-" + step.ID)
		switch {
		case s != nil && s.Status == core.StageDone:
			fmt.Fprintf(&b, "- [x] %s: %s\n", title, account(s))
		case s != nil && s.Status == core.StageOmitted:
			fmt.Fprintf(&b, "- [ ] %s: left out\n", title)
		case step.Done && run.ByManager():
			fmt.Fprintf(&b, "- [x] %s\n", title)
		case step.Done:
			fmt.Fprintf(&b, "- [x] %s: done before\n", title)
		}
	}
	b.WriteString(delegations(run))
	for _, s := range run.Stages {
		if s.Wish != nil && s.Status == core.StageDone {
			fmt.Fprintf(&b, "- [x] Asked for later: %s: %s\n", quotedLine(s.Wish.Text, 200), account(s))
		}
	}
	return b.String() + mergeChecks(run)
}

// mergeChecks names what every branch of a project is held to.
func mergeChecks(run *core.Run) string {
	names := check.Names(run.Playbook.Project.Done, nil)
	if len(names) == 0 {
		return ""
	}
	return "\nVerified on each branch and again on each merge: `" + strings.Join(names, "`, `") + "`\n"
}

// delegations is what a manager had done, the newest of it.
func delegations(run *core.Run) string {
	var b strings.Builder
	for _, d := range run.Managing.Delegations {
		if d.Status == core.DelegationDone && !d.Proposal.Kind.EngineAct() {
			fmt.Fprintf(&b, "- %s: %s\n", d.ID, quotedLine(d.Proposal.Name(), 200))
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return "\n## Work\n\n" + b.String()
}

// account is what a step took.
func account(s *core.Stage) string {
	attempts, reviewed, conflict := 0, "not reviewed", ""
	cost := core.CostOf(0, 0)
	for _, t := range s.Tasks {
		attempts += t.Requested
		for _, a := range t.Attempts {
			cost = cost.Plus(a.Cost())
		}
		switch t.Kind {
		case core.KindReview:
			reviewed = "reviewed"
		case core.KindFix:
			reviewed = "reviewed, changes made"
		case core.KindResolve:
			conflict = ", conflicts resolved"
		default:
		}
	}
	text := fmt.Sprintf("%d attempts, %s%s", attempts, reviewed, conflict)
	if s.Round > 1 {
		text += fmt.Sprintf(", begun %d times", s.Round)
	}
	if cost.Known() > 0 {
		text += ", " + wording.Cost(cost)
	}
	return text
}
