package prompt

import (
	"embed"
	"fmt"
	"path"
	"regexp"
	"strings"
	"sync"
	"text/template"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/config/yamlfile"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
	roles "github.com/stellwerk-dev/stellwerk/internal/role"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

//go:embed *.md.tmpl
var templates embed.FS

// Bounds of text from outside, in bytes. The whole text is in a file; see Files.
const (
	maxGoal     = 4 << 10
	maxHotfix   = 6 << 10
	maxEvidence = 6 << 10
	maxTask     = 8 << 10
	maxInline   = 200
	maxTold     = 1 << 10
)

// Build writes the prompt of an attempt. It fails only for an Input without its paths.
func Build(in Input) ([]byte, error) {
	if in.Paths.Work == "" || in.Paths.In == "" || in.Paths.Out == "" {
		return nil, core.Errorf(core.CodeInternal, "a prompt needs the paths of its attempt, got %+v", in.Paths)
	}
	return newPage(in.Paths).whole("attempt.md.tmpl", view{in})
}

// page writes one prompt. If one of its parts fails, the whole does.
type page struct {
	templates *template.Template
	err       error
}

func newPage(paths Paths) *page {
	t, err := parsed()
	if err == nil {
		t, err = t.Clone()
	}
	if err != nil {
		return &page{err: fmt.Errorf("parse the templates of prompts: %w", err)}
	}
	return &page{templates: t.Funcs(functions(paths))}
}

// part writes a template that a prompt contains.
func (p *page) part(name string, v any) string {
	var b strings.Builder
	if p.err == nil {
		p.err = p.templates.ExecuteTemplate(&b, name, v)
	}
	return strings.TrimSpace(b.String())
}

// whole writes the template of a prompt.
func (p *page) whole(name string, v any) ([]byte, error) {
	text := p.part(name, v)
	if p.err != nil {
		return nil, fmt.Errorf("write the prompt: %w", p.err)
	}
	return []byte(blankLines.ReplaceAllString(text, "\n\n") + "\n"), nil
}

// parsed are the templates, read once: parsing them takes longer than writing a prompt.
var parsed = sync.OnceValues(func() (*template.Template, error) {
	return template.New("attempt.md.tmpl").Option("missingkey=error").Funcs(functions(Paths{})).ParseFS(templates, "*.md.tmpl")
})

// blankLines are left behind by the parts of a template that say nothing.
var blankLines = regexp.MustCompile(`\n{3,}`)

// functions are what templates may call. Text that came neither from the playbook nor from Stellwerk itself goes through
// code, line, told, quote or fence.
func functions(paths Paths) template.FuncMap {
	all := template.FuncMap{
		"code":    code,
		"codes":   codes,
		"line":    func(s string) string { return plain.Line(s, maxInline) },
		"told":    func(s string) string { return plain.Line(s, maxTold) },
		"quote":   func(s string) string { return plain.Code(plain.Line(s, maxTold), maxTold) },
		"fence":   plain.Fence,
		"excerpt": func(s string) string { return plain.Fence(plain.Head(s, maxTask)) },
		"text":    func(s string) string { return strings.TrimSpace(plain.Text(s)) },
		"in":      func(name string) string { return plain.Code(path.Join(paths.In, name), 1<<10) },
		"out":     func(name string) string { return plain.Code(path.Join(paths.Out, name), 1<<10) },
		"schema":  schemaName,
		"source":  source,
		"short":   short,
		"limit":   duration,
		"expense": func(usd float64, unpriced int) string { return wording.Expense(core.CostOf(usd, unpriced)) },
	}
	for function, name := range map[string]string{
		"goalFile": GoalName, "hotfixFile": HotfixName, "evidenceFile": EvidenceName, "reportFile": ReportName,
		"reviewFile": roles.ReviewArtifact, "skipFile": core.PlanArtifact,
		"packetFile": core.PacketFile, "briefFile": BriefFile, "answersFile": answersFile, "factsFile": FactsFile, "earlierFile": EarlierFile,
		"poolFile": PoolFile, "questionsFile": QuestionsFile, "refusalsFile": RefusalsFile, "conflictsFile": ConflictsFile,
		"outputFile": core.OutputArtifact, "decisionFile": core.DecisionArtifact, "compactFile": core.CompactArtifact, "detailedFile": core.DetailedArtifact,
		"answerFile": path.Join(OutputsDir, "ID.json"), "exampleAsked": exampleAsked,
	} {
		all[function] = func() string { return name }
	}
	return all
}

// short is an object name as people write it.
func short(commit string) string { return commit[:min(12, len(commit))] }

// duration is a length of time to the second.
func duration(d time.Duration) string { return yamlfile.FormatDuration(d.Round(time.Second)) }

func code(s string) string { return plain.Code(s, maxInline) }

// codes lists names.
func codes(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = code(name)
	}
	return strings.Join(quoted, ", ")
}
