package cockpit

import (
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// pullPath is where a browser can see a run's pull request: on its forge, or on a page
// of the cockpit if it is a record on this machine.
func pullPath(alias, address string) string {
	u, err := url.Parse(address)
	switch {
	case address == "":
		return ""
	case err == nil && (u.Scheme == "https" || u.Scheme == "http"):
		return address
	case alias == "":
		return ""
	}
	return runPath(alias) + "/pull-request"
}

// pullRequest shows a pull request that is a record.
func (c *cockpit) pullRequest(_ *http.Request, d api.RunDetail) (page, error) {
	if d.PullRequest == nil || d.PullRequest.Record == nil {
		return page{}, core.Errorf(core.CodeNotFound, "run %s has no pull request on this machine", d.Alias).WithHint("see `stellwerk status %s`", d.Alias)
	}
	return page{Name: "pullrequest", Title: "Pull request", Body: d}, nil
}

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
