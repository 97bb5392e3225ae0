package playbook

import (
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/itchyny/gojq"
	"github.com/stellwerk-dev/stellwerk/internal/config/yamlfile"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/regex"
)

// workflowFolder is where bytA's agents wrote documents.
const workflowFolder = ".workflow/"

// specGlob is a glob of the older form, relative to workflowFolder.
var specGlob = regex.Of(`^specs/issue-[*?]+-`)

// joint separates the parts of a compound: a plus or a double sign before a known word. Other signs belong to a command or
// an expression.
var joint = regex.Of(`\s*(\+|&&|\|\|)\s*(GLOB:|STATE:|VERIFY:|PHASE_STATUS\b)`)

// criterion translates the fourth part of a line.
func (i *importer) criterion(p *imported, line phaseLine) {
	text := strings.TrimPrefix(line.fields[3], "COMPOUND:")
	if text == "" {
		i.fail(line, 3, "is empty", "known: GLOB:, STATE:, VERIFY:, PHASE_STATUS, or a glob")
		return
	}
	parts, either := splitCompound(text)
	var checks []core.Check
	for _, part := range parts {
		if check, ok := i.part(p, line, part, either); ok {
			checks = append(checks, check)
		}
	}
	if either && len(checks) > 1 {
		checks = []core.Check{{Kind: core.CheckAny, Of: checks}}
	}
	p.done = append(p.done, checks...)
}

// splitCompound cuts a compound; either reports that one part is enough.
func splitCompound(text string) (parts []string, either bool) {
	for {
		at := joint().FindStringSubmatchIndex(text)
		if at == nil || at[0] == 0 {
			return append(parts, strings.TrimSpace(text)), either
		}
		parts = append(parts, strings.TrimSpace(text[:at[0]]))
		either = either || text[at[2]:at[3]] == "||"
		text = text[at[4]:]
	}
}

func (i *importer) part(p *imported, line phaseLine, part string, either bool) (core.Check, bool) {
	kind, rest, prefixed := strings.Cut(part, ":")
	rest = strings.TrimSpace(rest)
	switch {
	case part == "PHASE_STATUS":
		i.note(p.line, "PHASE_STATUS is dropped: whether a phase is done is never read from a state that agents write")
		return core.Check{}, false
	case prefixed && kind == "STATE":
		return i.state(p, line, rest)
	case prefixed && kind == "VERIFY":
		if rest == "" {
			i.fail(line, 3, "VERIFY: names no command", "")
			return core.Check{}, false
		}
		return core.Check{Kind: core.CheckCommand, Run: rest}, true
	case prefixed && kind == "GLOB":
		return i.glob(p, line, rest, either)
	case prefixed && capitals().MatchString(kind):
		i.fail(line, 3, "unknown criterion "+yamlfile.Quote(kind+":"), "known: GLOB:, STATE:, VERIFY:, PHASE_STATUS, or a glob")
		return core.Check{}, false
	}
	return i.glob(p, line, part, either)
}

// glob makes a file under .workflow/ an artifact and any other a change.
func (i *importer) glob(p *imported, line phaseLine, glob string, either bool) (core.Check, bool) {
	glob = strings.TrimPrefix(strings.Trim(glob, `"'`), "./")
	if reason := escapes(glob); glob == "" || reason != "" || !doublestar.ValidatePattern(glob) {
		i.fail(line, 3, "the glob "+yamlfile.Quote(glob)+" cannot be used", "name files inside the project, relative to its root")
		return core.Check{}, false
	}
	if !strings.HasPrefix(glob, workflowFolder) && !specGlob().MatchString(glob) {
		i.note(p.line, "%s must now be changed in this round; a file left over from earlier no longer counts", glob)
		return core.Check{Kind: core.CheckChanged, Globs: []string{glob}}, true
	}
	name := artifactFrom(glob)
	switch {
	case "."+name == path.Ext(glob):
		name = p.ID + path.Ext(glob)
	case !validArtifact(name), name == reservedArtifact:
		name = p.ID + ".md"
	}
	i.note(p.line, "%s is now the artifact %s, handed in through $STELLWERK_OUT", glob, name)
	if !slices.Contains(p.Outputs, name) {
		p.Outputs = append(p.Outputs, name)
	}
	if either {
		i.note(p.line, "an output is always required, so %s is no longer one of several possibilities", name)
		return core.Check{}, false
	}
	return core.Check{Kind: core.CheckArtifact, Name: name}, true
}

var (
	capitals    = regex.Of(`^[A-Z_]+$`)
	issuePrefix = regex.Of(`^issue-[*?]+-`)
	notInNames  = regex.Of(`[^A-Za-z0-9._-]+`)
	hyphens     = regex.Of(`-{2,}`)
)

// artifactFrom makes a plain name of a pattern: issue-*-plan.md becomes plan.md.
func artifactFrom(glob string) string {
	name := issuePrefix().ReplaceAllString(path.Base(glob), "")
	name = notInNames().ReplaceAllString(name, "")
	return strings.TrimLeft(hyphens().ReplaceAllString(name, "-"), "-._")
}

// comparison is an equality written without spaces.
var comparison = regex.Of(`\s*(==|!=)\s*`)

// state translates an expression over workflow-state.json. Only its context has a successor; the rest was internal.
func (i *importer) state(p *imported, line phaseLine, expr string) (core.Check, bool) {
	if !strings.HasPrefix(expr, ".") && !strings.HasPrefix(expr, "(") {
		expr = "." + expr
	}
	expr = comparison().ReplaceAllString(expr, " $1 ")
	switch {
	case strings.Contains(expr, "userApproved"):
		p.Gate = core.GateApproval
		i.note(p.line, "%s was the person's approval; the gate asks for it, and no agent can report it", expr)
		return core.Check{}, false
	case !strings.Contains(expr, ".context."):
		i.note(p.line, "%s was the orchestrator's own state and has no successor; the check is dropped", expr)
		return core.Check{}, false
	}
	expr = strings.ReplaceAll(expr, ".context.", ".")
	if query, err := gojq.Parse(expr); err != nil {
		i.fail(line, 3, "the expression "+yamlfile.Quote(expr)+" is not valid jq: "+err.Error(), "")
		return core.Check{}, false
	} else if _, err := gojq.Compile(query); err != nil {
		i.fail(line, 3, "the expression "+yamlfile.Quote(expr)+" is not valid jq: "+err.Error(), "")
		return core.Check{}, false
	}
	i.note(p.line, "%s is read from what agents report as context in report.json; it is no evidence by itself", expr)
	return core.Check{Kind: core.CheckState, Expr: expr}, true
}
