package scriptedmodel

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// client is an agent program reduced to its calls.
type client struct {
	t       *testing.T
	url     string
	session string
	agent   string
	system  string
	stream  bool
	tools   string
}

func serve(t *testing.T, scenario string) (*Server, *client) {
	t.Helper()
	parsed, err := Parse("s.yaml", []byte(scenario))
	if err != nil {
		t.Fatal(err)
	}
	server := New(parsed)
	listening := httptest.NewServer(server)
	t.Cleanup(listening.Close)
	return server, &client{t: t, url: listening.URL, tools: `[{"name":"Bash"}]`}
}

// say sends a conversation of alternating user and assistant messages.
func (c *client) say(texts ...string) (int, string, http.Header) {
	c.t.Helper()
	var messages []map[string]any
	for i, text := range texts {
		messages = append(messages, map[string]any{"role": []string{"user", "assistant"}[i%2], "content": text})
	}
	return c.post(map[string]any{
		"model": "m", "system": c.system, "stream": c.stream, "messages": messages, "tools": json.RawMessage(c.tools),
	})
}

func (c *client) post(body any) (int, string, http.Header) {
	c.t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		c.t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(c.t.Context(), http.MethodPost, c.url+"/v1/messages?beta=true", bytes.NewReader(data))
	if err != nil {
		c.t.Fatal(err)
	}
	if c.session != "" {
		request.Header.Set("X-Claude-Code-Session-Id", c.session)
	}
	if c.agent != "" {
		request.Header.Set("X-Claude-Code-Agent-Id", c.agent)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		c.t.Fatal(err)
	}
	answer, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		c.t.Fatal(err)
	}
	return response.StatusCode, string(answer), response.Header
}

// text is the first text block of a plain reply.
func text(t *testing.T, body string) string {
	t.Helper()
	var message reply
	if err := json.Unmarshal([]byte(body), &message); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	for _, b := range message.Content {
		if b.Text != nil {
			return *b.Text
		}
	}
	return ""
}

func TestReplyWithoutStreaming(t *testing.T) {
	_, c := serve(t, `
conversations:
  - prompt: "make (?P<file>\\S+)"
    turns:
      - text: Making {{file}}.
        thinking: hm
        tool: {name: Bash, input: {command: "touch \"{{file}}\" {{cwd}} ${HOME} {{ .Template }}"}}
        usage: {input: 1, output: 2, cache_read: 3, cache_write: 4}
`)
	c.system = "You work.\n - Primary working directory: /w/\"odd\"\n"
	status, body, _ := c.say("please make a\"b.txt now")
	var got map[string]any
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"id": "msg_000001", "type": "message", "role": "assistant", "model": "m",
		"stop_reason": "tool_use", "stop_sequence": nil,
		"usage": map[string]any{
			"input_tokens": 1.0, "output_tokens": 2.0, "cache_read_input_tokens": 3.0, "cache_creation_input_tokens": 4.0,
		},
		"content": []any{
			map[string]any{"type": "thinking", "thinking": "hm", "signature": "c2NyaXB0ZWQ="},
			map[string]any{"type": "text", "text": `Making a"b.txt.`},
			map[string]any{
				"type": "tool_use", "id": "toolu_000001_0", "name": "Bash",
				"input": map[string]any{"command": `touch "a"b.txt" /w/"odd" ${HOME} {{ .Template }}`},
			},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" || status != http.StatusOK {
		t.Errorf("status %d (-want +got):\n%s", status, diff)
	}
}

func TestReplyAsAStream(t *testing.T) {
	_, c := serve(t, `
conversations:
  - turns: [{text: Hello., tool: {name: Bash, input: {command: ls}}}]
`)
	c.stream = true
	_, body, header := c.say("hi")
	if kind := header.Get("Content-Type"); kind != "text/event-stream" {
		t.Errorf("content type %q", kind)
	}
	var names, pieces []string
	lines := bufio.NewScanner(strings.NewReader(body))
	for lines.Scan() {
		if name, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
			names = append(names, name)
		}
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			var event struct {
				Type  string
				Delta struct {
					Text        string
					PartialJSON string `json:"partial_json"`
				}
			}
			if err := json.Unmarshal([]byte(data), &event); err != nil {
				t.Fatal(err)
			}
			if event.Type != names[len(names)-1] {
				t.Errorf("event %s carries the type %s", names[len(names)-1], event.Type)
			}
			pieces = append(pieces, event.Delta.Text+event.Delta.PartialJSON)
		}
	}
	want := "message_start content_block_start content_block_delta content_block_stop " +
		"content_block_start content_block_delta content_block_stop message_delta message_stop"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("events\n%s\nwant\n%s", got, want)
	}
	if got := strings.Join(pieces, ""); got != `Hello.{"command":"ls"}` {
		t.Errorf("the deltas say %q", got)
	}
}

