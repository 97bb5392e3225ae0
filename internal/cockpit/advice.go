package cockpit

import (
	"html/template"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// advice is what the engine says that a person can do, as a page says it: where it
// names a command that a page has a button or a view for, there is a link to that.
// What is long is cut.
func advice(most int, text string) template.HTML {
	var out strings.Builder
	for i, p := range wording.Parts(clip(most, text)) {
		place, known := placeOf(p.Command)
		if i == 0 { // a sentence of its own on a page
			p.Text, place.Title = begun(p), sentence(place.Title)
		}
		said := template.HTMLEscapeString(p.Text)
		switch {
		case known:
			out.WriteString(`<a href="` + template.HTMLEscapeString(place.Href) + `">` + template.HTMLEscapeString(place.Title) + `</a>`)
		case p.Typed:
			out.WriteString("<code>" + said + "</code>")
		default:
			out.WriteString(said)
		}
	}
	return template.HTML(out.String()) //nolint:gosec // every piece was escaped
}

// advises reports that the engine names a command in its advice on a run that is
// paused. Advice that names none of those that set a run going leaves it open.
func advises(next, verb string) bool {
	open := true
	for _, p := range wording.Parts(next) {
		if len(p.Command) == 0 {
			continue
		}
		switch p.Command[0] {
		case verb:
			return true
		case "resume", "retry", "skip", "feedback", "rollback", "cancel", "projects":
			open = false
		}
	}
	return open && (verb == "resume" || verb == "retry")
}

// begun is a part that a sentence begins with; what is typed stays as it is typed.
func begun(p wording.Part) string {
	if p.Typed {
		return p.Text
	}
	return sentence(p.Text)
}

func sentence(s string) string {
	if s == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[size:]
}

// placeOf is where a page does what a command does.
func placeOf(command []string) (step, bool) {
	if len(command) == 0 {
		return step{}, false
	}
	verb, of, flags := command[0], "", ""
	for _, word := range command[1:] {
		switch {
		case strings.HasPrefix(word, "-"):
			flags += " " + word
		case command[0] == "projects":
			verb += " " + word
		case of == "":
			of = word
		}
	}
	if name, ok := strings.CutPrefix(verb, "projects "); ok {
		return projectPlace(name)
	}
	switch {
	case verb == "projects":
		return step{"the projects", "/?all"}, true
	case verb == "status" && of == "":
		return step{"the runs", "/runs"}, true
	case verb == "answer":
		return step{"the inbox", "/inbox"}, true
	case verb == "doctor":
		return step{"the settings", "/settings"}, true
	case of == "" || of == strings.ToUpper(of): // it stands for a name
		return step{}, false
	}
	return runPlace(verb, runPath(of), flags)
}

// runPlace is where a page does what a command does to a run.
func runPlace(verb, run, flags string) (step, bool) {
	if verb == "resume" && strings.Contains(flags, "--max-") {
		return step{"Limits", run + "/costs#raise"}, true
	}
	if verb == "resume" && flags != "" { // it moves between a session and the engine
		return step{}, false
	}
	place, known := map[string]step{
		"status":   {"the run", run},
		"diff":     {"the changes", run + "/changes"},
		"log":      {"the timeline", run + "/timeline"},
		"resume":   {"Resume", run + "#gate"},
		"retry":    {"Try again", run + "#gate"},
		"skip":     {"Skip", run + "#gate"},
		"approve":  {"Approve", run + "#gate"},
		"rollback": {"Send it back", run + "#gate"},
		"feedback": {"Send it back", run + "#gate"},
		"merge":    {"Merge", run + "/changes#review"},
		"cancel":   {"Cancel the run", run + "#end"},
	}[verb]
	return place, known
}

// projectPlace is where a page does what a command does to a project.
func projectPlace(words string) (step, bool) {
	verb, rest, _ := strings.Cut(words, " ")
	name, _, _ := strings.Cut(rest, " ")
	if name == "" {
		return step{"the projects", "/?all"}, verb == "add"
	}
	title, known := map[string]string{
		"show": "the project", "resume": "Resume", "queue": "the queue", "drop": "Drop", "requeue": "Queue again",
	}[verb]
	where := "/projects/" + url.PathEscape(name)
	if verb == "queue" || verb == "drop" || verb == "requeue" {
		where += "#queue"
	}
	return step{title, where}, known
}
