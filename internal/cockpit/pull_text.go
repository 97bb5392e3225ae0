package cockpit

import (
	"html/template"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// pullText renders the text of a pull request, with the plan folded as forges show it. What is inside is rendered as any
// other text: nothing in it is obeyed.
func pullText(text string) template.HTML {
	before, rest, folded := strings.Cut(text, wording.PlanBegins)
	end := strings.LastIndex(rest, wording.PlanEnds)
	if !folded || end < 0 {
		return markdown(text)
	}
	return markdown(before) + "<details class=\"other\"><summary>The plan</summary>" + markdown(rest[:end]) + "</details>" + markdown(rest[end+len(wording.PlanEnds):])
}