func TestErrorsThenSuccess(t *testing.T) {
	server, c := serve(t, `
conversations:
  - turns:
      - error: {status: 529, type: overloaded_error, message: busy, times: 2, retry_after: 7, headers: {x-extra: "yes"}}
      - text: recovered
`)
	for range 2 {
		status, body, header := c.say("hi")
		if status != 529 || !strings.Contains(body, `"type":"overloaded_error"`) || !strings.Contains(body, "busy") {
			t.Errorf("status %d: %s", status, body)
		}
		if header.Get("Retry-After") != "7" || header.Get("X-Extra") != "yes" {
			t.Errorf("headers %v", header)
		}
	}
	if _, body, _ := c.say("hi"); text(t, body) != "recovered" {
		t.Errorf("got %s", body)
	}
	var statuses []int
	for _, request := range server.Requests() {
		statuses = append(statuses, request.Status)
	}
	if diff := cmp.Diff([]int{529, 529, 200}, statuses); diff != "" {
		t.Errorf("statuses (-want +got):\n%s", diff)
	}
}

func TestConversationsAreChosenAndContinued(t *testing.T) {
	server, c := serve(t, `
conversations:
  - {name: first, prompt: build, nth: 1, turns: [{text: lie}]}
  - {name: later, prompt: build, turns: [{text: work}, {expect: "result (?P<n>\\d+)", text: "got {{n}}"}]}
  - {name: other, system: "You are a poet", turns: [{text: rhyme}]}
`)
	ask := func(session string, texts ...string) string {
		c.session = session
		_, body, _ := c.say(texts...)
		return text(t, body)
	}
	got := []string{ask("one", "build it"), ask("two", "build it"), ask("three", "build it")}
	got = append(got, ask("two", "build it", "work", "result 42"), ask("three", "build it", "work", "result 43"))
	c.system = "You are a poet."
	got = append(got, ask("four", "say something"))
	want := []string{"lie", "work", "work", "got 42", "got 43", "rhyme"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	last := server.Requests()[4]
	if last.Conversation != "later" || last.Turn != 1 || last.Latest != "result 43" || last.Prompt != "build it" {
		t.Errorf("recorded %+v", last)
	}
}

// Without a session the opening alone tells conversations apart.
func TestSameOpeningAgainIsANewConversation(t *testing.T) {
	_, c := serve(t, `
conversations:
  - {nth: 1, turns: [{text: one}]}
  - {nth: 2, turns: [{text: two}]}
`)
	for _, want := range []string{"one", "two"} {
		if _, body, _ := c.say("hi"); text(t, body) != want {
			t.Errorf("got %s, want %s", body, want)
		}
	}
}

func TestRefusals(t *testing.T) {
	const scenario = `
conversations:
  - {name: short, prompt: build, turns: [{text: one}, {expect: "all green", text: two}]}
  - {name: second, prompt: rare, nth: 2, turns: [{text: found}]}
`
	for name, test := range map[string]struct {
		calls [][]string
		want  string
	}{
		"no conversation": {[][]string{{"something else"}}, `no conversation of the scenario matches the prompt \"something else\"`},
		"not expected": {
			[][]string{{"build"}, {"build", "one", "3 failures"}},
			`short, turn 2 (line 3) expects \"all green\", but the agent said \"3 failures\"`,
		},
		"beyond the end": {
			[][]string{{"build"}, {"build", "one", "all green"}, {"build", "one", "all green", "two", "more"}},
			"short has no turn 3",
		},
		"a repeated call is not a second conversation": {[][]string{{"rare"}, {"rare"}}, "no conversation"},
	} {
		t.Run(name, func(t *testing.T) {
			_, c := serve(t, scenario)
			c.session = "s"
			var status int
			var body string
			var header http.Header
			for _, call := range test.calls {
				status, body, header = c.say(call...)
			}
			if status != http.StatusBadRequest || !strings.Contains(body, "scripted model: "+test.want) {
				t.Errorf("status %d: %s", status, body)
			}
			if header.Get("X-Should-Retry") != "false" {
				t.Error("the agent is not told that repeating is useless")
			}
		})
	}
}

func TestOtherCalls(t *testing.T) {
	server, c := serve(t, "conversations: [{prompt: build, turns: [{text: one}]}]")
	c.session, c.tools = "s", "[]"
	if status, body, _ := c.say("Name this session: build it"); status != http.StatusOK || text(t, body) != sideAnswer {
		t.Errorf("side call: status %d: %s", status, body)
	}
	if request := server.Requests()[0]; request.Conversation != "" {
		t.Errorf("a side call was taken for %q", request.Conversation)
	}
	for _, call := range []struct {
		method, path, body string
		want               int
	}{
		{http.MethodHead, "/", "", http.StatusOK},
		{http.MethodPost, "/v1/messages/count_tokens", `{"messages":[{"role":"user","content":"12345678"}]}`, http.StatusOK},
		{http.MethodPost, "/v1/messages", "not JSON", http.StatusBadRequest},
		{http.MethodGet, "/api/secret", "", http.StatusNotFound},
	} {
		request, err := http.NewRequestWithContext(t.Context(), call.method, c.url+call.path, strings.NewReader(call.body))
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		if err := errors.Join(err, response.Body.Close()); err != nil {
			t.Fatal(err)
		}
		if response.StatusCode != call.want {
			t.Errorf("%s %s: status %d, want %d", call.method, call.path, response.StatusCode, call.want)
		}
		if strings.HasSuffix(call.path, "count_tokens") && !strings.Contains(string(body), `"input_tokens":2`) {
			t.Errorf("counted %s", body)
		}
	}
}

func TestListensOnLoopbackOnly(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", ":0", "[::]:0", "192.0.2.1:0", "example.org:0", "localhost:0"} {
		if _, err := Listen(t.Context(), address); !errors.Is(err, ErrNotLoopback) {
			t.Errorf("%s gave %v", address, err)
		}
	}
	if _, err := Listen(t.Context(), "nonsense"); err == nil {
		t.Error("an address without a port was accepted")
	}
}

