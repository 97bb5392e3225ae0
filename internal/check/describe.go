package check

import (
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
)

// maxDescription bounds the one line a check is named by.
const maxDescription = 200

// Describe is a check in one line, as a person wrote it; compounds in words.
func Describe(c core.Check) string { return plain.Line(describe(c), maxDescription) }

// Names are the checks that Evaluate reports on, in its order, for a task with these outputs.
func Names(c core.Check, outputs []string) []string {
	if c.Kind == "" {
		c = core.Check{Kind: core.CheckAll}
	}
	var names []string
	for _, part := range append(flatten(c), implied(c, outputs)...) {
		names = append(names, Describe(part))
	}
	return names
}

func describe(c core.Check) string {
	switch c.Kind {
	case core.CheckAll:
		return "all of (" + join(c.Of) + ")"
	case core.CheckAny:
		return "any of (" + join(c.Of) + ")"
	case core.CheckNot:
		if len(c.Of) == 1 && c.Of[0].Kind == core.CheckAlone {
			if slices.Equal(c.Of[0].Globs, []string{"**"}) {
				return "something changed"
			}
			return "touched: " + strings.Join(c.Of[0].Globs, ", ")
		}
		return "not (" + join(c.Of) + ")"
	case core.CheckChanged, core.CheckFiles:
		return string(c.Kind) + ": " + strings.Join(c.Globs, ", ")
	case core.CheckCommand:
		return "command: " + c.Run
	case core.CheckArtifact:
		return "artifact: " + c.Name
	case core.CheckState:
		return "state: " + c.Expr
	case core.CheckGit:
		return "git: " + strings.Join(describeGit(c.Git), ", ")
	case core.CheckPlan:
		return "plan: " + c.Name
	case core.CheckAlone:
		return "left alone: " + strings.Join(c.Globs, ", ")
	case core.CheckOutput:
		return "output: " + core.OutputArtifact
	case core.CheckDecision:
		return "decision: " + core.DecisionArtifact
	case core.CheckMerge:
		return "merge: takes in " + short(c.Into)
	}
	return "unknown check " + string(c.Kind)
}

func join(checks []core.Check) string {
	parts := make([]string, len(checks))
	for i, c := range checks {
		parts[i] = describe(c)
	}
	return strings.Join(parts, "; ")
}

func describeGit(g *core.GitCheck) []string {
	if g == nil {
		return nil
	}
	var parts []string
	if g.Commits > 0 {
		parts = append(parts, "at least "+count(g.Commits, "commit"))
	}
	if g.Linear {
		parts = append(parts, "linear")
	}
	if g.Message != "" {
		parts = append(parts, "subjects match "+g.Message)
	}
	if g.MaxFiles > 0 {
		parts = append(parts, "at most "+count(g.MaxFiles, "file"))
	}
	if g.MaxLines > 0 {
		parts = append(parts, "at most "+count(g.MaxLines, "line"))
	}
	return parts
}
