package scripted

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
)

func TestParseNamesThePlaceOfAMistake(t *testing.T) {
	for scenario, want := range map[string]string{
		"attempts: []":                      "s.yaml:1:1: the scenario has no attempts",
		"attempts:\n  - task: a":            "s.yaml:2:5: the attempt does nothing",
		"attempts:\n  - tsak: a":            `s.yaml:2:5: unknown key "tsak"`,
		do("says: hello"):                   `s.yaml:3:9: unknown key "says"`,
		do("say: a\n        write: b"):      "s.yaml:3:9: a step is a mapping with one key",
		do("hello"):                         "s.yaml:3:9: a step is a mapping with one key",
		do("lie: Done.", "say: more"):       "s.yaml:4:9: this step is never reached",
		do("crash: LOUD"):                   "s.yaml:3:16: expected an exit code",
		do("crash: 200"):                    "s.yaml:3:16: expected an exit code",
		do("write: {content: x}"):           "s.yaml:3:16: the file has no path",
		do("write: {path: x, contents: y}"): `s.yaml:3:26: unknown key "contents"`,
		do("sleep: long"):                   "s.yaml:3:16: expected a length of time",
		do("expect_prompt: '('"):            "s.yaml:3:24: not a regular expression",
		do("flood: {bytes: 1, to: file}"):   "s.yaml:3:16: to is stdout or stderr",
		do("flood: {line: 1}"):              "s.yaml:3:16: bytes and line are at least 1",
		do("fail: {class: bored}"):          `s.yaml:3:15: unknown class "bored"`,
		do("spawn_daemon: {}"):              "s.yaml:3:23: the daemon has nothing to run",
		do("tool: []"):                      "s.yaml:3:15: the call names no tool",
		do("tool: {refused: x}"):            "s.yaml:3:15: the call names no tool",
		do("tool: send-message"):            "s.yaml:3:15: expected a list",
		do("report: [1]"):                   "s.yaml:3:17: expected the fields of report.json",
	} {
		if _, err := Parse("s.yaml", []byte(scenario)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q gave %v, want %q", scenario, err, want)
		}
	}
}

func FuzzReader(f *testing.F) {
	f.Add([]byte(`{"kind":"result","text":"Done."}`), 0)
	f.Add([]byte(`{"kind":"usage","usage":{"input_tokens":1}}`+"\n"+`{"kind":"tool_call","input":{"a":1}}`), 1)
	f.Add([]byte("{\"kind\":\"result\",\"KIND\":\"text\"}\n\xff"), 0)
	f.Fuzz(func(t *testing.T, data []byte, exitCode int) {
		reader := Agent{}.Reader()
		for line := range strings.Lines(string(data)) {
			for _, record := range reader.Line([]byte(line)) {
				if _, err := json.Marshal(record); err != nil {
					t.Errorf("a record cannot be stored: %v", err)
				}
			}
		}
		outcome := reader.Close(exitCode)
		if outcome.OK && (exitCode != 0 || outcome.Class != "") {
			t.Errorf("ok with exit code %d and class %q", exitCode, outcome.Class)
		}
		if _, err := json.Marshal(outcome); err != nil {
			t.Errorf("the outcome cannot be stored: %v", err)
		}
	})
}

func TestReaderIsStrict(t *testing.T) {
	reader := Agent{}.Reader()
	for _, line := range []string{
		`{"kind":"result","kind":"result"}`, `{"Kind":"result"}`, `{"kind":"result"} x`, `{}`, `plain`,
	} {
		if records := reader.Line([]byte(line)); len(records) != 1 || records[0].Kind != agent.KindRaw {
			t.Errorf("%s gave %+v", line, records)
		}
	}
	if outcome := reader.Close(0); outcome.OK || outcome.Class != agent.ClassProtocol {
		t.Errorf("outcome %+v", outcome)
	}
}
