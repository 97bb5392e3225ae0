package shim

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
)

// FuzzRecord holds that whatever an agent says becomes one line that reads as a record, with no secret in it.
func FuzzRecord(f *testing.F) {
	f.Add("text", "Bash", "t1", []byte(`{"command":"echo SECRET"}`))
	f.Add("\xffSEC\x00RET", "mcp__x\n", "", []byte(`{"SECRET":[{"a":"\u0053ECRET"}],"n":1e999}`))
	f.Add("", "", "", []byte(`{"SECRET`))
	f.Fuzz(func(t *testing.T, text, tool, id string, input []byte) {
		record := agent.Record{Kind: agent.KindToolCall, Text: text, Tool: tool, ToolID: id, Input: input}
		raw, err := encodeRecord(record, replacing("SECRET").Redact, replacing("SECRET").Redact)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.ContainsRune(raw, '\n') || bytes.Contains(raw, []byte("SECRET")) {
			t.Fatalf("kept as %s", raw)
		}
		var kept agent.Record
		if err := json.Unmarshal(raw, &kept); err != nil || kept.Kind != record.Kind {
			t.Fatalf("%s: %v", raw, err)
		}
		var value any
		if len(kept.Input) > 0 && json.Unmarshal(kept.Input, &value) == nil && contains(value, "SECRET") {
			t.Fatalf("the input is kept as %s", kept.Input)
		}
	})
}

// holds finds a word in the texts and keys of a value.
func contains(value any, word string) bool {
	switch v := value.(type) {
	case string:
		return strings.Contains(v, word)
	case []any:
		for _, inner := range v {
			if contains(inner, word) {
				return true
			}
		}
	case map[string]any:
		for key, inner := range v {
			if strings.Contains(key, word) || contains(inner, word) {
				return true
			}
		}
	}
	return false
}

// FuzzCapture holds that lines come as they were written, however the writes are cut.
func FuzzCapture(f *testing.F) {
	f.Add([]byte("a\n\nb"), 1)
	f.Add([]byte("\r\n\x00\xff\n"), 3)
	f.Fuzz(func(t *testing.T, data []byte, size int) {
		var got [][]byte
		c := &capture{
			line: func(text []byte, _ int64) { got = append(got, bytes.Clone(text)) }, gap: func(n int64) { t.Fatalf("%d bytes are dropped", n) },
			redact: func(s string) string { return s }, head: 1 << 20,
		}
		for rest := data; len(rest) > 0; {
			n := min(1+max(size, -(size+1))%16, len(rest))
			c.write(rest[:n])
			rest = rest[n:]
		}
		c.close()
		want := bytes.Split(data, []byte("\n"))
		if len(want[len(want)-1]) == 0 {
			want = want[:len(want)-1]
		}
		if !bytes.Equal(bytes.Join(want, []byte("\n")), bytes.Join(got, []byte("\n"))) || len(got) != len(want) {
			t.Fatalf("%q became %q", data, got)
		}
	})
}
