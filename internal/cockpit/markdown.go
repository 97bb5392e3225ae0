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
func markdown(text string) template.HTML {
	var out bytes.Buffer
	md := goldmark.New(goldmark.WithExtensions(extension.GFM))
	if err := md.Convert([]byte(text), &out); err != nil {
		return template.HTML("<pre>" + template.HTMLEscapeString(text) + "</pre>") //nolint:gosec // escaped
	}
	return template.HTML(lowered().Replace(harmless().Sanitize(out.String()))) //nolint:gosec // reduced to harmless elements
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
