package scriptedmodel

import (
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
