package claude

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
)

// reader understands `--output-format stream-json --verbose`. A run prints one
// assistant line per content block and may print several result lines, since a
// background subagent that finishes starts another turn; the last one counts,
// with the turns of all.
type reader struct {
	session string
	turns   int64
	tally   tally
	result  object
	// failure is the kind of error named by the main loop's latest message.
	failure string
	// limit is the latest word on the account's usage limit.
	limit object
}

func newReader() *reader {
	return &reader{tally: tally{seen: make(map[string]bool)}}
}

// Line reads one line; what it does not know is ignored, what is not JSON is
// kept as it is.
func (r *reader) Line(line []byte) []agent.Record {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return nil
	}
	var o object
	if json.Unmarshal(line, &o) != nil || !utf8.Valid(line) {
		return []agent.Record{{Kind: agent.KindRaw, Text: strings.ToValidUTF8(string(line), "\uFFFD")}}
	}
	if id := get[string](o, "session_id"); id != "" {
		r.session = id
	}
	switch get[string](o, "type") {
	case "system":
		return notices(o)
	case "assistant":
		return r.assistant(o)
	case "user":
		return toolResults(o)
	case "rate_limit_event":
		return r.rateLimit(o)
	case "result":
		return r.concluded(o)
	default:
		return nil
	}
}

func (r *reader) assistant(o object) []agent.Record {
	message := get[object](o, "message")
	if get[string](o, "parent_tool_use_id") == "" {
		r.failure = get[string](o, "error")
	}
	var records []agent.Record
	for _, block := range get[[]object](message, "content") {
		switch get[string](block, "type") {
		case "text":
			records = append(records, agent.Record{
				Kind: agent.KindText, Text: get[string](block, "text"),
				Error: get[bool](o, "is_api_error_message"),
			})
		case "thinking":
			records = append(records, agent.Record{Kind: agent.KindThinking, Text: get[string](block, "thinking")})
		case "tool_use", "server_tool_use", "mcp_tool_use":
			records = append(records, agent.Record{
				Kind: agent.KindToolCall, Tool: get[string](block, "name"),
				ToolID: get[string](block, "id"), Input: block["input"],
			})
		}
	}
	if r.tally.message(message) {
		records = append(records, agent.Record{Kind: agent.KindUsage, Usage: r.tally.usage.Clone()})
	}
	return records
}

func toolResults(o object) []agent.Record {
	var records []agent.Record
	for _, block := range get[[]object](get[object](o, "message"), "content") {
		if get[string](block, "type") != "tool_result" {
			continue
		}
		records = append(records, agent.Record{
			Kind: agent.KindToolResult, ToolID: get[string](block, "tool_use_id"),
			Text: contentText(block["content"]), Error: get[bool](block, "is_error"),
		})
	}
	markDenied(o, records)
	return records
}

// contentText is the text of a content that is either a string or blocks.
func contentText(content json.RawMessage) string {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text
	}
	var blocks []object
	if json.Unmarshal(content, &blocks) != nil {
		return string(content)
	}
	var texts []string
	for _, block := range blocks {
		kind := get[string](block, "type")
		if kind == "text" {
			texts = append(texts, get[string](block, "text"))
			continue
		}
		texts = append(texts, fmt.Sprintf("(%s)", kind))
	}
	return strings.Join(texts, "\n")
}

func (r *reader) rateLimit(o object) []agent.Record {
	r.limit = get[object](o, "rate_limit_info")
	status := get[string](r.limit, "status")
	if status == "allowed" {
		return nil
	}
	return []agent.Record{{
		Kind: agent.KindNotice, Error: r.limited(),
		Text: fmt.Sprintf("usage limit %s: %s", get[string](r.limit, "rateLimitType"), status),
	}}
}

func (r *reader) limited() bool { return get[string](r.limit, "status") == "rejected" }

func (r *reader) concluded(o object) []agent.Record {
	r.result = o
	r.turns += count(o, "num_turns")
	r.tally.models(get[object](o, "modelUsage"), amount(o, "total_cost_usd"))
	return []agent.Record{
		{Kind: agent.KindUsage, Usage: r.tally.usage.Clone()},
		{Kind: agent.KindResult, Text: statement(o), Error: get[bool](o, "is_error")},
	}
}

// statement is what a result line says in words.
func statement(result object) string {
	return cmp.Or(get[string](result, "result"), strings.Join(get[[]string](result, "errors"), "; "))
}
