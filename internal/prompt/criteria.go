package prompt

import (
	"fmt"
	"path"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
	roles "github.com/stellwerk-dev/stellwerk/internal/role"
)

// maxScript bounds a command that is shown in full.
const maxScript = 2 << 10

// Criteria are the checks as sentences, in a Markdown list. Outputs that no check mentions are added.
func (v view) Criteria() string {
	var b strings.Builder
	v.criterion(&b, v.Done, "")
	for _, name := range v.Outputs {
		if !v.Done.Mentions(name) {
			v.criterion(&b, core.Check{Kind: core.CheckArtifact, Name: name}, "")
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// criterion writes one check as an item, and the parts of a compound below it. The parts of the outermost `all` become
// items of the list itself.
func (v view) criterion(b *strings.Builder, c core.Check, indent string) {
	inner := indent + "  "
	switch c.Kind {
	case core.CheckAll:
		if indent != "" {
			fmt.Fprintf(b, "%s- All of these hold:\n", indent)
		} else {
			inner = indent
		}
	case core.CheckAny:
		fmt.Fprintf(b, "%s- At least one of these holds:\n", indent)
	case core.CheckNot:
		if len(c.Of) == 1 && c.Of[0].Kind == core.CheckAlone {
			fmt.Fprintf(b, "%s- Your commits change, delete or rename a file that matches %s.\n", indent, each(c.Of[0].Globs))
			return
		}
		fmt.Fprintf(b, "%s- This must **not** hold:\n", indent)
	case core.CheckChanged, core.CheckFiles, core.CheckCommand, core.CheckArtifact, core.CheckState, core.CheckGit, core.CheckPlan, core.CheckMerge, core.CheckAlone,
		core.CheckOutput, core.CheckDecision:
		fmt.Fprintf(b, "%s- %s\n", indent, strings.ReplaceAll(v.sentence(c), "\n", "\n"+inner))
	}
	for _, member := range c.Of {
		v.criterion(b, member, inner)
	}
}

// sentence is a check that has no parts.
func (v view) sentence(c core.Check) string {
	switch c.Kind {
	case core.CheckChanged:
		return fmt.Sprintf("Commits since `%s` add or modify a file that matches %s. Deleting a file does not count, nor does a symbolic link.",
			short(v.Since), each(c.Globs))
	case core.CheckFiles:
		return fmt.Sprintf("The committed files include one that matches %s.", each(c.Globs))
	case core.CheckCommand:
		return v.command(c)
	case core.CheckArtifact:
		return v.artifact(c)
	case core.CheckState:
		return fmt.Sprintf("The jq expression %s is true of the `context` you report in %s, merged over what earlier phases reported. Report only what is true.",
			plain.Code(c.Expr, maxScript), plain.Code(path.Join(v.Paths.Out, ReportName), 1<<10))
	case core.CheckGit:
		return v.history(c.Git)
	case core.CheckPlan:
		return fmt.Sprintf("%s is a plan in the form shown above, with at least one open step.", plain.Code(path.Join(v.Paths.Out, c.Name), 1<<10))
	case core.CheckOutput, core.CheckDecision:
		return v.document(c)
	case core.CheckAlone:
		return fmt.Sprintf("You changed, deleted, renamed or replaced no file that matches %s.", each(c.Globs))
	case core.CheckMerge:
		return fmt.Sprintf("Your last commit descends from `%s` as well as from what you started with, has no conflict markers, and drops nothing from either side.", short(c.Into))
	case core.CheckAll, core.CheckAny, core.CheckNot:
	}
	return ""
}

func (v view) command(c core.Check) string {
	within := ""
	if c.Timeout > 0 {
		within = " within " + duration(c.Timeout)
	}
	where := " in a clean checkout of your last commit."
	if !v.Code() {
		where = fmt.Sprintf(" in a clean checkout of commit `%s`.", short(v.Base))
	}
	if script := strings.TrimSpace(c.Run); strings.Contains(script, "\n") {
		return "This script exits with status 0" + within + where + "\n" + plain.Fence(plain.Head(script, maxScript))
	}
	return plain.Code(c.Run, maxScript) + " exits with status 0" + within + where
}

func (v view) artifact(c core.Check) string {
	s := plain.Code(path.Join(v.Paths.Out, c.Name), 1<<10) + " exists and is not empty"
	if len(c.Schema) > 0 {
		s += ", is JSON, and is valid against the schema in " + plain.Code(path.Join(v.Paths.In, schemaName(c.Name)), 1<<10)
	}
	if c.Name == roles.ReviewArtifact {
		s += ", and has the form shown below"
	}
	return s + "."
}

// document says which form a document of a run in waves has, and what an answer must cover.
func (v view) document(c core.Check) string {
	s := fmt.Sprintf("%s is one JSON object and nothing else, valid against the schema in %s.",
		plain.Code(path.Join(v.Paths.Out, c.Artifact()), 1<<10), plain.Code(path.Join(v.Paths.In, schemaName(c.Artifact())), 1<<10))
	if len(c.Names) > 0 {
		s += " With the status `completed`, the output folder also holds these documents: " + each(c.Names) + "."
	}
	if len(c.Criteria) == 0 {
		return s
	}
	s += " Its `coverage` has each of these criteria word for word in one of its two lists; with the status `completed`, none is unmet:"
	for _, criterion := range c.Criteria {
		s += "\n- " + plain.Code(criterion.Text, maxScript)
		if criterion.Check != "" {
			s += ", which Stellwerk checks with " + plain.Code(criterion.Check, maxScript)
		}
	}
	return s
}

func (v view) history(g *core.GitCheck) string {
	if g == nil {
		return ""
	}
	var wants []string
	if g.Commits > 0 {
		wants = append(wants, fmt.Sprintf("there are %d or more", g.Commits))
	}
	if g.Linear {
		wants = append(wants, "none of them is a merge")
	}
	if g.Message != "" {
		wants = append(wants, "the first line of every message matches the regular expression "+plain.Code(g.Message, maxScript))
	}
	if g.MaxFiles > 0 {
		wants = append(wants, fmt.Sprintf("they change at most %d files", g.MaxFiles))
	}
	if g.MaxLines > 0 {
		wants = append(wants, fmt.Sprintf("they add and remove at most %d lines in all", g.MaxLines))
	}
	return fmt.Sprintf("Of the commits since `%s`: %s.", short(v.Since), strings.Join(wants, "; "))
}

// each names patterns that must all be matched.
func each(globs []string) string {
	quoted := make([]string, len(globs))
	for i, g := range globs {
		quoted[i] = code(g)
	}
	return strings.Join(quoted, ", and one that matches ")
}
