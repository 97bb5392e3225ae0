package scriptedmodel

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// as sends messages given as role and text in turn, and returns what the model
// said: its text, or its tool calls as JSON.
func (c *client) as(agent string, said ...string) string {
	c.t.Helper()
	c.agent = agent
	var messages []map[string]any
	for i := 0; i < len(said); i += 2 {
		messages = append(messages, map[string]any{"role": said[i], "content": said[i+1]})
	}
	status, body, _ := c.post(map[string]any{"model": "m", "messages": messages, "tools": json.RawMessage(c.tools)})
	if status != http.StatusOK {
		return body
	}
	var message reply
	if err := json.Unmarshal([]byte(body), &message); err != nil {
		c.t.Fatal(err)
	}
	var parts []string
	for _, b := range message.Content {
		if b.Text != nil {
			parts = append(parts, *b.Text)
		} else {
			parts = append(parts, b.Name+" "+string(b.Input))
		}
	}
	return strings.Join(parts, "\n")
}

func TestSubagentsArePlayedSeparately(t *testing.T) {
	server, c := serve(t, `
conversations:
  - {name: main, agent: false, prompt: go, turns: [{text: main 1}, {text: main 2}]}
  - {name: backend, agent: true, system: "attempt backend", turns: [{text: backend 1}, {expect: ok, text: backend 2}]}
  - {name: other, agent: true, turns: [{text: other 1}, {text: other 2}]}
`)
	c.session = "s"
	const same = "go and read the file"
	got := []string{
		c.as("", "user", same),
		c.as("a1", "user", same, "system", "hook: attempt backend"),
		c.as("a2", "user", same),
		c.as("a2", "user", same, "assistant", "other 1", "user", "on"),
		c.as("a1", "user", same, "system", "hook: attempt backend", "assistant", "backend 1", "user", "ok"),
		c.as("", "user", same, "assistant", "main 1", "user", "on"),
	}
	want := []string{"main 1", "backend 1", "other 1", "other 2", "backend 2", "main 2"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if r := server.Requests()[4]; r.Agent != "a1" || r.Session != "s" || r.Heard != "ok" {
		t.Errorf("recorded %+v", r)
	}
}

func TestRulesReactToWhatWasSaidLast(t *testing.T) {
	_, c := serve(t, `
conversations:
  - turns: [{text: started}]
    rules:
      - when: "Start these"
        nth: 1
        turns:
          - tool: {name: Bash, input: {command: git push}}
          - expect: "refused: (?P<why>\\w+)"
            text: "It says {{why}}."
      - when: "Start these"
        tool: {each: "(?m)^- (?P<type>\\S+): (?P<prompt>.+)$", name: Agent, input: {type: "{{type}}", prompt: "{{prompt}}"}}
      - when: "run (?P<command>stellwerk [a-z ]+)"
        tool: {name: Bash, input: {command: "{{command}}"}}
      - text: Nothing to do.
`)
	c.session = "s"
	history := []string{"user", "hello"}
	hear := func(said ...string) string {
		history = append(history, said...)
		answer := c.as("", history...)
		history = append(history, "assistant", answer)
		return answer
	}
	const offer = "Start these:\n- a: read \"x\"\n- b: read y\n"
	got := []string{
		hear(),
		hear("user", offer),
		hear("user", "refused: policy"),
		hear("user", "Stop hook feedback", "system", offer+"and again\n"+offer),
		hear("user", "run stellwerk advance approve."),
		hear("user", "what is this?"),
	}
	want := []string{
		"started",
		`Bash {"command":"git push"}`,
		"It says policy.",
		`Agent {"prompt":"read \"x\"","type":"a"}` + "\n" + `Agent {"prompt":"read y","type":"b"}`,
		`Bash {"command":"stellwerk advance approve"}`,
		"Nothing to do.",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNoRuleAndNoMatchAreRefused(t *testing.T) {
	_, c := serve(t, `
conversations:
  - rules:
      - {when: start, tool: {each: "agent (\\w+)", name: Agent}}
`)
	c.session = "s"
	if got := c.as("", "user", "something else"); !strings.Contains(got, "has no rule for what the agent said") {
		t.Errorf("got %s", got)
	}
	if got := c.as("", "user", "start nothing"); !strings.Contains(got, `line 4 calls Agent for each`) {
		t.Errorf("got %s", got)
	}
}

func TestCompactionTakesNoTurn(t *testing.T) {
	_, c := serve(t, `
summary: Two things were done.
conversations:
  - {name: long, prompt: "^begin", turns: [{text: one}, {expect: "context: resume", text: two}, {text: three}]}
`)
	c.session = "s"
	got := []string{
		c.as("", "user", "begin"),
		c.as("", "user", "begin", "assistant", "one", "user", "Your task is to create a detailed summary of all this."),
		c.as("", "user", "This session is being continued. Two things were done.", "system", "SessionStart hook additional context: resume"),
		c.as("", "user", "This session is being continued. Two things were done.", "assistant", "two", "user", "on"),
	}
	want := []string{
		"one",
		"<analysis>As the scenario says.</analysis>\n<summary>Two things were done.</summary>",
		"two",
		"three",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTheClientsOwnJudgeIsSatisfied(t *testing.T) {
	_, c := serve(t, "conversations: [{turns: [{text: hello}]}]")
	c.session, c.tools = "s", "[]"
	if got := c.as("", "user", "You are a security monitor. Answer with <severity>N</severity>."); got != harmless {
		t.Errorf("got %s", got)
	}
}

// A prompt that nothing matched does not keep the next one from being heard.
func TestAnotherPromptAfterARefusal(t *testing.T) {
	_, c := serve(t, "conversations: [{prompt: build, turns: [{text: hello}]}]")
	c.session = "s"
	if got := c.as("", "user", "nonsense"); !strings.Contains(got, "no conversation") {
		t.Errorf("got %s", got)
	}
	if got := c.as("", "user", "build it"); got != "hello" {
		t.Errorf("got %s", got)
	}
}
