package claude

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
)

// replay feeds a recording of the real program to a Reader.
func replay(t *testing.T, name string, exitCode int) ([]agent.Record, agent.Outcome) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return feed(data, exitCode)
}

func feed(data []byte, exitCode int) ([]agent.Record, agent.Outcome) {
	r := Agent{}.Reader()
	var records []agent.Record
	for line := range bytes.Lines(data) {
		records = append(records, r.Line(bytes.TrimSuffix(line, []byte("\n")))...)
	}
	return records, r.Close(exitCode)
}

func TestRecordedOutcomes(t *testing.T) {
	reset := time.Date(2030, 3, 17, 17, 46, 40, 0, time.UTC)
	tests := []struct {
		recording string
		exit      int
		want      agent.Outcome
	}{
		{"completed", 0, agent.Outcome{OK: true, Summary: "Done.", Turns: 3, CostUSD: 0.0017564}},
		{"subagent", 0, agent.Outcome{OK: true, Summary: "All done, 3.", Turns: 3, CostUSD: 0.004}},
		{"denied", 0, agent.Outcome{OK: true, Summary: "Done.", Turns: 3, CostUSD: 0.0017564}},
		{"server_error", 1, agent.Outcome{Class: agent.ClassAPIError, Message: "API Error: 500", Turns: 1}},
		{"rate_limited", 1, agent.Outcome{Class: agent.ClassUsageLimit, Message: "Request rejected (429)", Turns: 1}},
		{"usage_limit", 1, agent.Outcome{Class: agent.ClassUsageLimit, Message: "You've hit your 5-hour limit", Turns: 1, RetryAt: &reset}},
		{"no_credit", 1, agent.Outcome{Class: agent.ClassUsageLimit, Message: "Credit balance is too low", Turns: 1}},
		{"wrong_key", 1, agent.Outcome{Class: agent.ClassAuth, Message: "Invalid API key", Turns: 1}},
		{"not_logged_in", 1, agent.Outcome{Class: agent.ClassAuth, Message: "Not logged in", Turns: 1}},
		{"unreachable", 1, agent.Outcome{Class: agent.ClassNetwork, Message: "Connection refused", Turns: 1}},
		{"refused", 1, agent.Outcome{Class: agent.ClassRefused, Message: "safeguards flagged", Turns: 2, CostUSD: 0.0016}},
		{"max_turns", 1, agent.Outcome{Class: agent.ClassMaxTurns, Message: "Reached maximum number of turns (1)", Turns: 2, CostUSD: 0.0008}},
		{"budget", 1, agent.Outcome{Class: agent.ClassBudget, Message: "Reached maximum budget ($0.0005)", Turns: 1, CostUSD: 0.0008}},
	}
	for _, test := range tests {
		t.Run(test.recording, func(t *testing.T) {
			_, got := replay(t, test.recording, test.exit)
			if !strings.Contains(got.Message, test.want.Message) {
				t.Errorf("message %q does not contain %q", got.Message, test.want.Message)
			}
			if got.SessionID == "" || !got.Observed {
				t.Errorf("session %q, observed %v", got.SessionID, got.Observed)
			}
			ignored := cmpopts.IgnoreFields(agent.Outcome{}, "Message", "SessionID", "Observed", "Usage")
			if !test.want.OK {
				test.want.Summary = got.Summary
			}
			if diff := cmp.Diff(test.want, got, ignored, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
				t.Errorf("outcome (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRecordsOfACompletedRun(t *testing.T) {
	records, _ := replay(t, "completed", 0)
	var kept []agent.Record
	for _, record := range records {
		if record.Kind != agent.KindUsage {
			kept = append(kept, record)
		}
	}
	want := []agent.Record{
		{Kind: agent.KindNotice, Text: "Claude Code 2.1.325 with claude-opus-5-5, permission mode bypassPermissions"},
		{Kind: agent.KindThinking, Text: "easy"},
		{Kind: agent.KindText, Text: "I write it."},
		{
			Kind: agent.KindToolCall, Tool: "Write", ToolID: "toolu_000001_0",
			Input: json.RawMessage(`{"file_path":"/workspace/a.txt","content":"hello\n"}`),
		},
		{
			Kind: agent.KindToolResult, ToolID: "toolu_000001_0",
			Text: "File created successfully at: /workspace/a.txt (file state is current in your context — no need to Read it back)",
		},
		{
			Kind: agent.KindToolCall, Tool: "Bash", ToolID: "toolu_000002_0",
			Input: json.RawMessage(`{"command":"echo checked; exit 4"}`),
		},
		{Kind: agent.KindToolResult, ToolID: "toolu_000002_0", Text: "Exit code 4\nchecked", Error: true},
		{Kind: agent.KindText, Text: "Done."},
		{Kind: agent.KindResult, Text: "Done."},
	}
	if diff := cmp.Diff(want, kept); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}

func TestUsageIsCumulative(t *testing.T) {
	records, outcome := replay(t, "subagent", 0)
	want := agent.Usage{
		ModelUsage: agent.ModelUsage{InputTokens: 500, OutputTokens: 100, CostUSD: 0.004},
		Model:      map[string]agent.ModelUsage{"claude-opus-5-5": {InputTokens: 500, OutputTokens: 100, CostUSD: 0.004}},
	}
	if diff := cmp.Diff(want, outcome.Usage); diff != "" {
		t.Errorf("two result lines must not be added up (-want +got):\n%s", diff)
	}
	var last int64
	var results int
	for _, record := range records {
		if record.Kind == agent.KindResult {
			results++
		}
		if record.Kind == agent.KindUsage {
			if record.Usage.InputTokens < last {
				t.Errorf("the running total fell from %d to %d", last, record.Usage.InputTokens)
			}
			last = record.Usage.InputTokens
		}
	}
	if results != 2 || last != 500 {
		t.Errorf("%d results and a last total of %d, want 2 and 500", results, last)
	}
}

func TestTokensAreKeptWithoutDollars(t *testing.T) {
	_, outcome := feed([]byte(`{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"ok",`+
		`"terminal_reason":"completed","total_cost_usd":0,"modelUsage":{"m":{"inputTokens":7,"outputTokens":2,"costUSD":0}}}`), 0)
	if !outcome.OK || outcome.Usage.InputTokens != 7 || outcome.Usage.OutputTokens != 2 || outcome.CostUSD != 0 {
		t.Errorf("got %+v", outcome)
	}
}

func TestNoticesTellWhatAPersonNeeds(t *testing.T) {
	for recording, want := range map[string]agent.Record{
		"server_error": {Kind: agent.KindNotice, Error: true, Text: "the model's service failed (server_error, status 500); attempt 1 of 2 to repeat the call"},
		"unreachable":  {Kind: agent.KindNotice, Error: true, Text: "the model's service failed (unknown); attempt 1 of 1 to repeat the call"},
		"usage_limit":  {Kind: agent.KindNotice, Error: true, Text: "usage limit five_hour: rejected"},
		"subagent":     {Kind: agent.KindNotice, Text: "subagent completed: There are 3."},
	} {
		records, _ := replay(t, recording, 1)
		found := false
		for _, record := range records {
			found = found || cmp.Equal(record, want)
		}
		if !found {
			t.Errorf("%s: no record %+v", recording, want)
		}
	}
	records, _ := replay(t, "denied", 0)
	for _, record := range records {
		if record.Kind == agent.KindNotice && record.Tool == "Bash" && strings.HasPrefix(record.Text, "denied: ") {
			return
		}
	}
	t.Error("a denied tool left no notice")
}

func TestOddEndings(t *testing.T) {
	const good = `{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"ok","terminal_reason":"completed"}`
	const bad = `{"type":"result","subtype":"success","is_error":true,"num_turns":1,"result":"no","terminal_reason":"api_error","api_error_status":529}`
	tests := map[string]struct {
		lines string
		exit  int
		want  agent.Class
	}{
		"nothing at all":               {"", 0, agent.ClassProtocol},
		"nothing, failing":             {"", 1, agent.ClassCrashed},
		"killed":                       {`{"type":"system","subtype":"init"}`, 137, agent.ClassCrashed},
		"success, then a bad exit":     {good, 1, agent.ClassCrashed},
		"error, then success":          {bad + "\n" + good, 0, ""},
		"success, then error":          {good + "\n" + bad, 1, agent.ClassAPIError},
		"no is_error":                  {`{"type":"result","subtype":"success","result":"ok"}`, 0, agent.ClassProtocol},
		"a hook blocked the prompt":    {`{"type":"result","subtype":"success","is_error":false,"num_turns":0,"result":""}`, 0, agent.ClassProtocol},
		"error during execution":       {`{"type":"result","subtype":"error_during_execution","is_error":true,"errors":["x"]}`, 1, agent.ClassCrashed},
		"a torn result is no result":   {good[:60], 0, agent.ClassProtocol},
		"a result with a repeated key": {strings.Replace(good, `"is_error":false`, `"is_error":true,"is_error":false`, 1), 0, agent.ClassProtocol},
		"keys in another case":         {strings.Replace(good, `"is_error"`, `"IS_ERROR"`, 1), 0, agent.ClassProtocol},
		"invalid UTF-8":                {strings.Replace(good, "ok", "o\xff", 1), 0, agent.ClassProtocol},
		"something after the object":   {good + " {}", 0, agent.ClassProtocol},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, outcome := feed([]byte(test.lines), test.exit)
			if outcome.Class != test.want || outcome.OK != (test.want == "") {
				t.Errorf("class %q, ok %v, want class %q", outcome.Class, outcome.OK, test.want)
			}
			if (outcome.Message == "") != outcome.OK {
				t.Errorf("ok %v with the message %q", outcome.OK, outcome.Message)
			}
		})
	}
}

func TestLinesThatAreNotRecords(t *testing.T) {
	r := Agent{}.Reader()
	for _, line := range []string{"", "  ", `{"type":"stream_event"}`, `{"type":"something_new","x":1}`, `{}`} {
		if records := r.Line([]byte(line)); len(records) != 0 {
			t.Errorf("%q gave %+v", line, records)
		}
	}
	for _, line := range []string{"Segmentation fault", `{"type":"assist`, "null", "[1]", "\xff\xfe"} {
		records := r.Line([]byte(line))
		if len(records) != 1 || records[0].Kind != agent.KindRaw || records[0].Text == "" {
			t.Errorf("%q gave %+v, want it raw", line, records)
		}
	}
}

// A model chooses the input of its tools; nothing it puts there may hide the call.
func TestStrangeToolInputIsStillACall(t *testing.T) {
	input := `{"command":"rm","COMMAND":"ls","command":"again","deep":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`
	records := Agent{}.Reader().Line([]byte(`{"type":"assistant","message":{"content":[{"type":"tool_use","id":"1","name":"Bash","input":` + input + `}]}}`))
	want := []agent.Record{{Kind: agent.KindToolCall, Tool: "Bash", ToolID: "1", Input: json.RawMessage(input)}}
	if diff := cmp.Diff(want, records); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}

func TestImpossibleResetTimes(t *testing.T) {
	for _, at := range []string{"-5", "0", "9999999999999", `"soon"`, "1e300", "null"} {
		_, outcome := feed([]byte(`{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":`+at+"}}\n"+
			`{"type":"result","is_error":true,"api_error_status":429,"terminal_reason":"api_error"}`), 1)
		if outcome.Class != agent.ClassUsageLimit || outcome.RetryAt != nil {
			t.Errorf("reset at %s: class %q, retry at %v", at, outcome.Class, outcome.RetryAt)
		}
	}
}

func FuzzReader(f *testing.F) {
	recordings, err := filepath.Glob("testdata/*.jsonl")
	if err != nil || len(recordings) == 0 {
		f.Fatalf("no recordings: %v", err)
	}
	for _, recording := range recordings {
		data, err := os.ReadFile(recording)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, 0)
	}
	f.Add([]byte(`{"type":"assistant","message":{"id":"x","usage":{"input_tokens":-1},"content":[null,1,{"type":"text","text":3}]}}`), 1)
	f.Add([]byte(`{"type":"user","message":{"content":[{"type":"tool_result","content":{"a":[]}}]}}`), 300)
	f.Fuzz(func(t *testing.T, data []byte, exitCode int) {
		records, outcome := feed(data, exitCode)
		if outcome.OK && (exitCode != 0 || outcome.Class != "") {
			t.Errorf("ok with exit code %d and class %q", exitCode, outcome.Class)
		}
		if _, err := json.Marshal(outcome); err != nil {
			t.Errorf("the outcome cannot be stored: %v", err)
		}
		for _, record := range records {
			if _, err := json.Marshal(record); err != nil {
				t.Errorf("a record cannot be stored: %v", err)
			}
		}
	})
}

// TestDenialsAreToldFromFailures reads results as the stream and as a session's transcript have them.
func TestDenialsAreToldFromFailures(t *testing.T) {
	for name, c := range map[string]struct {
		line   string
		denied bool
	}{
		"failed": {`{"type":"user","message":{"content":[{"type":"tool_result","content":"Exit code 1","is_error":true,"tool_use_id":"t1"}]},
			"tool_result_meta":[{"id":"t1","permission_decision":{"decision":"accept"}}]}`, false},
		"by a hook": {`{"type":"user","message":{"content":[{"type":"tool_result","content":"no","is_error":true,"tool_use_id":"t1"}]},
			"tool_result_meta":[{"id":"t1","permission_decision":{"decision":"reject","source":"hook"}}]}`, true},
		"of another call": {`{"type":"user","message":{"content":[{"type":"tool_result","content":"no","is_error":true,"tool_use_id":"t1"}]},
			"tool_result_meta":[{"id":"t2","permission_decision":{"decision":"reject"}}]}`, false},
		"in a session": {`{"type":"user","message":{"content":[{"type":"tool_result","content":"no","is_error":true,"tool_use_id":"t1"}]},
			"permissionDecision":{"decision":"reject","source":"hook"}}`, true},
		"no such tool": {`{"type":"user","message":{"content":[{"type":"tool_result","is_error":true,"tool_use_id":"t1",
			"content":"<tool_use_error>Error: No such tool available: Bash. Bash is disabled</tool_use_error>"}]}}`, true},
		"only said so": {`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1",
			"content":"<tool_use_error>Error: No such tool available: Bash"}]}}`, false},
	} {
		records := newReader().Line([]byte(strings.ReplaceAll(c.line, "\n", "")))
		if len(records) != 1 || records[0].Denied != c.denied {
			t.Errorf("%s: %+v", name, records)
		}
	}
}
