package highlight_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/cockpit/highlight"
)

func TestWordsAreToldApart(t *testing.T) {
	h := highlight.New()
	for name, c := range map[string]struct {
		text string
		want map[string]highlight.Class
	}{
		"a.go":         {"package a // why\nfunc Greet() string { return \"hi\" + `x` + fmt.Sprint(42) }", map[string]highlight.Class{"package": highlight.Keyword, "// why": highlight.Comment, "Greet": highlight.Name, `"hi"`: highlight.Text, "42": highlight.Number}},
		"src/a.py":     {"def greet():\n    return 'hi' # why", map[string]highlight.Class{"def": highlight.Keyword, "greet": highlight.Name, "# why": highlight.Comment}},
		"a.ts":         {"const a: string = 'x'", map[string]highlight.Class{"const": highlight.Keyword}},
		"b.yaml":       {"a: true", map[string]highlight.Class{"true": highlight.Kind}},
		"unknown.zzzz": {"package a", map[string]highlight.Class{"package a": highlight.Plain}},
	} {
		lines := strings.Split(c.text, "\n")
		got := h.Lines(name, lines, time.Now().Add(time.Minute))
		found := map[string]highlight.Class{}
		for i, line := range got {
			var whole strings.Builder
			for _, s := range line {
				whole.WriteString(s.Text)
				found[s.Text] = s.Class
			}
			if whole.String() != lines[i] {
				t.Errorf("%s: line %d became %q", name, i, whole.String())
			}
		}
		for text, class := range c.want {
			if got, ok := found[text]; !ok || got != class {
				t.Errorf("%s: %q is %q, want %q, among %v", name, text, got, class, found)
			}
		}
	}
}

func TestTimeThatIsOver(t *testing.T) {
	h := highlight.New()
	evil := "/* \" ' ` \\ <script> {{ "
	began := time.Now()
	for _, name := range []string{"a.go", "a.html", "a.rb", "a.pl", "a.php", "a.scala", "a.scss", "../../\x00\u202e.py", ""} {
		for _, lines := range [][]string{{strings.Repeat(evil, 8000), "x"}, slices.Repeat([]string{strings.Repeat(evil, 150)}, 35)} {
			got := h.Lines(name, lines, time.Now().Add(20*time.Millisecond))
			if len(got) != len(lines) {
				t.Errorf("%q: %d lines", name, len(got))
			}
		}
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("took %v", took)
	}
	if got := h.Lines("a.go", []string{"package a"}, time.Now()); len(got[0]) != 1 || got[0][0].Class != highlight.Plain {
		t.Errorf("without time: %v", got)
	}
}
