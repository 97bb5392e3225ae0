package plan

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Section is the heading under which the steps are.
const Section = "## Steps"

// stepLevel is how deep the heading of a step is.
const stepLevel = 3

// exampleStep shows how a step is written.
const exampleStep = "`### [ ] 1. Title`"

// heading splits a heading into its level and words; the level of any other line is 0. An indented heading does not count,
// because it may be part of a list.
func heading(line string) (level int, words string) {
	if line == "" || line[0] != '#' {
		return 0, ""
	}
	level = run(line)
	if level > 6 || len(line) > level && line[level] != ' ' && line[level] != '\t' {
		return 0, ""
	}
	return level, strings.Trim(line[level:], " \t")
}

// run is how often the first byte of a line is repeated.
func run(line string) int { return len(line) - len(strings.TrimLeft(line, line[:1])) }

// unindented is a line without the spaces that Markdown allows before a heading.
func unindented(line string) string {
	for range 3 {
		line = strings.TrimPrefix(line, " ")
	}
	return line
}

// checkbox removes the box from the words of a heading.
func checkbox(words string) (done bool, rest string, ok bool) {
	if len(words) < 3 || words[0] != '[' || words[2] != ']' || strings.IndexByte(" xX", words[1]) < 0 {
		return false, words, false
	}
	return words[1] != ' ', strings.TrimLeft(words[3:], " \t"), true
}

// label removes the id from the words after the box.
func label(words string) (id, title string, ok bool) {
	word, title := words, ""
	if end := strings.IndexAny(words, " \t"); end >= 0 {
		word, title = words[:end], strings.TrimLeft(words[end:], " \t")
	}
	id, ok = strings.CutSuffix(word, ".")
	return id, title, ok && id != ""
}

// isStep reports whether the words of a heading have a checkbox, as those of a step do.
func isStep(words string) bool {
	_, _, boxed := checkbox(words)
	return boxed
}

// structural reports a heading that is part of the plan's form: within the section of the steps every heading that ends a
// step, elsewhere those of steps and of the section.
func structural(line string, within bool) bool {
	level, words := heading(line)
	return level > 0 && level <= stepLevel && (within || isStep(words) || isSection(line))
}

func isSection(line string) bool { return strings.TrimRight(line, " \t") == Section }

// readStep reads the words of a step's heading and reports what is wrong with them.
func readStep(words string, line int, r *report) core.Step {
	done, rest, ok := checkbox(words)
	if !ok {
		r.invalid(line, "a heading of this level under "+code(Section)+" is a step, and this one has no checkbox: "+quote(words),
			"write it as "+exampleStep+", or with one more # if it is part of a step's text")
		return core.Step{}
	}
	id, title, ok := label(rest)
	if !ok {
		r.invalid(line, "the step has no id: "+quote(words), "write it as "+exampleStep+": the id, a dot, a space, the title")
		return core.Step{}
	}
	if trouble := checkID(id); trouble != "" {
		r.invalid(line, fmt.Sprintf("the id %s %s", quote(id), trouble), "use up to 32 letters, digits, dots, underscores and hyphens, as in 2, 2a or login-form")
	}
	switch {
	case title == "":
		r.invalid(line, "step "+clip(id)+" has no title", "write one after the id")
	case utf8.RuneCountInString(title) > MaxTitle:
		r.invalid(line, fmt.Sprintf("the title of step %s is longer than %d characters", clip(id), MaxTitle), "shorten it and say the rest below the heading")
	case strings.ContainsFunc(title, unicode.IsControl):
		r.invalid(line, "the title of step "+clip(id)+" contains a control character: "+quote(title), "remove it")
	}
	return core.Step{ID: id, Title: title, Done: done}
}

// nothing stands for no step in After.
const nothing = "nothing"

// checkID says what is wrong with an id, which becomes part of the names of branches; "" if nothing is.
func checkID(id string) string {
	const most = 32
	lower := strings.ToLower(id)
	switch {
	case id == "":
		return "is empty"
	case len(id) > most:
		return "is too long"
	case strings.ContainsFunc(id, func(c rune) bool { return !alphanumeric(c) && !strings.ContainsRune("._-", c) }):
		return "has a character that ids cannot have"
	case !alphanumeric(rune(id[0])):
		return "does not begin with a letter or a digit"
	case strings.Contains(id, ".."), strings.HasSuffix(id, "."), strings.HasSuffix(lower, ".lock"):
		return "cannot be part of a branch's name: it has two dots in a row, or ends in a dot or in .lock"
	case lower == nothing:
		return "means that a step comes after no other"
	}
	return ""
}

func alphanumeric(c rune) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}
