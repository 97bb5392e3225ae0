package core

import (
	"slices"
	"strings"
)

// readAdvice takes the commands out of a text of version 1, which had them in
// backquotes. A text that it does not know in every word stays as it is, as the
// hint: it is still shown.
func readAdvice(text string) Advice {
	pieces := strings.Split(text, "`")
	if len(pieces)%2 == 0 { // a mark is left open
		return Advice{Hint: text}
	}
	advice := Advice{}
	for i, piece := range pieces {
		switch {
		case i%2 == 1:
			choices, known := readCommand(piece)
			if !known && !slices.ContainsFunc(advice.Choices, func(c Choice) bool { return string(c.Limit) == piece }) {
				return Advice{Hint: text}
			}
			advice.Choices = append(advice.Choices, choices...)
		case i == 0:
			advice.Hint = piece
		case !slices.Contains(wordsBetween(), piece):
			return Advice{Hint: text}
		}
	}
	if len(advice.Choices) == 0 {
		return Advice{Hint: text}
	}
	advice.Hint = readHint(advice.Hint, advice.Choices[0].Verb)
	return advice
}

// wordsBetween stood between and after the commands. They said what comes of
// each, which the edge says now.
func wordsBetween() []string {
	return []string{
		"", ", ", ", or ", " or ", "; ", ", then ", "), then ",
		" shows why; then ", " shows how; then ", " shows what it decided; ", " shows how it came about",
		" tries again", " tries again, ", " lets it try again", " to evaluate it again", " grants the same time again", " grants as many again; ",
		" has it made, ", " has it fixed", " goes on without this stage", " opens another, ",
		" gives the line up", " gives the work up", " ends this run",
		" raises it", " raises it for this run, ", " in your settings for later ones",
		"; a higher ", " in your settings is for new runs",
	}
}

// readHint is what stood before the first command, as the hint of a choice.
func readHint(before string, first Verb) string {
	hint, then := strings.CutSuffix(before, ", then ")
	switch {
	case then && first == VerbRetry:
		return hint + ", then try again"
	case then:
		return hint + ", then go on"
	}
	return strings.TrimRight(before, " ;:(")
}

// readCommand is what a command line of version 1 stands for.
func readCommand(line string) (choices []Choice, known bool) {
	if resource, is := strings.CutPrefix(line, "resources."); is {
		return []Choice{{Verb: VerbRaise, Limit: ResourceLimit(resource)}}, true
	}
	words := strings.Fields(line)
	if len(words) < 2 || words[0] != "stellwerk" {
		return nil, false
	}
	verb, rest := words[1], words[2:]
	switch {
	case verb == "projects" && len(rest) == 2 && rest[0] == "resume":
		return []Choice{{Verb: VerbResumeProject, Project: rest[1]}}, true
	case verb == "answer" && len(rest) == 2:
		return []Choice{{Verb: VerbAnswer, Question: rest[0]}}, true
	case len(rest) == 0 && (verb == "say" || verb == "replay"):
		return []Choice{{Verb: Verb(verb)}}, true
	case len(rest) == 0 || strings.HasPrefix(rest[0], "-"):
		return nil, false
	}
	c := Choice{Verb: Verb(verb), Run: rest[0]}
	flags := rest[1:]
	switch c.Verb { //nolint:exhaustive // the others were never advised about a run
	case VerbStatus, VerbLog, VerbSkip, VerbCancel:
		known = len(flags) == 0
	case VerbFeedback: // words follow
		known = len(flags) == 1
	case VerbRollback:
		known = len(flags) == 2 && flags[0] == "--to"
		if known && flags[1] != "STAGE" {
			c.Stage = flags[1]
		}
	case VerbResume, VerbRetry:
		if len(flags) > 0 {
			return readRaise(c.Run, flags)
		}
		known = true
	}
	return []Choice{c}, known
}

// readRaise reads flags that raise limits, each with a word for its value.
func readRaise(run string, flags []string) (choices []Choice, known bool) {
	limits := map[string]Limit{
		"--max-cost": LimitCost, "--max-tokens": LimitTokens,
		"--max-project-cost": LimitProjectCost, "--max-project-tokens": LimitProjectTokens,
		"--max-project-time": LimitProjectTime, "--max-project-attempts": LimitProjectAttempts,
		"--max-attempt-cost": LimitAttemptCost, "--max-attempt-tokens": LimitAttemptTokens,
	}
	for len(flags) >= 2 {
		limit, is := limits[flags[0]]
		if !is {
			return nil, false
		}
		choices, flags = append(choices, Choice{Verb: VerbRaise, Run: run, Limit: limit}), flags[2:]
	}
	return choices, len(flags) == 0
}
