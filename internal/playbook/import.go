package playbook

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stellwerk-dev/stellwerk/internal/config/yamlfile"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/role"
)

// Import turns bytA's phases.conf into a playbook, named after the file. Errors are Problems with line and column. The
// notes say, line by line, what has another meaning now.
func Import(file string, data []byte) (playbook []byte, notes []string, err error) {
	report := yamlfile.NewReport(file)
	if len(data) > yamlfile.MaxBytes {
		report.Add(Problem{Line: 1, Column: 1, Message: "the file is too large for a list of phases"})
		return nil, nil, report.Err()
	}
	i := &importer{report: report}
	for _, line := range phaseLines(report, data) {
		i.phase(line)
	}
	if len(i.phases) == 0 && report.Err() == nil {
		report.Add(Problem{Line: 1, Column: 1, Message: "no phase was found",
			Hint: `a phase is a line such as "0|architect-planner|APPROVAL|GLOB:.workflow/specs/issue-*-plan.md"`})
	}
	if err := report.Err(); err != nil {
		return nil, nil, err
	}
	i.connect()
	text, err := i.render(importedName(file))
	if err != nil {
		return nil, nil, err
	}
	return text, i.sortedNotes(), nil
}

// phaseLine is a line of the file that declares a phase.
type phaseLine struct {
	line, column int
	fields       []string // number, agent, type, criterion
}

// phaseLines finds the declarations, within PHASES=( … ) or without it, and reports lines that are something else.
func phaseLines(report *yamlfile.Report, data []byte) []phaseLine {
	var found []phaseLine
	for at, raw := range bytes.Split(data, []byte("\n")) {
		text := strings.TrimSpace(string(raw))
		column := len(string(raw)) - len(strings.TrimLeft(string(raw), " \t")) + 1
		text = strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(text, "declare -a "), "PHASES=("))
		if text == "" || text == ")" || strings.HasPrefix(text, "#") {
			continue
		}
		line := phaseLine{line: at + 1, column: column}
		if !utf8.ValidString(text) || strings.ContainsFunc(text, unseen) {
			report.Add(Problem{Line: line.line, Column: column, Message: "the line holds characters that cannot be seen",
				Hint: "save the file as plain text, in UTF-8"})
			continue
		}
		text, ok := unquote(text)
		if line.fields = strings.SplitN(text, "|", 4); !ok || len(line.fields) != 4 {
			report.Add(Problem{Line: line.line, Column: column, Message: "this is not a phase",
				Hint: "a phase has four parts: number|agent|type|criterion"})
			continue
		}
		for i := range line.fields {
			line.fields[i] = strings.TrimSpace(line.fields[i])
		}
		found = append(found, line)
	}
	return found
}

// unseen reports a character that a person would not notice.
func unseen(r rune) bool { return unicode.IsControl(r) && r != '\t' }

