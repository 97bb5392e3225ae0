package cockpit

import (
	"html/template"
	"strings"
	"testing"
	"testing/fstest"
)

func TestLayoutOfTemplatesDoesNotShow(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"between tags", "<ul>\n  <li>a</li>\n  <li>b</li>\n</ul>\n", "<ul><li>a</li><li>b</li></ul>"},
		{"between words", "<p>\n  one\n  two\n</p>", "<p>one two</p>"},
		{"between attributes", "<input name=\"a\"\n  value=\"b\">", `<input name="a" value="b">`},
		{"beside actions", "{{if .}}\n  <b>{{.}}</b>\n  and\n{{end}}\nmore", "<b>x</b>andmore"},
		{"a space that is written", "<b>a</b>{{\" \"}}\n<b>b</b>", "<b>a</b> <b>b</b>"},
		{"spaces within a line", "<b>a</b> <b>b</b>{{if .}} c{{end}}", "<b>a</b> <b>b</b> c"},
		{"an empty line", "<p>a</p>\n\n<p>b</p>", "<p>a</p><p>b</p>"},
		{"a comment of several lines", "<p>a</p>\n{{/* one\n  two {{x\n*/}}\n<p>b</p>", "<p>a</p><p>b</p>"},
	} {
		var got strings.Builder
		page, err := template.New("").Parse(unfold(c.source))
		if err == nil {
			err = page.Execute(&got, "x")
		}
		if err != nil || got.String() != c.want {
			t.Errorf("%s: %q, want %q (%v)", c.name, got.String(), c.want, err)
		}
	}
}

func TestErrorsNameTheLineOfATemplate(t *testing.T) {
	files := fstest.MapFS{
		"templates/frame.html": {Data: []byte(`{{define "frame"}}{{template "main" .}}{{end}}`)},
		"templates/page.html":  {Data: []byte("{{define \"main\"}}\n  <p>\n    {{nothing}}\n  </p>\n{{end}}\n")},
	}
	if _, err := parse(files, nil); err == nil || !strings.Contains(err.Error(), "page.html:3:") {
		t.Errorf("it says %v", err)
	}
}
