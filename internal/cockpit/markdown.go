package cockpit

import (
	"bytes"
	"fmt"
	"html/template"
	"strings"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
)

// markdown renders a text that anybody may have written. HTML in it is shown as
// text and not obeyed; what comes out is reduced to harmless elements, without
// images, whose sources would tell others who reads.
// A text that was made to take long is shown as it is written.
func markdown(text string) template.HTML {
	var out bytes.Buffer
	if laborious(text) {
		return template.HTML("<pre tabindex=\"0\">" + template.HTMLEscapeString(text) + "</pre>") //nolint:gosec // escaped
	}
	md := goldmark.New(goldmark.WithExtensions(extension.GFM))
	if err := md.Convert([]byte(text), &out); err != nil {
		return template.HTML("<pre>" + template.HTMLEscapeString(text) + "</pre>") //nolint:gosec // escaped
	}
	return template.HTML(lowered().Replace(harmless().Sanitize(out.String()))) //nolint:gosec // reduced to harmless elements
}

// Bounds of a text that is rendered. Marks that stand together are compared with
// one another, so that many of them take long.
const (
	maxMarkdown = 64 << 10 // bytes
	maxMarks    = 2000     // in a block
	maxInside   = 40       // quotations and lists that a line is in, one inside the other
)

// laborious reports a text that would take long to render.
func laborious(text string) bool {
	if len(text) > maxMarkdown {
		return true
	}
	marks, before := 0, ' '
	for line := range strings.Lines(text) {
		if inside(line) > maxInside {
			return true
		}
		if strings.TrimSpace(line) == "" {
			marks = 0
		}
		for _, r := range line {
			if r != before && strings.ContainsRune("*_~`[!", r) {
				marks++
			}
			before = r
		}
		if marks > maxMarks {
			return true
		}
	}
	return false
}

// inside is how many signs of quotation and of lists a line begins with.
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

// lowered puts a text's headings below those of the page around it.
func lowered() *strings.Replacer {
	var pairs []string
	for level := 1; level <= 6; level++ {
		for _, mark := range []string{"<h%d>", "</h%d>"} {
			pairs = append(pairs, fmt.Sprintf(mark, level), fmt.Sprintf(mark, min(level+2, 6)))
		}
	}
	return strings.NewReplacer(pairs...)
}

func harmless() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "hr", "em", "strong", "del", "code", "pre", "blockquote", "ul", "ol", "li", "table", "thead", "tbody", "tr", "th", "td")
	for i := range 6 {
		p.AllowElements("h" + string(rune('1'+i)))
	}
	p.AllowAttrs("href").OnElements("a")
	p.AllowURLSchemes("https", "http", "mailto")
	p.RequireNoFollowOnLinks(true)
	p.RequireNoReferrerOnLinks(true)
	p.AddTargetBlankToFullyQualifiedLinks(true)
	p.AllowRelativeURLs(false)
	return p
}