// unquote removes the quotation marks of an array element and what follows them.
func unquote(text string) (string, bool) {
	mark := text[0]
	if mark != '"' && mark != '\'' {
		return strings.TrimSpace(strings.TrimSuffix(text, ")")), true
	}
	end := strings.LastIndexByte(text, mark)
	if end == 0 {
		return "", false
	}
	rest := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text[end+1:]), ")"))
	inner := text[1:end]
	if mark == '"' {
		inner = strings.NewReplacer(`\"`, `"`, `\\`, `\`, `\$`, `$`).Replace(inner)
	}
	return inner, rest == "" || strings.HasPrefix(rest, "#")
}

type importer struct {
	report *yamlfile.Report
	phases []*imported
	notes  []importNote
}

type importNote struct {
	line int
	text string
}

// imported is a phase that is being translated.
type imported struct {
	core.Phase
	line  int
	agent string
	done  []core.Check
}

func (i *importer) note(line int, format string, args ...any) {
	i.notes = append(i.notes, importNote{line, fmt.Sprintf(format, args...)})
}

// endOfFile is the line of notes that concern no line.
const endOfFile = math.MaxInt

func (i *importer) sortedNotes() []string {
	slices.SortStableFunc(i.notes, func(a, b importNote) int { return cmp.Compare(a.line, b.line) })
	texts := make([]string, len(i.notes))
	for at, note := range i.notes {
		if texts[at] = note.text; note.line != endOfFile {
			texts[at] = fmt.Sprintf("line %d: %s", note.line, note.text)
		}
	}
	return texts
}

func (i *importer) fail(line phaseLine, field int, message, hint string) {
	i.report.Add(Problem{Line: line.line, Column: line.column, Path: []string{"number", "agent", "type", "criterion"}[field],
		Message: message, Hint: hint})
}

func (i *importer) phase(line phaseLine) {
	number, err := strconv.Atoi(line.fields[0])
	if err != nil || number < 0 {
		i.fail(line, 0, yamlfile.Quote(line.fields[0])+" is not a phase number", "")
	} else if number != len(i.phases) {
		i.note(line.line, "the phase has the number %d and is number %d in order; the order of the lines counts", number, len(i.phases))
	}
	p := &imported{line: line.line, agent: strings.TrimPrefix(line.fields[1], "bytA:")}
	switch kind := strings.ToUpper(line.fields[2]); kind {
	case "AUTO":
		p.Gate = core.GateAuto
	case "APPROVAL":
		p.Gate = core.GateApproval
	case "SKIP":
		p.Gate, p.Skip = core.GateAuto, true
	default:
		i.fail(line, 2, "unknown type "+yamlfile.Quote(line.fields[2]), "known: APPROVAL, AUTO, SKIP")
	}
	if i.isPublish(p.agent, line.fields[3]) {
		i.publish(p)
	} else {
		i.work(p, line)
	}
	i.phases = append(i.phases, p)
}

// isPublish recognises the phase of push and pull request, which the orchestrator did itself.
func (i *importer) isPublish(agent, criterion string) bool {
	switch strings.ToLower(agent) {
	case "orchestrator", "-", "", "none":
		return true
	}
	return strings.Contains(criterion, "prUrl")
}

func (i *importer) publish(p *imported) {
	p.ID, p.Act = i.freeID("publish"), core.ActPullRequest
	if p.Gate = core.GateApproval; p.Skip {
		p.Skip = false
		i.note(p.line, "the phase was skipped; remove it from the playbook if nothing is to be published")
	}
	i.note(p.line, "push and pull request are the engine's own act; its criterion is not needed: the phase passes when the pull request is there")
}

func (i *importer) work(p *imported, line phaseLine) {
	known, ok := specialist(p.agent)
	if !ok && !role.ValidName(p.agent) {
		i.fail(line, 1, yamlfile.Quote(p.agent)+" is not a valid role name", idHint)
		return
	}
	p.ID, p.Title, p.Writes = i.freeID(known.id), known.title, known.writes
	if p.Role = p.agent; p.agent == teamPlanning {
		p.Role = ""
		p.Team = &core.Team{Spokes: []string{"spring-boot-developer", "angular-frontend-developer", "test-engineer"}, Hub: "architect-planner", Fallback: "architect-planner"}
		i.note(p.line, "%s is a team of %s with the hub %s", teamPlanning, strings.Join(p.Team.Spokes, ", "), p.Team.Hub)
	}
	i.criterion(p, line)
	if p.agent == reviewer || p.agent == auditor {
		i.review(p)
	}
	if len(p.Outputs) == 0 && core.TreeOnly(core.Check{Kind: core.CheckAll, Of: p.done}) {
		p.VerifyFirst = true
		i.note(p.line, "the command runs first, as before: if it succeeds already, no agent is started. Remove verify_first, or add a changed check, if an agent must work in any case")
	}
	if len(p.Outputs) == 0 && !mentions(core.Check{Of: p.done}, core.CheckChanged, core.CheckFiles, core.CheckCommand) {
		report := p.ID + ".md"
		p.Outputs = []string{report}
		i.note(p.line, "nothing outside the agent showed that the phase is done; it now hands in %s", report)
	}
}

// review adds the document of a review, from which findings are read.
func (i *importer) review(p *imported) {
	p.Outputs = append([]string{role.ReviewArtifact}, p.Outputs...)
	p.Findings = core.FindingsAsk
	if p.agent == auditor {
		i.note(p.line, "the audit hands in its findings as %s, so that they have a way back as those of the review have", role.ReviewArtifact)
		return
	}
	i.note(p.line, "what was context.reviewFeedback is now the artifact %s: status and findings (type, file, line, severity, issue)", role.ReviewArtifact)
}

func (i *importer) freeID(id string) string {
	taken := func(id string) bool {
		return slices.ContainsFunc(i.phases, func(p *imported) bool { return p.ID == id })
	}
	if len(id) > 36 {
		id = strings.Trim(id[:36], "-")
	}
	free := id
	for n := 2; taken(free); n++ {
		free = fmt.Sprintf("%s-%d", id, n)
	}
	return free
}

// importedName is the file's name without its extension, if a playbook can have it.
func importedName(file string) string {
	name := strings.TrimSuffix(path.Base(filepath.ToSlash(file)), path.Ext(file))
	if !validID(name) {
		return "imported"
	}
	return name
}

// noteRoles says which roles lack instructions, and which use a built-in role until a file replaces it.
func (i *importer) noteRoles(names []string) {
	builtin := role.Builtin()
	var own, known []string
	for _, name := range names {
		if _, ok := builtin[name]; ok {
			known = append(known, name)
		} else {
			own = append(own, name)
		}
	}
	if len(known) > 0 {
		i.note(endOfFile, "these roles come with Stellwerk; to keep your own words, copy the agents' Markdown files to "+role.Folder+"/ (%s)", strings.Join(known, ", "))
	}
	if len(own) > 0 {
		i.note(endOfFile, "these roles have no instructions yet: copy the agents' Markdown files to "+role.Folder+"/ (%s)", strings.Join(own, ", "))
	}
}

func (i *importer) render(name string) ([]byte, error) {
	book := &parser{out: core.Playbook{Name: name, Kind: KindPhases}, roles: map[string]roleDraft{}}
	for _, p := range i.phases {
		if p.Team != nil {
			for _, name := range append(p.Team.Spokes, p.Team.Hub) {
				book.roles[name] = roleDraft{}
			}
		} else if p.Role != "" {
			book.roles[p.Role] = roleDraft{}
		}
		p.Done = core.Check{Kind: core.CheckAll, Of: p.done}
		book.out.Phases = append(book.out.Phases, p.Phase)
	}
	i.noteRoles(slices.Sorted(maps.Keys(book.roles)))
	return book.render(KindPhases)
}
