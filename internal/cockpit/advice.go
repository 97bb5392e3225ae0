package cockpit

import (
	"html/template"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// advice is what a person can do, as a page says it: a choice that a page has a
// button or a view for is a link to that. A long hint is cut.
func advice(most int, code core.PauseCode, a core.Advice) template.HTML {
	a.Hint = clip(most, a.Hint)
	var out strings.Builder
	for i, p := range wording.Parts(code, a) {
		place, known := step{}, false
		if p.Choice != nil {
			place, known = placeOf(*p.Choice)
		}
		if i == 0 { // a sentence of its own on a page
			p.Text, place.Title = sentence(p.Text), sentence(place.Title)
		}
		if known {
			out.WriteString(`<a href="` + template.HTMLEscapeString(place.Href) + `">` + template.HTMLEscapeString(place.Title) + `</a>`)
		} else {
			out.WriteString(string(marked(p.Text)))
		}
	}
	return template.HTML(out.String()) //nolint:gosec // every piece was escaped
}

// typed is prose in which what is typed stands between backquotes. What is longer
// than most is cut.
func typed(most int, text string) template.HTML { return marked(clip(most, sentence(text))) }

func marked(text string) template.HTML {
	var out strings.Builder
	for i, piece := range strings.Split(text, "`") {
		said := template.HTMLEscapeString(piece)
		if i%2 == 1 && piece != "" {
			said = "<code>" + said + "</code>"
		}
		out.WriteString(said)
	}
	return template.HTML(out.String()) //nolint:gosec // every piece was escaped
}

// offers reports whether a verb can be used on a paused run. A pause whose choices
// start nothing allows to resume and to retry.
func offers(choices []core.Choice, verb core.Verb) bool {
	has := func(verbs ...core.Verb) bool {
		return slices.ContainsFunc(choices, func(c core.Choice) bool { return slices.Contains(verbs, c.Verb) })
	}
	open := !has(core.VerbResume, core.VerbRaise, core.VerbRetry, core.VerbSkip, core.VerbFeedback, core.VerbRollback, core.VerbCancel, core.VerbResumeProject)
	return has(verb) || open && (verb == core.VerbResume || verb == core.VerbRetry)
}

func sentence(s string) string {
	if s == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[size:]
}

// placeOf is the page that does what a choice does.
func placeOf(c core.Choice) (step, bool) {
	run, project := runPath(c.Run), "/projects/"+url.PathEscape(c.Project)
	place, known := map[core.Verb]step{
		core.VerbStatus:        {"the run", run},
		core.VerbDiff:          {"the changes", run + "/changes"},
		core.VerbLog:           {"the timeline", run + "/timeline"},
		core.VerbResume:        {"Resume", run + "#gate"},
		core.VerbRaise:         {"Limits", run + "/costs#raise"},
		core.VerbRetry:         {"Try again", run + "#gate"},
		core.VerbSkip:          {"Skip", run + "#gate"},
		core.VerbApprove:       {"Approve", run + "#gate"},
		core.VerbApproveLeak:   {"Approve", run + "#gate"},
		core.VerbRollback:      {"Send it back", run + "#gate"},
		core.VerbFeedback:      {"Send it back", run + "#gate"},
		core.VerbMerge:         {"Merge", run + "/changes#review"},
		core.VerbFastForward:   {"Merge", run + "/changes#review"},
		core.VerbCancel:        {"Cancel the run", run + "#end"},
		core.VerbRuns:          {"the runs", "/runs"},
		core.VerbAnswer:        {"the inbox", "/inbox"},
		core.VerbInbox:         {"the inbox", "/inbox"},
		core.VerbProjects:      {"the projects", "/?all"},
		core.VerbProject:       {"the project", project},
		core.VerbResumeProject: {"Resume", project},
		core.VerbQueue:         {"the queue", project + "#queue"},
		core.VerbDropEpic:      {"Drop", project + "#queue"},
		core.VerbRequeueEpic:   {"Queue again", project + "#queue"},
	}[c.Verb]
	return place, known
}