func TestRunPrintsItsAddressAndEndsWithItsContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.yaml")
	record := filepath.Join(t.TempDir(), "calls.jsonl")
	if err := os.WriteFile(path, []byte("conversations: [{turns: [{text: hello}]}]"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	reader, writer := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- Run(ctx, path, "127.0.0.1:0", record, writer) }()
	address, err := bufio.NewReader(reader).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	c := &client{t: t, url: strings.TrimSpace(address), tools: "[]"}
	if _, body, _ := c.say("hi"); text(t, body) != "hello" {
		t.Errorf("got %s", body)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("ended with %v", err)
	}
	calls, err := os.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	var recorded Request
	if err := json.Unmarshal(calls, &recorded); err != nil || recorded.Heard != "hi" || recorded.Status != http.StatusOK {
		t.Errorf("recorded %s: %v", calls, err)
	}
}

// TestALongReplyComesInPieces that add up to it.
func TestALongReplyComesInPieces(t *testing.T) {
	long := strings.Repeat("ä", 2*deltaSize+1)
	_, c := serve(t, "conversations:\n  - turns:\n      - text: "+long+"\n")
	c.stream = true
	_, body, _ := c.say("go")
	got, pieces := "", 0
	for line := range strings.Lines(body) {
		var e struct{ Delta struct{ Text string } }
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			if err := json.Unmarshal([]byte(data), &e); err != nil {
				t.Fatal(err)
			}
		}
		if e.Delta.Text != "" {
			got, pieces = got+e.Delta.Text, pieces+1
		}
	}
	if got != long || pieces != 3 {
		t.Errorf("%d pieces with %d bytes of %d", pieces, len(got), len(long))
	}
}

// TestTheCredentialIsKeptAsADigest with the header that carried it.
func TestTheCredentialIsKeptAsADigest(t *testing.T) {
	const digest = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b" // of "secret"
	for header, value := range map[string]string{"X-Api-Key": "secret", "Authorization": "Bearer secret"} {
		if got := credentialOf(http.Header{header: {value}}); got != header+" "+digest {
			t.Errorf("%s: %s", header, got)
		}
	}
}
