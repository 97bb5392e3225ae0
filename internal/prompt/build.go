package prompt

import (
	"bytes"
	"embed"
	"fmt"
	"path"
	"regexp"
	"strings"
	"sync"
	"text/template"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
)

//go:embed *.md.tmpl
var templates embed.FS

// Bounds of what comes from outside, in bytes. The whole text is in a file; see Files.
const (
	maxGoal     = 4 << 10
	maxHotfix   = 6 << 10
	maxEvidence = 6 << 10
	maxInline   = 200
)

// Build writes the prompt of an attempt. It fails only for an Input without its paths.
func Build(in Input) ([]byte, error) {
	if in.Paths.Work == "" || in.Paths.In == "" || in.Paths.Out == "" {
		return nil, core.Errorf(core.CodeInternal, "a prompt needs the paths of its attempt, got %+v", in.Paths)
	}
	t, err := parsed()
	if err == nil {
		t, err = t.Clone()
	}
	if err != nil {
		return nil, fmt.Errorf("parse the templates of prompts: %w", err)
	}
	var b bytes.Buffer
	if err := t.Funcs(functions(in)).Execute(&b, view{in}); err != nil {
		return nil, fmt.Errorf("write the prompt of %s: %w", in.Phase.ID, err)
	}
	return append(bytes.TrimSpace(blankLines.ReplaceAll(b.Bytes(), []byte("\n\n"))), '\n'), nil
}

// parsed are the templates, read once: parsing them takes longer than a prompt does.
var parsed = sync.OnceValues(func() (*template.Template, error) {
	return template.New("attempt.md.tmpl").Option("missingkey=error").Funcs(functions(Input{})).ParseFS(templates, "*.md.tmpl")
})

// blankLines are what the parts of a template that say nothing leave behind.
var blankLines = regexp.MustCompile(`\n{3,}`)

// functions are what templates may call. Whatever did not come from the playbook or Stellwerk itself goes through code,
// line or fence.
func functions(in Input) template.FuncMap {
	return template.FuncMap{
		"code":  func(s string) string { return plain.Code(s, maxInline) },
		"line":  func(s string) string { return plain.Line(s, maxInline) },
		"fence": plain.Fence,
		"text":  func(s string) string { return strings.TrimSpace(plain.Text(s)) },
		"in":    func(name string) string { return plain.Code(path.Join(in.Paths.In, name), 1<<10) },
		"out":   func(name string) string { return plain.Code(path.Join(in.Paths.Out, name), 1<<10) },
		"short": short,
		"limit": duration,
	}
}

// short is an object name as people write it.
func short(commit string) string { return commit[:min(12, len(commit))] }

// duration is a time limit in words.
func duration(d time.Duration) string {
	s := d.Round(time.Second).String()
	s = strings.TrimSuffix(s, "0s")
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	if s == "" {
		return "0s"
	}
	return s
}
