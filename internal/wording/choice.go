package wording

import (
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Part is a piece of a sentence about what a person can do: words, or a command for a
// choice, which a page replaces by a link.
type Part struct {
	Text   string
	Choice *core.Choice
}

// Parts word advice: first the hint, then where to look, then what to do, and what
// that leads to in a pause.
func Parts(code core.PauseCode, a core.Advice) []Part {
	var looks, plain, telling [][]Part
	for _, c := range a.Choices {
		words := phrase(code, c)
		switch {
		case looksOnly(c.Verb):
			looks = append(looks, words)
		case len(words) == 1:
			plain = append(plain, words)
		default:
			telling = append(telling, words)
		}
	}
	acts := joined(plain, ", ", ", or ")
	if len(looks) > 0 && len(acts) > 0 {
		acts = append([]Part{{Text: "then "}}, acts...)
	}
	rest := joined(notEmpty(joined(looks, ", ", ", "), acts, joined(telling, ", ", ", ")), "; ", "; ")
	switch {
	case a.Hint == "" && code == "" && len(rest) > 0 && looksOnly(a.Choices[0].Verb) && len(acts) == 0:
		return append([]Part{{Text: "see "}}, rest...)
	case a.Hint == "":
		return rest
	case len(rest) == 0:
		return []Part{{Text: a.Hint}}
	}
	return append([]Part{{Text: strings.TrimSuffix(a.Hint, ".") + ": "}}, rest...)
}

// phrase is a choice with what it leads to.
func phrase(code core.PauseCode, c core.Choice) []Part {
	if c.Verb == core.VerbRaise && strings.HasPrefix(string(c.Limit), "resources.") {
		return []Part{{Text: "a higher `" + string(c.Limit) + "` in your settings"}, {Text: " is for new runs"}}
	}
	parts := []Part{{Text: "`" + Command(c) + "`", Choice: &c}}
	if effect := effect(code, c); effect != "" {
		parts = append(parts, Part{Text: " " + effect})
	}
	return parts
}

func notEmpty(lists ...[]Part) [][]Part {
	var kept [][]Part
	for _, list := range lists {
		if len(list) > 0 {
			kept = append(kept, list)
		}
	}
	return kept
}

func joined(lists [][]Part, comma, last string) []Part {
	var parts []Part
	for i, list := range lists {
		switch {
		case i == 0:
		case i == len(lists)-1:
			parts = append(parts, Part{Text: last})
		default:
			parts = append(parts, Part{Text: comma})
		}
		parts = append(parts, list...)
	}
	return parts
}

// looksOnly reports a choice that changes nothing about a run, or comes before those
// that do.
func looksOnly(verb core.Verb) bool {
	switch verb {
	case core.VerbStatus, core.VerbLog, core.VerbDiff, core.VerbReplay, core.VerbRuns, core.VerbInbox, core.VerbProjects, core.VerbProject,
		core.VerbQueue, core.VerbConversations, core.VerbPlaybooks, core.VerbTokens, core.VerbPrune, core.VerbVerifyHistory, core.VerbShowPlan, core.VerbCheckStore, core.VerbSay:
		return true
	default:
		return false
	}
}

// effect is what a choice leads to in a pause.
func effect(code core.PauseCode, c core.Choice) string {
	if code == "" {
		return ""
	}
	if c.Verb == core.VerbRaise {
		return "raises it for this run, `" + string(c.Limit) + "` in your settings for later ones"
	}
	type about struct {
		code core.PauseCode
		verb core.Verb
	}
	return map[about]string{
		{core.PauseAttempts, core.VerbStatus}:  "shows why",
		{core.PauseAttempts, core.VerbLog}:     "shows how",
		{core.PauseBarren, core.VerbLog}:       "shows what it decided",
		{core.PauseUnlawful, core.VerbReplay}:  "shows how it came about",
		{core.PauseBarren, core.VerbResume}:    "lets it try again",
		{core.PausePublish, core.VerbResume}:   "tries again",
		{core.PauseCondition, core.VerbResume}: "evaluates it again",
		{core.PauseWall, core.VerbResume}:      "grants the same time again",
		{core.PauseInput, core.VerbRollback}:   "has it made",
		{core.PausePublish, core.VerbRollback}: "does that stage again",
		{core.PauseAction, core.VerbSkip}:      "goes on without this stage",
		{core.PauseInput, core.VerbSkip}:       "goes on without this stage",
		{core.PauseCondition, core.VerbSkip}:   "goes on without this stage",
		{core.PauseInput, core.VerbCancel}:     "ends this run",
		{core.PausePublish, core.VerbCancel}:   "gives the work up",
	}[about{code, c.Verb}]
}
