package prompt

import (
	"cmp"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
	roles "github.com/stellwerk-dev/stellwerk/internal/role"
)

// view is what the templates see: the input, and what follows from it.
type view struct{ Input }

// Heading names the phase.
func (v view) Heading() string { return plain.Line(cmp.Or(v.Phase.Title, v.Phase.ID), maxInline) }

// Who is the role as the end of a sentence.
func (v view) Who() string {
	who := code(v.Role.Name)
	if v.Role.Description != "" {
		who += ": " + plain.Line(v.Role.Description, 2*maxInline)
	}
	return strings.TrimSuffix(who, ".") + "."
}

func (v view) Code() bool { return v.Writes == core.WritesCode }

// Others are the other specialists of the team.
func (v view) Others() []string {
	return slices.DeleteFunc(slices.Clone(v.Team), func(name string) bool { return name == v.Task })
}

// GoalText is the goal as far as it is shown; GoalCut reports that only a file has the rest.
func (v view) GoalText() string { return plain.Head(v.Goal, maxGoal) }
func (v view) GoalCut() bool    { return len(strings.Trim(plain.Text(v.Goal), "\n")) > maxGoal }

// Present are the available inputs, Absent the optional ones that nobody handed in.
func (v view) Present() []InputFile { return v.inputs(true) }
func (v view) Absent() []InputFile  { return v.inputs(false) }

func (v view) inputs(there bool) []InputFile {
	return slices.DeleteFunc(slices.Clone(v.Inputs), func(f InputFile) bool { return (f.Stage != "") != there })
}

// Continues reports that earlier attempts of the round left commits.
func (v view) Continues() bool { return v.Code() && v.Base != v.Since }

// Refused reports that the last attempt handed in code that could not be taken over.
func (v view) Refused() bool {
	return v.Code() && v.Last.Delivery != nil && v.Last.Delivery.Commit == ""
}

// Reports reports whether a check reads what the agent reports.
func (v view) Reports() bool { return uses(v.Done, core.CheckState) }

func uses(c core.Check, kind core.CheckKind) bool {
	return c.Kind == kind || slices.ContainsFunc(c.Of, func(m core.Check) bool { return uses(m, kind) })
}

// Reviews reports whether the task hands in a review.
func (v view) Reviews() bool { return slices.Contains(v.Outputs, roles.ReviewArtifact) }

// FindingTypes are the types of findings that the playbook assigns to a phase.
func (v view) FindingTypes() []string {
	if v.Phase.Rollback == nil {
		return nil
	}
	var types []string
	for _, rule := range v.Phase.Rollback.Types {
		if !slices.Contains(types, rule.Match) {
			types = append(types, rule.Match)
		}
	}
	return types
}
