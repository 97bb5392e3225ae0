package guard

import (
	"slices"
	"strings"
)

// Unlisted: the role's list of tools does not allow the call.
const Unlisted Rule = "unlisted"

// ToolList is a role's list of tools as it is written: `Read`, `Bash(git log *)`,
// `mcp__docs__*`. An empty one allows everything.
type ToolList []string

// Tool decides on the use of a tool other than the shell. If the list allows it only
// by a rule, Tool allows it if lenient: the caller's program then enforces the rule.
func (l ToolList) Tool(name string, lenient bool) Verdict {
	if len(l) == 0 {
		return Verdict{}
	}
	rules, whole := l.of(name)
	switch {
	case whole || lenient && len(rules) > 0:
		return Verdict{}
	case len(rules) > 0:
		return unlisted("the role allows " + name + " only by the rule " + rules[0] + ", which cannot be held to here; use another of its tools: " + l.names())
	}
	return unlisted(name + " is not among the role's tools; it has " + l.names())
}

// Command decides on a line for the tool that is a shell. If the list has rules for
// it, every command of the line must follow one, and be plain enough to be known
// before it runs.
func (l ToolList) Command(tool, line string) Verdict {
	rules, whole := l.of(tool)
	if whole || len(l) == 0 {
		return Verdict{}
	}
	if len(rules) == 0 {
		return l.Tool(tool, false)
	}
	allowed := strings.Join(rules, ", ")
	commands, plain := Plain(line)
	if !plain {
		return unlisted("the role allows " + tool + " only by rules (" + allowed + "), so a line may hold plain commands only: no variable, pattern, redirection or nested shell")
	}
	for _, words := range commands {
		if !slices.ContainsFunc(rules, func(rule string) bool { return follows(words, rule) }) {
			return unlisted("the role allows " + tool + " only by rules, and `" + strings.Join(words, " ") + "` follows none of them: " + allowed)
		}
	}
	return Verdict{}
}

// Rules reports whether the list allows a tool only by rules.
func (l ToolList) Rules(tool string) bool {
	rules, whole := l.of(tool)
	return !whole && len(rules) > 0
}

// of returns the rules for a tool, and whether it is allowed without any.
func (l ToolList) of(tool string) (rules []string, whole bool) {
	for _, entry := range l {
		name, rule, ruled := strings.Cut(entry, "(")
		if !wildcard(canonical(strings.TrimSpace(name)), canonical(tool)) {
			continue
		}
		if !ruled {
			return nil, true
		}
		rules = append(rules, strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rule), ")")))
	}
	return rules, false
}

func (l ToolList) names() string { return strings.Join(l, ", ") }

// canonical gives a tool with two names one.
func canonical(tool string) string {
	if tool == "Task" {
		return "Agent"
	}
	return tool
}

func unlisted(reason string) Verdict { return Verdict{Deny: true, Rule: Unlisted, Reason: reason} }

// follows compares word by word. A last word * stands for any others, or none;
// `git log:*` is another way to write `git log *`.
func follows(words []string, rule string) bool {
	if prefix, ok := strings.CutSuffix(rule, ":*"); ok {
		rule = prefix + " *"
	}
	pattern := strings.Fields(rule)
	open := len(pattern) > 0 && pattern[len(pattern)-1] == "*"
	if open {
		pattern = pattern[:len(pattern)-1]
	}
	if len(words) < len(pattern) || len(words) > len(pattern) && !open {
		return false
	}
	for i, p := range pattern {
		if !wildcard(p, words[i]) {
			return false
		}
	}
	return true
}

// wildcard matches a text whose pattern may hold *.
func wildcard(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == text
	}
	text, ok := strings.CutPrefix(text, parts[0])
	if !ok {
		return false
	}
	for _, part := range parts[1 : len(parts)-1] {
		if _, text, ok = strings.Cut(text, part); !ok {
			return false
		}
	}
	return strings.HasSuffix(text, parts[len(parts)-1])
}
