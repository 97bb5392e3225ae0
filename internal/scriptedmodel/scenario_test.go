package scriptedmodel

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

func TestParseNamesThePlaceOfAMistake(t *testing.T) {
	for scenario, want := range map[string]string{
		"conversations: []":                                                "s.yaml:1:1: the scenario has no conversations",
		"conversation: []":                                                 `s.yaml:1:1: unknown key "conversation"`,
		"conversations:\n  - prompt: x":                                    "s.yaml:2:5: the conversation has no turns",
		"conversations:\n  - turns: [{delay: 1s}]":                         "s.yaml:2:13: the turn says nothing",
		"conversations:\n  - turns: [{text: a, error: {status: 500}}]":     "s.yaml:2:13: a turn either fails or says something",
		"conversations:\n  - turns:\n    - error: {status: 200}":           "s.yaml:3:14: an error needs a status from 400 to 599",
		"conversations:\n  - turns:\n    - tool: {input: {}}":              "s.yaml:3:13: the tool has no name",
		"conversations:\n  - turns:\n    - {text: a}\n    - text: '{{b}}'": "s.yaml:4:5: nothing sets {{b}}",
		"conversations:\n  - rules: [{when: a, nth: 1}]":                   "s.yaml:2:13: the turn says nothing",
		"conversations:\n  - rules: [{text: a, turns: [{text: b}]}]":       "s.yaml:2:13: a rule has turns or is one itself",
		"conversations:\n  - rules: [{when: '(?P<a>x)', text: '{{b}}'}]":   "s.yaml:2:5: nothing sets {{b}}",
		"conversations:\n  - agent: sometimes\n    turns: [{text: a}]":     "s.yaml:2:12: expected true or false",
		"conversations:\n  - prompt: '['\n    turns: []":                   "s.yaml:2:13: not a regular expression",
	} {
		if _, err := Parse("s.yaml", []byte(scenario)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q gave %v, want %q", scenario, err, want)
		}
	}
}

func TestLoadNamesTheFile(t *testing.T) {
	if _, err := Load("/no/such/scenario.yaml"); err == nil || !strings.Contains(err.Error(), "/no/such/scenario.yaml") {
		t.Errorf("got %v", err)
	}
}

func TestTheDocumentedScenariosAreRead(t *testing.T) {
	page, err := os.ReadFile("../../docs/scenarios.md")
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for _, shown := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		if !strings.Contains(shown[1], "conversations:") {
			continue
		}
		read++
		if _, err := Parse("scenarios.md", []byte(shown[1])); err != nil {
			t.Error(err)
		}
	}
	if read == 0 {
		t.Error("the page shows no scenario of the model")
	}
}
