package cockpit

import (
	"html/template"
	"strings"
)

// How the text of a pull request folds the plan.
const (
	foldBegins = "\n<details>\n<summary>The plan</summary>\n"
	foldEnds   = "\n</details>\n"
)

// pullText renders the text of a pull request, with the plan folded as forges show it. What is inside is rendered as any
// other text: nothing in it is obeyed.
func pullText(text string) template.HTML {
	before, rest, folded := strings.Cut(text, foldBegins)
	end := strings.LastIndex(rest, foldEnds)
	if !folded || end < 0 {
		return markdown(text)
	}
	return markdown(before) + "<details class=\"other\"><summary>The plan</summary>" + markdown(rest[:end]) + "</details>" + markdown(rest[end+len(foldEnds):])
}
