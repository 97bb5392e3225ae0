package cockpit

import (
	"bytes"
	"html/template"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/util"
)

// markdown renders a text that anybody may have written. HTML in it is shown as text,
// and images as their words: their sources would tell others who reads. A text that
// would take long to render is shown as it is.
func markdown(text string) template.HTML {
	var out bytes.Buffer
	if laborious(text) {
		return template.HTML("<pre tabindex=\"0\">" + template.HTMLEscapeString(text) + "</pre>") //nolint:gosec // escaped
	}
	table := extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignNone)) // a style would be refused by the browser
	md := goldmark.New(
		goldmark.WithExtensions(table, extension.Strikethrough, extension.TaskList, extension.Linkify),
		goldmark.WithParserOptions(parser.WithASTTransformers(util.Prioritized(harmless{}, 1000))),
	)
	if err := md.Convert([]byte(text), &out); err != nil {
		return template.HTML("<pre>" + template.HTMLEscapeString(text) + "</pre>") //nolint:gosec // escaped
	}
	return template.HTML(out.String()) //nolint:gosec // made of harmless pieces, and escaped
}

// Bounds of a text that is rendered. Marks that stand together are compared with
// one another, so that many of them take long.
const (
	maxMarkdown = 64 << 10 // bytes
	maxMarks    = 2000     // in a block
	maxInside   = 40       // quotations and lists that a line is in, one inside the other
	maxCells    = 5000     // of tables, whose rows all have as many as the widest
)

// laborious reports a text that would take long to render.
func laborious(text string) bool {
	if len(text) > maxMarkdown {
		return true
	}
	marks, before := 0, ' '
	cells, rows, widest := 0, 0, 0
	for line := range strings.Lines(text) {
		if inside(line) > maxInside {
			return true
		}
		if strings.TrimSpace(line) == "" {
			cells, rows, widest = cells+rows*widest, 0, 0
			marks = 0
		}
		rows, widest = rows+1, max(widest, strings.Count(line, "|"))
		for _, r := range line {
			if r != before && strings.ContainsRune("*_~`[!", r) {
				marks++
			}
			before = r
		}
		if marks > maxMarks || cells+rows*widest > maxCells {
			return true
		}
	}
	return false
}

// inside is how many marks of quotations and lists a line begins with.
func inside(line string) int {
	n := 0
	for sign := range strings.FieldsSeq(line) {
		rest := strings.TrimLeft(sign, ">")
		n += len(sign) - len(rest)
		number := strings.TrimLeft(rest, "0123456789")
		switch {
		case rest == "-" || rest == "*" || rest == "+", number != rest && (number == "." || number == ")"):
			n++
		case rest != "":
			return n
		}
	}
	return n
}
