package scriptedmodel

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stellwerk-dev/stellwerk/internal/agent/scenario"
)

// workingDirectory is the placeholder every conversation knows.
const workingDirectory = "cwd"

// checkPlaceholders refuses a {{name}} that no condition read so far can have
// set: it would reach the agent as it stands.
func (c *Conversation) checkPlaceholders(node *yaml.Node) error {
	known := []string{workingDirectory}
	for _, condition := range []*regexp.Regexp{c.Prompt, c.System} {
		known = append(known, groups(condition)...)
	}
	known, err := checkTurns(node, c.Turns, known)
	for _, r := range c.Rules {
		if err == nil {
			_, err = checkTurns(node, r.Turns, slices.Concat(known, groups(r.When)))
		}
	}
	return err
}

// checkTurns returns what is known after the turns.
func checkTurns(node *yaml.Node, turns []Turn, known []string) ([]string, error) {
	for _, t := range turns {
		known = append(known, groups(t.Expect)...)
		at := &yaml.Node{Line: t.line, Column: node.Column}
		if err := checkText(at, t.Text+"\n"+t.Thinking, known); err != nil {
			return nil, err
		}
		for _, call := range t.Tools {
			if err := checkText(at, string(call.Input), slices.Concat(known, groups(call.Each))); err != nil {
				return nil, err
			}
		}
	}
	return known, nil
}

func checkText(at *yaml.Node, text string, known []string) error {
	for _, name := range placeholders(text) {
		if !slices.Contains(known, name) {
			return scenario.Errorf(at, "nothing sets {{%s}}; name a group (?P<%s>…) of prompt, system, expect, when or each", name, name)
		}
	}
	return nil
}

func groups(expression *regexp.Regexp) []string {
	if expression == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(expression.SubexpNames()), func(name string) bool { return name == "" })
}

// placeholders lists the names between double braces that look like names; a
// text may hold other double braces, such as a template of the repository.
func placeholders(text string) []string {
	var names []string
	for _, part := range strings.Split(text, "{{")[1:] {
		name, _, closed := strings.Cut(part, "}}")
		if closed && isName(name) {
			names = append(names, name)
		}
	}
	return names
}

func isName(text string) bool {
	return text != "" && strings.Trim(text, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

// values are what the placeholders of a conversation stand for.
type values map[string]string

// learn adds the named groups of a match of expression in text. It reports
// whether there is one; no expression matches anything.
func (v values) learn(expression *regexp.Regexp, text string) bool {
	if expression == nil {
		return true
	}
	match := expression.FindStringSubmatch(text)
	v.keep(expression, match)
	return match != nil
}

func (v values) keep(expression *regexp.Regexp, match []string) {
	for i, name := range expression.SubexpNames() {
		if match != nil && name != "" {
			v[name] = match[i]
		}
	}
}

// each is v with the named groups of every different match of expression in
// text, in order; v itself where there is no expression.
func (v values) each(expression *regexp.Regexp, text string) []values {
	if expression == nil {
		return []values{v}
	}
	var all []values
	for _, match := range expression.FindAllStringSubmatch(text, -1) {
		one := maps.Clone(v)
		one.keep(expression, match)
		if !slices.ContainsFunc(all, func(other values) bool { return maps.Equal(one, other) }) {
			all = append(all, one)
		}
	}
	return all
}

func (v values) expand(text string) string {
	pairs := make([]string, 0, 2*len(v))
	for name, value := range v {
		pairs = append(pairs, "{{"+name+"}}", value)
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// expandJSON replaces placeholders inside the JSON's strings.
func (v values) expandJSON(input json.RawMessage) (json.RawMessage, error) {
	quoted := make(values, len(v))
	for name, value := range v {
		text, err := json.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("quoting the value of {{%s}}: %w", name, err)
		}
		quoted[name] = string(text[1 : len(text)-1])
	}
	return json.RawMessage(quoted.expand(string(input))), nil
}
